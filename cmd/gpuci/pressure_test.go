package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/pressure"
)

// More work than processors is named as that.
func TestPressureCPUBound(t *testing.T) {
	needsPSI(t)
	s := realStage(t)
	busyLoops(t)
	code, stdout, stderr := s.run(t, "pressure", "--json")
	if _, d := processes(t, stdout); code != 0 || !slices.Contains(d.Causes, pressure.CPUBound) || !strings.Contains(d.Text, "; at work: ") {
		t.Errorf("exit %d, %+v, %s", code, d, stderr)
	}
	if !strings.Contains(stdout, `{"type":"busy",`) || !strings.Contains(stdout, `"name":"sh",`) {
		t.Errorf("no sh is among those at work: %s", stdout)
	}
	if _, stdout, _ := s.run(t, "pressure"); !strings.Contains(stdout, "CPU-bound: ") && !strings.Contains(stdout, " and CPU-bound: ") || !strings.Contains(stdout, "\nnext: ") || !strings.Contains(stdout, "\nat work: ") {
		t.Errorf("said %s", stdout)
	}
}

// Whose a process in D is: by where it works, where its program is from, and
// what it has open; of a removed directory too; and not by a name that begins
// alike.
func TestPressureWhose(t *testing.T) {
	s := realStage(t)
	main, kda := s.lanes(t)
	outside := filepath.Join(s.dir, "kda-not")
	gone := filepath.Join(kda, "gone")
	for _, dir := range []string{outside, gone, filepath.Join(kda, "target")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	plain, built := filepath.Join(outside, "writer"), filepath.Join(kda, "target", "ld")
	compileInD(t, plain)
	compileInD(t, built)
	output, err := os.Create(filepath.Join(main, "out.rlib"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	type want struct{ lane, dir string }
	wants := map[int]want{
		startInD(t, plain, kda):                 {"kda", kda},
		startInD(t, plain, gone):                {"kda", gone},
		startInD(t, plain, main):                {"main", main},
		startInD(t, built, "/"):                 {"kda", "/"},
		startInD(t, plain, "/", output):         {"main", "/"},
		startInD(t, plain, outside):             {"", outside},
		startInD(t, plain, filepath.Dir(s.dir)): {"", filepath.Dir(s.dir)},
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	at := s
	at.dir = main
	code, stdout, stderr := at.run(t, "pressure", "--json", "--for", "200ms")
	if code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	found, d := processes(t, stdout)
	if strings.Contains(d.Text, "writer") { // each of them waits for a child, and the disk is not to blame
		t.Errorf("the diagnosis names them: %s", d.Text)
	}
	for pid, w := range wants {
		if p := found[pid]; p.Lane != w.lane || p.Dir != w.dir || p.InD != p.Looks || p.Looks == 0 || p.NotDisk != (p.Waits != "") || p.Read == nil || p.Age < 0 {
			t.Errorf("pid %d: %+v, want %+v", pid, p, w)
		}
	}
	_, stdout, _ = at.run(t, "pressure", "--for", "200ms")
	for _, text := range []string{"  lane kda (" + kda + ")\n", "  lane main (" + main + ")\n", "  outside any lane, in " + outside + "\n"} {
		if !strings.Contains(stdout, text) {
			t.Errorf("%q is not in %s", text, stdout)
		}
	}
	// Outside of git there are no lanes, and that is said.
	if _, stdout, _ = s.run(t, "pressure", "--for", "200ms"); strings.Count(stdout, "(no lanes: this is no git worktree)") != 1 || !strings.Contains(stdout, "outside any lane, in "+kda+"\n") {
		t.Errorf("said %s", stdout)
	}
}

// Of a crowd the first are listed and the others counted.
func TestPressureCrowd(t *testing.T) {
	s := realStage(t)
	program := filepath.Join(s.dir, "ld.crowd") // nobody else has one
	compileInD(t, program)
	var pids []int
	for range perLane + 3 {
		pids = append(pids, startInD(t, program, s.dir))
	}
	_, stdout, _ := s.run(t, "pressure", "--for", "200ms")
	_, group, ok := strings.Cut(stdout, "  outside any lane, in "+s.dir+"\n")
	if !ok || strings.Count(group, "ld.crowd  pid ") != perLane || !strings.Contains(group, "    and 3 more\n") {
		t.Errorf("said %s", stdout)
	}
	_, stdout, _ = s.run(t, "pressure", "--for", "200ms", "--json")
	found, _ := processes(t, stdout)
	for _, pid := range pids {
		if _, ok := found[pid]; !ok {
			t.Errorf("pid %d is not in the JSON", pid)
		}
	}
}

// Of other users' processes it is said what cannot be seen, and who can.
func TestPressureOtherUsers(t *testing.T) {
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := realStage(t)
	program := filepath.Join(s.dir, "writer")
	compileInD(t, program)
	pid := startInD(t, program, s.dir)
	// The directory is there before another user looks.
	if out, err := s.command(t, "lock", "run", "--", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	look := s.command(t, "pressure", "--for", "200ms")
	cmd := exec.Command(as[0], slices.Concat(as[1:], look.Args)...)
	cmd.Dir, cmd.Env = "/", s.env
	code, stdout, stderr := runCommand(t, cmd)
	for _, text := range []string{
		"  not known whose: not ours to look at\n", "reads and writes unknown: not ours to read",
		"\nnot seen: the bytes of ", " of other users; root can\n", "\nnot seen: the lane of ", " in D; root can\n",
	} {
		if code != 0 || !strings.Contains(stdout, text) {
			t.Errorf("exit %d, no %q in %s%s", code, text, stdout, stderr)
		}
	}
	look = s.command(t, "pressure", "--for", "200ms", "--json")
	cmd = exec.Command(as[0], slices.Concat(as[1:], look.Args)...)
	cmd.Dir, cmd.Env = "/", s.env
	_, stdout, _ = runCommand(t, cmd)
	found, _ := processes(t, stdout)
	if p := found[pid]; p.User != "root" || p.Unknown != noIORight || p.NotDisk {
		t.Errorf("pid %d: %+v", pid, p)
	}
}
