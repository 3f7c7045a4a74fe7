package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// Whose linker holds a ticket is seen by whose child it is, also where its open
// files are not to be seen; of another one nobody knows.
func TestLockStatusOtherUsers(t *testing.T) {
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := newStage(t)
	ld, script, let := s.slowLink(t)
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	// The directory is there before another user looks, whichever case comes first.
	if out, err := s.command(t, "lock", "run", "--", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	status := s.command(t, "lock", "status")
	look := func(args ...string) string {
		cmd := exec.Command(as[0], slices.Concat(as[1:], status.Args, args)...)
		cmd.Dir, cmd.Env = "/", s.env
		code, stdout, stderr := runCommand(t, cmd)
		if code != 0 {
			t.Errorf("exit %d, %s", code, stderr)
		}
		return stdout
	}
	shims := d.Environ(s.env, shim.Values{LockDir: s.locks})
	for name, c := range map[string]struct {
		argv    []string
		unknown bool
	}{
		"a linker's own ticket": {[]string{"ld", "-T", script}, false},
		"its compiler's":        {[]string{"cc", "-B" + filepath.Dir(ld) + "/", "-nostdlib", "x.o", "-T", script}, false},
		"none":                  {[]string{ld, "-T", script}, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := linking(t, s, script, shims, c.argv...)
			pid := linkerOf(t, p)
			text, lines := look(), look("--json")
			_, unknown, _ := strings.Cut(text, "linkers of other users, ticket unknown (root can see): ")
			if strings.Contains(unknown, fmt.Sprintf("pid %d ", pid)) != c.unknown {
				t.Errorf("pid %d in %s", pid, text)
			}
			if strings.Contains(lines, fmt.Sprintf(`"pid":%d,"state":"S","ticket":"unknown"`, pid)) != c.unknown {
				t.Errorf("pid %d in %s", pid, lines)
			}
			let()
			<-p.Done()
		})
	}
}

// linkerOf is the pid of the linker of a build.
func linkerOf(t *testing.T, p *proc.Process) int {
	t.Helper()
	members, _ := p.Members()
	for _, m := range members {
		if _, ok := links.IsLinker(m); ok {
			return m.PID
		}
	}
	t.Fatal("there is no linker")
	return 0
}
