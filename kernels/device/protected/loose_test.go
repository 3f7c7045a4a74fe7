package protected

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Another gpuci that has a run's name in its arguments is no run; an editor is, and who
// reads of it is told how the rule is mended.
func TestFindLeavesGpuciOut(t *testing.T) {
	dir := t.TempDir()
	token := "loose-" + filepath.Base(filepath.Dir(dir)) + ".py"
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]int)
	for _, name := range []string{"gpuci", "vim"} {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("cp", "-L", sh, path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		cmd := exec.Command(path, "-c", "echo up; read x", name, token)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
			t.Fatalf("%s said %q: %v", name, line, err)
		}
		named[name] = cmd.Process.Pid
	}
	found := find(t, Options{Rules: []Rule{{Name: "loose", Command: token}}})
	if len(found.Runs) != 1 || found.Runs[0].Process.PID != named["vim"] {
		t.Fatalf("found %+v, want that of pid %d", found.Runs, named["vim"])
	}
	if hint := found.Runs[0].Hint(); !strings.Contains(hint, fmt.Sprintf("if pid %d (", named["vim"])) || !strings.Contains(hint, token) {
		t.Errorf("it is hinted: %q", hint)
	}
}

func TestLoose(t *testing.T) {
	for _, c := range []struct {
		pattern, line string
		want          bool
	}{
		{`train\.py`, "vim train.py", true}, {`train\.py`, "./train.py --fast", false}, {`python .*train\.py`, "/usr/bin/python -u train.py", false},
		{`^(\S*/)?python3? .*train\.py`, "python3 train.py", false}, {"", "vim x", false}, {"x", "vim", false},
	} {
		if got := loose(c.line, regexp.MustCompile(c.pattern)); got != c.want {
			t.Errorf("%q in %q: %t", c.pattern, c.line, got)
		}
	}
	long := "python " + strings.Repeat("x ", 300) + "train.py " + strings.Repeat("y ", 300)
	if got := around(long, regexp.MustCompile("train")); len(got) > maxCommand+10 || !strings.HasPrefix(got, "python ") || !strings.Contains(got, "train.py") {
		t.Errorf("%q", got)
	}
}
