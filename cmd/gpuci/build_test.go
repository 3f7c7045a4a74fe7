package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
)

// makefile has n programs, each compiled and then linked.
func (s stage) makefile(t *testing.T, n int) {
	t.Helper()
	for _, tool := range []string{"make", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			needsTool(t, tool)
		}
	}
	all := "all:"
	for i := range n {
		s.write(t, fmt.Sprintf("m%d.c", i), "int main(void) { return 0; }\n")
		all += fmt.Sprintf(" m%d", i)
	}
	s.write(t, "Makefile", all+"\nm%: m%.o\n\tcc $< -o $@\nm%.o: m%.c\n\tcc -c $< -o $@\n")
}

// Every link of a make has a ticket and is counted, also below the build lock:
// that one covers no link.
func TestBuildLinks(t *testing.T) {
	s := newStage(t)
	s.makefile(t, 8)
	for _, args := range [][]string{
		{"build", "--", "make", "-j8"},
		{"lock", "run", "--", s.command(t).Path, "build", "--", "make", "-j20"},
	} {
		code, _, stderr := s.run(t, args...)
		if code != 0 || !strings.Contains(stderr, "gpuci: 8 links under tickets, none seen without; waited ") || !strings.Contains(stderr, "; io full ") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
		if out, err := exec.Command("sh", "-c", "rm -f "+s.dir+"/m?").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if left := s.tickets(t); len(left) != 0 {
		t.Errorf("left in the queue: %+v", left)
	}
}

// A build in a build gives its links to the outer one, which tells of them.
func TestBuildInBuild(t *testing.T) {
	s := newStage(t)
	s.makefile(t, 3)
	_, _, stderr := s.run(t, "build", "--", s.command(t).Path, "build", "--", "make")
	if n := strings.Count(stderr, "gpuci: 3 links under tickets, none seen without; waited "); n != 1 {
		t.Errorf("said %d times: %s", n, stderr)
	}
}

// While a link of ours waits for somebody else's, gpuci names the holder, once.
func TestBuildWaits(t *testing.T) {
	s := newStage(t)
	s.makefile(t, 2)
	ticket := s.hold(t, buildlock.Who{Lane: "kda-adjoint", Command: "cargo build --tests"})
	r := s.start(t, "waiting for the link lock, 1st in line", "build", "--", "make", "-j2")
	text := r.stderr.String()
	if !strings.Contains(text, "of 30m; held by lane kda-adjoint (pid ") || !strings.Contains(text, "cargo build --tests) since ") || !strings.Contains(text, ", io full ") {
		t.Errorf("said %q", text)
	}
	time.Sleep(600 * time.Millisecond) // room for a second line, which must not come
	if err := ticket.Release(); err != nil {
		t.Fatal(err)
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	text = r.stderr.String()
	if strings.Count(text, "waiting for") != 1 || !strings.Contains(text, "2 links under tickets, none seen without; waited ") {
		t.Errorf("said %q", text)
	}
}

// A link that waited too long is not run; the build fails, and gpuci says which
// and why.
func TestBuildWaitRunsOut(t *testing.T) {
	s := newStage(t)
	s.makefile(t, 1)
	s.write(t, "gpuci.toml", "build.wait = '100ms'\n")
	s.hold(t, buildlock.Who{Lane: "kda-adjoint"})
	code, _, stderr := s.run(t, "build", "--", "make")
	if code != 2 || !strings.Contains(stderr, "was not run: gave up waiting for the link lock") || !strings.Contains(stderr, "gpuci: 0 links under tickets, 1 not run, none seen without; waited 1") || !strings.Contains(stderr, "hint: gpuci lock status") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// serialize = "build" takes the build lock round the whole command.
func TestBuildSerialize(t *testing.T) {
	s := newStage(t)
	s.write(t, "gpuci.toml", "build.serialize = 'build'\n")
	r := s.start(t, "at work", "build", "--", "sh", "-c", blocking)
	if code, _, stderr := s.run(t, "lock", "run", "--no-wait", "--", "true"); code != 75 {
		t.Errorf("beside it: exit %d, %s", code, stderr)
	}
	if code := r.end(); code != 5 {
		t.Errorf("exit %d, want 5", code)
	}
	s.mustBeFree(t)
}

// The machine's file says how many links run at once; a workspace's lowers it
// for its own builds, by what their shims are told.
func TestBuildSettings(t *testing.T) {
	s := newStage(t)
	s.write(t, "../home/machine.toml", "links = 3\n")
	s.write(t, "gpuci.toml", "links = 2\nbuild.wait = '7m'\n")
	code, stdout, stderr := s.run(t, "build", "--", "sh", "-c", `echo $GPUCI_LINKS $GPUCI_WAIT "$GPUCI_LANE" $GPUCI_LOCK_DIR; [ -w $GPUCI_LINK_LOG ] && echo $GPUCI_LINK_LOG`)
	lines := strings.SplitN(stdout, "\n", 3)
	if want := "2 7m0s  " + s.locks; code != 0 || len(lines) != 3 || strings.Join(strings.Fields(lines[0]), " ") != strings.Join(strings.Fields(want), " ") {
		t.Fatalf("exit %d, %q, want %q; %s", code, stdout, want, stderr)
	}
	if want := filepath.Join("builds", "20"); !strings.Contains(lines[1], want) {
		t.Errorf("the journal is %s, not in a record of the build", lines[1])
	}
	if n, err := buildlock.Links(s.locks); n != 3 || err != nil {
		t.Errorf("the machine's number is %d, %v", n, err)
	}
}

// A second signal does not wait for a command that ignores the first; the end
// says what there was to say.
func TestBuildSignals(t *testing.T) {
	s := newStage(t)
	r := s.start(t, "ready", "build", "--", "sh", "-c", "trap '' TERM INT; echo $$ > pid; echo ready >&2; while :; do sleep 0.05; done")
	for range 2 {
		if err := r.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		r.stderr.hear(t, "stopping; once more ends it at once")
	}
	_ = r.Wait()
	if code := r.ProcessState.ExitCode(); code != 143 || !strings.Contains(r.stderr.String(), "gpuci: no link came to the shims, and none was seen past them") {
		t.Errorf("exit %d, %s", code, r.stderr.String())
	}
	if processRuns(s.pid(t, "pid")) {
		t.Error("the command is still alive")
	}
}

// A file that is wrong is an error, and nothing is run with settings that
// nobody meant.
func TestBuildBrokenFile(t *testing.T) {
	s := newStage(t)
	s.write(t, "gpuci.toml", "build.wiat = '1m'\n")
	if code, stdout, stderr := s.run(t, "build", "--", "echo", "ran"); code != 78 || stdout != "" || !strings.Contains(stderr, "wiat") {
		t.Errorf("exit %d, %q, %s", code, stdout, stderr)
	}
	// lock run does not read a workspace's file, but the machine's, which may
	// name the lock directory.
	if code, stdout, _ := s.run(t, "lock", "run", "--", "echo", "ran"); code != 0 || stdout != "ran\n" {
		t.Errorf("lock run: exit %d, %q", code, stdout)
	}
	s.write(t, "../home/machine.toml", "lock-dri = '/x'\n")
	if code, stdout, _ := s.run(t, "lock", "run", "--", "echo", "ran"); code != 78 || stdout != "" {
		t.Errorf("lock run: exit %d, %q", code, stdout)
	}
}

// The longest wait of a link is one number, wherever it stands.
func TestDefaultWait(t *testing.T) {
	cfg, err := config.Load(config.Sources{Workspace: os.DevNull})
	if err != nil || cfg.Build.Wait != buildlock.DefaultWait {
		t.Errorf("%s in gpuci.toml, %s in a shim, %v", cfg.Build.Wait, buildlock.DefaultWait, err)
	}
}
