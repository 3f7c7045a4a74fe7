package reaper

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
)

// Field case 10: a person's shell at a terminal, in the lane, below a tool that
// leaked; and a tool that itself sits at one.
func TestSweepSparesATerminal(t *testing.T) {
	s := newStage(t)
	master, tty, err := pty.Open()
	if err != nil {
		needs(t, "a terminal: "+err.Error())
	}
	defer master.Close()
	defer tty.Close()
	setsid := lookPath(t, "setsid")
	shell := script(t, s, "shell", fmt.Sprintf("exec %s -c /bin/sh -c 'exec 3>&-; cat; exit' <%s >%s 2>&1", setsid, tty.Name(), tty.Name()))
	rustc := orphan(t, s.lane.Root, s.compiled(t, "spawner", "rustc"), shell)
	cat := childOf(t, rustc, "cat")
	endLater(t, cat)
	seated := script(t, s, "seated", fmt.Sprintf("exec %s -c %s 100 <%s", setsid, s.tool(t, "ld"), second(t)))
	ld := renamed(t, orphan(t, s.lane.Root, seated), "ld")
	ripe(t, cat)
	ripe(t, ld)
	p, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	leader := p.Processes[p.Processes[cat].Session]
	if leader.TTY == 0 || leader.Comm != "sh" || p.Processes[ld].TTY == 0 {
		t.Fatalf("%+v, %+v: nothing to test", leader, p.Processes[ld])
	}
	r := sweep(t, s.options())
	if len(r.Swept) != 1 || r.Swept[0].PID != rustc || !lives(t, leader.PID) || !lives(t, cat) || !lives(t, ld) {
		t.Errorf("%s: %+v", r, r.Swept)
	}
}

// second is the name of another terminal.
func second(t *testing.T) string {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close(); _ = tty.Close() })
	return tty.Name()
}

// Field case 10: a sweep that runs below an orphaned tool of its own lane, and
// is of the family itself by its name.
func TestSweepSparesItself(t *testing.T) {
	const inside = "REAPER_TEST_ITSELF"
	if out := os.Getenv(inside); out != "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Sweep(soon(t), Options{Lanes: []Lane{{Name: "kda", Root: root}}, Wanted: only("kda"), Rules: Rules{Floor: 1}})
		data, jerr := json.Marshal([]any{len(r.Swept), len(r.Survivors), fmt.Sprint(err)})
		if jerr != nil {
			t.Fatal(jerr)
		}
		if err := os.WriteFile(out+".part", data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(out+".part", out); err != nil {
			t.Fatal(err)
		}
		select {} // until it is ended, as those are whom it is below
	}
	s := newStage(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ld := filepath.Join(s.tools, "ld")
	if err := os.Symlink(self, ld); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(s.tools, "out")
	t.Setenv(inside, out)
	rustc := orphan(t, s.lane.Root, s.compiled(t, "spawner", "rustc"), ld, "-test.run=^TestSweepSparesItself$", "-test.timeout=60s")
	await(t, func() bool { _, err := os.Stat(out); return err == nil })
	data, err := os.ReadFile(out)
	if err != nil || string(data) != `[0,0,"\u003cnil\u003e"]` || !lives(t, rustc) {
		t.Errorf("%s, %v", data, err)
	}
	if r := sweep(t, s.options()); len(r.Swept) != 2 {
		t.Errorf("%s: and from outside both must go", r)
	}
}
