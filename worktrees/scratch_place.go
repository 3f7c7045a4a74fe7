package worktrees

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

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
