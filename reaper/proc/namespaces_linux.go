package proc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Namespaces are the ids of two of a process's namespaces, namespaces(7): the
// inode numbers in the text of /proc/PID/ns/mnt and ns/pid. A kernel gives
// each id to one living namespace.
type Namespaces struct {
	Mount uint64
	PID   uint64
}

// Namespaces reads them. The error is ErrGone for a process that has ended,
// zombies included (they have left theirs), and wraps fs.ErrPermission for
// other users' processes.
func (r Root) Namespaces(pid int) (Namespaces, error) {
	d, err := r.process(pid)
	if err != nil {
		return Namespaces{}, err
	}
	defer d.close()
	ns, err := d.namespaces()
	if err != nil && !errors.Is(err, ErrGone) {
		return Namespaces{}, fmt.Errorf("read namespaces of pid %d: %w", pid, err)
	}
	return ns, err
}

func (d dir) namespaces() (ns Namespaces, err error) {
	if ns.Mount, err = d.namespace("mnt"); err != nil {
		return Namespaces{}, err
	}
	if ns.PID, err = d.namespace("pid"); err != nil {
		return Namespaces{}, err
	}
	return ns, nil
}

func (d dir) namespace(kind string) (uint64, error) {
	text, err := d.link("ns/" + kind)
	if err == nil {
		return parseNamespace(kind, text)
	}
	// A refusal is also the answer when the process ended between two steps,
	// and nothing there the one of a first thread that ended before others.
	s, serr := d.stat()
	switch {
	case serr != nil || s.Zombie():
		return 0, ErrGone
	case s.State != 'Z':
		return 0, gone(err)
	}
	t, err := d.thread()
	if err != nil {
		return 0, err
	}
	defer t.close()
	if text, err = t.link("ns/" + kind); err != nil {
		return 0, gone(err)
	}
	return parseNamespace(kind, text)
}

// parseNamespace parses "mnt:[4026531841]".
func parseNamespace(kind, text string) (uint64, error) {
	number, ok := strings.CutPrefix(text, kind+":[")
	number, end := strings.CutSuffix(number, "]")
	id, err := strconv.ParseUint(number, 10, 64)
	if !ok || !end || err != nil {
		return 0, fmt.Errorf("parse namespace: %q is not %s:[NUMBER]", text, kind)
	}
	return id, nil
}

// SameNamespaces says whether two processes see the same mounts and the same
// pids, so that a path or a pid means the same to both.
func (r Root) SameNamespaces(a, b int) (bool, error) {
	na, err := r.Namespaces(a)
	if err != nil {
		return false, err
	}
	nb, err := r.Namespaces(b)
	return err == nil && na == nb, err
}
