package protected

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// verdict is what one look says of one process and one rule.
type verdict int

const (
	no verdict = iota
	yes
	unknown
)

// matcher holds processes against one rule.
type matcher struct {
	*finder
	rule    Rule
	command *regexp.Regexp
	uid     int      // of User
	pid     int      // of PIDFile; 0: it names none
	cwds    []string // Cwd, and what it leads to
}

// prepare reads what the rule refers to.
func (m *matcher) prepare(ctx context.Context) error {
	if m.rule.User != "" {
		uid, err := uidOf(m.rule.User)
		if err != nil {
			return err
		}
		m.uid = uid
	}
	var paths []string
	for _, path := range []string{m.rule.Cwd, m.rule.PIDFile} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	if err := proc.Answers(ctx, paths); err != nil {
		return err
	}
	if m.rule.Cwd != "" {
		m.cwds = []string{filepath.Clean(m.rule.Cwd)}
		if real, err := filepath.EvalSymlinks(m.rule.Cwd); err == nil && real != m.cwds[0] {
			m.cwds = append(m.cwds, real)
		}
	}
	return m.readPIDFile()
}

func uidOf(name string) (int, error) {
	if uid, err := strconv.Atoi(name); err == nil {
		return uid, nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return 0, fmt.Errorf("user %q is not known here: give the uid (%w)", name, err)
	}
	return strconv.Atoi(u.Uid)
}

// pidFileSlack is how much later than its pid file a process may have been
// started, for the clocks of the two are not the same: one that was started later
// than that has got the pid of one that is gone.
const pidFileSlack = 5 * time.Second

// readPIDFile reads the pid, when the process is the one that the file was
// written for.
func (m *matcher) readPIDFile() error {
	if m.rule.PIDFile == "" {
		return nil
	}
	data, info, err := readHead(m.rule.PIDFile, 64)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read pidfile: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 {
		return fmt.Errorf("pidfile %s holds no pid: %q", m.rule.PIDFile, clip(first))
	}
	s, ok := m.picture.Table[pid]
	if age := m.o.Proc.Age(s); ok && (age == 0 || m.now.Add(-age).Before(info.ModTime().Add(pidFileSlack))) {
		m.pid = pid
	}
	return nil
}

// all lists the processes that fit, and says which might.
func (m *matcher) all(ctx context.Context) (fits []proc.Stat, why string) {
	var doubts []string
	ask := make(map[int]proc.Stat)
	for pid, s := range m.picture.Table {
		v, doubt := no, ""
		if !m.ours[pid] && !s.Kernel && !s.Zombie() && !m.another(s) {
			v, doubt = m.cheap(s)
		}
		switch {
		case v == no:
		case m.rule.Command != "":
			ask[pid] = s // what is in doubt may have another command
		case v == yes:
			fits = append(fits, s)
		default:
			doubts = append(doubts, doubt)
		}
	}
	if m.rule.Command != "" {
		m.read(ctx, ask)
		fits, doubts = m.byCommand(ask)
	}
	slices.SortFunc(fits, func(a, b proc.Stat) int { return a.PID - b.PID })
	doubts = append(doubts, m.unseen()...)
	if len(doubts) > 1 {
		return fits, fmt.Sprintf("%s, and %d others", slices.Min(doubts), len(doubts)-1)
	}
	return fits, strings.Join(doubts, "")
}

// another says that a process is a gpuci, whose arguments may name what it runs: that
// is looked at itself. A pid file that names one means it.
func (m *matcher) another(s proc.Stat) bool { return s.Comm == "gpuci" && m.rule.PIDFile == "" }

// byCommand holds those that are left against the command.
func (m *matcher) byCommand(list map[int]proc.Stat) (fits []proc.Stat, doubts []string) {
	for pid, s := range list {
		a := m.commands[pid]
		if a.gone || a.why == "" && !m.command.MatchString(a.text) {
			continue
		}
		v, doubt := m.cheap(s)
		switch {
		case a.why != "":
			doubts = append(doubts, a.why)
		case v == unknown:
			doubts = append(doubts, doubt)
		default:
			fits = append(fits, s)
		}
	}
	return fits, doubts
}

// unseen names what cannot be seen at all, where a rule would have to see it.
func (m *matcher) unseen() []string {
	if m.pid != 0 || m.rule.User != "" && m.uid == os.Geteuid() {
		return nil
	}
	if n := len(m.picture.Hidden); n > 0 {
		return []string{fmt.Sprintf("%d processes are not ours to look at (hidepid): run gpuci as root, or as a user of the group that may", n)}
	}
	if _, err := m.o.Proc.Stat(1); m.o.Proc == proc.Real && os.Geteuid() != 0 && errors.Is(err, proc.ErrGone) {
		return []string{"the processes of other users are not shown here (hidepid): run gpuci as root, or as a user of the group that may"}
	}
	return nil
}
