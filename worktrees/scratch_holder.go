package worktrees

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
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

// ScratchID says whether a lane that List or ListAll has is a scratch lane, and
// which one: a listing shows it apart, and a night passes it by.
func ScratchID(t Tree) (id string, ok bool) {
	id, ok = strings.CutPrefix(filepath.Base(t.Root), scratchPrefix)
	return id, ok && isScratchID(id) && filepath.Base(filepath.Dir(t.Root)) == id
}

// HolderOf says whose a scratch lane is; ok is false where it has no record any
// more, or is none.
func HolderOf(t Tree) (h ScratchHolder, ok bool) {
	if _, ok := ScratchID(t); !ok {
		return h, false
	}
	for _, file := range []string{filepath.Join(filepath.Dir(t.Root), "lock"), filepath.Join(t.GitDir, scratchMark)} {
		if r, ok := readScratchRecord(file); ok {
			return r.ScratchHolder, true
		}
	}
	return h, false
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
