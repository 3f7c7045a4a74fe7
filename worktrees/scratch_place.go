package worktrees

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// ScratchHolder is who a scratch lane belongs to. It informs; the lock on it
// decides whether anybody still works there.
type ScratchHolder struct {
	Pid   int       `json:"pid"`
	Start string    `json:"start"` // of the process, in ticks since boot, as /proc/PID/stat has it
	User  string    `json:"user"`
	Since time.Time `json:"since"`
	Of    string    `json:"of"`            // name of the lane it was made of
	For   string    `json:"for,omitempty"` // what it is there for, as ScratchOptions had it
}

// scratchRecord is the content of a place's lock, and of a file in git's books.
type scratchRecord struct {
	Kind   string `json:"kind"` // scratchKind
	ID     string `json:"id"`
	Place  string `json:"place"`  // Dir/<id>
	Common string `json:"common"` // the repository
	ScratchHolder
}

const (
	scratchKind   = "gpuci scratch lane"
	scratchPrefix = "scratch-"      // before the id, in the name of the root and so in git's books
	scratchMark   = "gpuci-scratch" // the record's file in git's books
	maxRecord     = 64 << 10        // bytes read of a record: some long paths
)

// place is the directory of one scratch lane, Dir/<id>, for its owner alone:
//
//	lock          holds the record; locked by the maker for its life and by
//	              every git that it starts, which may outlive it
//	scratch-<id>  the root
//	target        what is built, where the root has no ignored place for that
type place struct {
	id    string
	dir   string
	lock  *flock.Flock
	heirs *os.File // a second hold on the lock, for git to inherit
}

func (p *place) root() string   { return filepath.Join(p.dir, scratchPrefix+p.id) }
func (p *place) beside() string { return filepath.Join(p.dir, "target") }

// admin is where git's books have it. Nobody else's worktree has that name.
func (p *place) admin(common string) string {
	return filepath.Join(common, "worktrees", scratchPrefix+p.id)
}

// newPlace makes one in a directory and locks it.
func newPlace(dir string, r scratchRecord) (*place, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory of scratch lanes: %w", err)
	}
	for range 10 { // each fails only where somebody clears it away as it is made
		id := make([]byte, 6)
		rand.Read(id)
		p := &place{id: hex.EncodeToString(id)}
		p.dir = filepath.Join(dir, p.id)
		if err := os.Mkdir(p.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make place of scratch lane: %w", err)
		}
		r.Kind, r.ID, r.Place = scratchKind, p.id, p.dir
		ok, err := p.hold(r)
		if err != nil {
			p.release()
			os.Remove(filepath.Join(p.dir, "lock"))
			os.Remove(p.dir)
			return nil, fmt.Errorf("lock scratch lane: %w", err)
		}
		if ok {
			return p, nil
		}
	}
	return nil, fmt.Errorf("lock scratch lane: another gpuci clears %s away again and again; name another directory", dir)
}

// hold takes the lock, shared with the gits to come, and writes the record. It
// is not ok when somebody takes the place for abandoned meanwhile.
func (p *place) hold(r scratchRecord) (ok bool, err error) {
	path := filepath.Join(p.dir, "lock")
	p.heirs, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p.lock = flock.New(path, flock.SetFlag(os.O_RDWR|syscall.O_NOFOLLOW))
	if ok, err = p.lock.TryRLock(); err != nil || !ok || !p.still(path) {
		p.release()
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	if err := unix.Flock(int(p.heirs.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return false, err
	}
	data, err := json.Marshal(r)
	if err == nil {
		_, err = p.heirs.Write(append(data, '\n'))
	}
	return true, err
}

// still says whether what we have open is what is there.
func (p *place) still(path string) bool {
	mine, err := p.heirs.Stat()
	there, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(mine, there)
}

// release lets go of the lock.
func (p *place) release() {
	if p.lock != nil {
		_ = p.lock.Close()
	}
	if p.heirs != nil {
		_ = p.heirs.Close()
	}
}

// readScratchRecord reads a record where it is one.
func readScratchRecord(path string) (r scratchRecord, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return r, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return scratchRecord{}, false
	}
	return r, r.Kind == scratchKind && isScratchID(r.ID)
}

// isScratchID says whether a name is one that newPlace gives.
func isScratchID(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == 6 && name == strings.ToLower(name)
}

// holderOfScratch is this process.
func holderOfScratch(of Lane, why string) ScratchHolder {
	h := ScratchHolder{Pid: os.Getpid(), Start: startTicks(os.Getpid()), Since: time.Now(), Of: of.Name, For: why}
	if u, err := user.Current(); err == nil {
		h.User = u.Username
	}
	return h
}

// startTicks is field 22 of /proc/PID/stat (proc_pid_stat(5)), "" when there is
// no such process. The name before it, in parentheses, may hold anything.
func startTicks(pid int) string {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := bytes.Cut(data[bytes.LastIndexByte(data, ')')+1:], []byte(" "))
	if fields := bytes.Fields(rest); len(fields) > 19 {
		return string(fields[19])
	}
	return ""
}

// alive says whether the process still runs that holds it.
func (h ScratchHolder) alive() bool {
	start := startTicks(h.Pid)
	return start != "" && start == h.Start
}
