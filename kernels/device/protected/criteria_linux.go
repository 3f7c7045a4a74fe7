package protected

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/reaper/proc"
)

// cheap holds a process against all of the rule but the command.
func (m *matcher) cheap(s proc.Stat) (v verdict, doubt string) {
	v = yes
	for _, is := range []func(proc.Stat) (verdict, string){m.byPID, m.byUser, m.byUnit, m.byCwd} {
		switch one, why := is(s); one {
		case no:
			return no, ""
		case unknown:
			v, doubt = unknown, fmt.Sprintf("pid %d (%s): %s", s.PID, s.Comm, why)
		}
	}
	return v, doubt
}

func is(fits bool) (verdict, string) {
	if fits {
		return yes, ""
	}
	return no, ""
}

func (m *matcher) byPID(s proc.Stat) (verdict, string) {
	return is(m.rule.PIDFile == "" || s.PID == m.pid)
}

func (m *matcher) byUser(s proc.Stat) (verdict, string) {
	if m.rule.User == "" {
		return yes, ""
	}
	st, err := m.o.Proc.Status(s.PID)
	switch {
	case errors.Is(err, proc.ErrGone):
		return no, ""
	case err != nil:
		return unknown, "its user cannot be read: " + err.Error()
	}
	return is(st.EUID == m.uid)
}

func (m *matcher) byUnit(s proc.Stat) (verdict, string) {
	if m.rule.Unit == "" {
		return yes, ""
	}
	unit, err := m.o.Proc.Unit(s.PID)
	switch {
	case errors.Is(err, proc.ErrGone):
		return no, ""
	case err != nil:
		return unknown, "its unit cannot be read: " + err.Error()
	}
	return is(unit == m.rule.Unit || unit == m.rule.Unit+".service")
}

func (m *matcher) byCwd(s proc.Stat) (verdict, string) {
	if m.rule.Cwd == "" {
		return yes, ""
	}
	cwd := m.picture.Cwd[s.PID]
	switch cwd.Answer {
	case proc.Unknown:
		return unknown, "its working directory cannot be read"
	case proc.None:
		return no, ""
	}
	return is(slices.ContainsFunc(m.cwds, func(dir string) bool {
		rel, err := filepath.Rel(dir, cwd.Path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
	}))
}
