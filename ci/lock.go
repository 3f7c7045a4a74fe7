package ci

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Who runs a night.
type Who struct {
	PID   int       `json:"pid"`
	User  string    `json:"user"`
	Since time.Time `json:"since"`
}

// BusyError says that a night of the repository goes on.
type BusyError struct {
	Who Who // its zero value: somebody who could not write it down
}

func (e *BusyError) Error() string {
	if e.Who.PID == 0 {
		return "a night of this repository runs already, of another user"
	}
	return fmt.Sprintf("a night of this repository runs already: pid %d (%s) since %s", e.Who.PID, e.Who.User, e.Who.Since.Local().Format(time.DateTime))
}

// nightLock is held for as long as a night lasts. The kernel lets go of it when we
// are killed; no child has it, since Go opens files close-on-exec.
type nightLock struct {
	locks []*flock.Flock
	path  string // of the one that says who has it
}

// lockNight takes it or says who has it: in our state directory, and in shared, the
// directory of the repository's owner, where a file for it is there.
func lockNight(state, shared string, who Who) (*nightLock, error) {
	l := &nightLock{path: lockPath(state)}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return nil, fmt.Errorf("begin a night: %w", err)
	}
	open := func(path string, flag int) error {
		lock := flock.New(path, flock.SetFlag(flag), flock.SetPermissions(0o644))
		got, err := lock.TryLock()
		switch {
		case err != nil:
			_ = lock.Close()
			return err
		case !got:
			_ = lock.Close()
			return &BusyError{whoHas(path)}
		}
		l.locks = append(l.locks, lock)
		return nil
	}
	if shared != state {
		if err := open(lockPath(shared), os.O_RDONLY); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			l.release()
			return nil, err
		}
	}
	if err := open(l.path, os.O_RDWR|os.O_CREATE); err != nil {
		l.release()
		return nil, err
	}
	l.write(who)
	return l, nil
}

func lockPath(state string) string { return filepath.Join(state, "ci", "lock") }

// write says who has it, to whoever comes next. A full disk keeps no night from
// running.
func (l *nightLock) write(who Who) {
	data, err := json.Marshal(who)
	if err == nil {
		_ = os.WriteFile(l.path, append(data, '\n'), 0o644)
	}
}

// release gives it back. The file stays: who removes one takes it from under those
// who are about to lock it.
func (l *nightLock) release() {
	if len(l.locks) > 0 && l.locks[len(l.locks)-1].Path() == l.path {
		_ = os.Truncate(l.path, 0)
	}
	for _, lock := range l.locks {
		_ = lock.Close()
	}
	l.locks = nil
}

func whoHas(path string) (who Who) {
	f, err := os.Open(path)
	if err != nil {
		return who
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	_ = json.Unmarshal(data, &who)
	return who
}

// ourselves is who we are.
func ourselves(now time.Time) Who {
	who := Who{PID: os.Getpid(), User: fmt.Sprint(os.Getuid()), Since: now}
	if u, err := user.Current(); err == nil {
		who.User = u.Username
	}
	return who
}
