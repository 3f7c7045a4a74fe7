package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuci/gates"
)

// binary builds the real gpuci once, with gpuci-link beside it as users have it:
// signals, terminals and memory are tested on it, from outside, and most scripts
// run it. suite removes it.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gpuci-test")
	if err != nil {
		return "", err
	}
	builtDir = dir
	if err := os.Chmod(dir, 0o755); err != nil { // another uid runs it too
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", dir+"/", ".", "../gpuci-link").CombinedOutput()
	if err != nil {
		err = &exec.Error{Name: "go build: " + string(out), Err: err}
	}
	return filepath.Join(dir, "gpuci"), err
})

// builtDir is where binary builds, "" before.
var builtDir string

// suite is the tests of this package, with what binary has built removed behind them.
type suite struct{ *testing.M }

func (s suite) Run() int {
	defer func() { _ = os.RemoveAll(builtDir) }()
	return s.M.Run()
}

// workspace is a directory with a gpuci.toml, outside git.
type workspace struct {
	dir, state string
	wrap       []string // a command line that gpuci's is appended to
}

func newWorkspace(t *testing.T, config string) workspace {
	t.Helper()
	w := workspace{dir: t.TempDir(), state: t.TempDir()}
	if err := os.WriteFile(filepath.Join(w.dir, "gpuci.toml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

// command is a gpuci in the workspace that has not been started.
func (w workspace) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(append(w.wrap, path), args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+w.state, "XDG_CONFIG_HOME="+w.state, "GPUCI_MACHINE_FILE=/dev/null",
		"GPUCI_PRESSURE="+pressureAt(t, filepath.Join(w.state, "pressure"), 0))
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// stored lists what matches a pattern in the state directory.
func (w workspace) stored(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(w.state, "gpuci", "*", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// verdict reads the one recorded verdict.
func (w workspace) verdict(t *testing.T) gates.Verdict {
	t.Helper()
	found := w.stored(t, "runs/*/verdict.json")
	if len(found) != 1 {
		t.Fatalf("want one recorded verdict, found %q", found)
	}
	return readVerdict(t, found[0])
}

func readVerdict(t *testing.T, path string) gates.Verdict {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v gates.Verdict
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// running is a gpuci whose gate has said that it is ready.
type running struct {
	*exec.Cmd
	out  bytes.Buffer
	rest chan string // stderr after the ready line
}

func (w workspace) start(t *testing.T, ready string, args ...string) *running {
	t.Helper()
	r := &running{Cmd: w.command(t, args...), rest: make(chan string, 1)}
	r.Stdout = &r.out
	stderr, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if lines.Text() == ready {
			go func() {
				var rest strings.Builder
				for lines.Scan() {
					rest.WriteString(lines.Text() + "\n")
				}
				r.rest <- rest.String()
			}()
			return r
		}
	}
	t.Fatalf("the gate never said %q", ready)
	return nil
}

// wait ends with gpuci's exit code and the rest of its stderr.
func (r *running) wait(t *testing.T) (code int, stderr string) {
	t.Helper()
	select {
	case stderr = <-r.rest:
	case <-time.After(longest):
		t.Fatal("gpuci did not end within a minute")
	}
	_ = r.Wait()
	return r.ProcessState.ExitCode(), stderr
}

// runPeak runs a command and returns the peak of its memory in KiB, without the
// pages of files, its program first: how many of those are there is for the page
// cache to say. It is read while the command runs: the ru_maxrss that wait4(2) gives
// begins with that of the process it was forked from, which is us.
func runPeak(cmd *exec.Cmd) (peak int, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	status := filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "status")
	done := make(chan struct{})
	read := make(chan int)
	go func() {
		best := 0
		for {
			select {
			case <-done:
				read <- best
				return
			case <-time.After(5 * time.Millisecond):
				best = max(best, ownMemory(status))
			}
		}
	}()
	err = cmd.Wait()
	close(done)
	return <-read, err
}

// ownMemory is the peak of a process so far, VmHWM, less what of files is mapped now,
// 0 when it has ended.
func ownMemory(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	kib := func(name string) int {
		_, after, ok := strings.Cut(string(text), name+":")
		if !ok {
			return 0
		}
		n, _ := strconv.Atoi(strings.Fields(after)[0])
		return n
	}
	return kib("VmHWM") - kib("RssFile")
}
