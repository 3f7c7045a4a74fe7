package proc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNoAutogroup says that the kernel numbers no sessions, or not this one.
var ErrNoAutogroup = errors.New("no autogroup")

// Autogroup is the number of the autogroup that a process is in, sched(7). The
// kernel makes one with each session, counts them from its start on, and passes
// them on with the session: of two sessions the one that was begun later has the
// greater number. It does so also where autogroups are switched off.
func (r Root) Autogroup(pid int) (uint64, error) {
	text, err := r.small(pid, "autogroup")
	if err != nil {
		return 0, err
	}
	return parseAutogroup(text)
}

// parseAutogroup parses "/autogroup-226397 nice 0". What is in no autogroup, as
// the kernel's own first process, has an empty file.
func parseAutogroup(text string) (uint64, error) {
	name, _, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
	number, ok := strings.CutPrefix(name, "/autogroup-")
	switch {
	case text == "":
		return 0, ErrNoAutogroup
	case !ok:
		return 0, fmt.Errorf("parse autogroup: %.40q is not /autogroup-NUMBER", text)
	}
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parse autogroup: %w", err)
	}
	return n, nil
}
