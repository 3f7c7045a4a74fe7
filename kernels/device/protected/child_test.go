package protected

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// childVariable makes the test binary the process that a test needs.
const childVariable = "GPUCI_TEST_PROTECTED"

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "trainer":
		os.Exit(trainer())
	case "worker":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "look":
		os.Exit(look())
	}
}

// trainer starts a worker, opens the log that its second argument names, and
// writes every line of its input to it.
func trainer() int {
	self, err := os.Executable()
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	worker := exec.Command(self)
	worker.Env = append(os.Environ(), childVariable+"=worker")
	in, err := worker.StdinPipe()
	if err == nil {
		err = worker.Start()
	}
	log, lerr := os.Create(os.Args[2])
	if err = errors.Join(err, lerr); err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("up", worker.Process.Pid)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		_, err := fmt.Fprintln(log, lines.Text())
		fmt.Println("wrote", err)
	}
	_ = in.Close()
	_ = worker.Wait()
	return 0
}

// look prints what is found by the options of the first argument. It is no
// relative of the trainer: what a looker started itself is no run.
func look() int {
	var o Options
	err := json.Unmarshal([]byte(os.Args[1]), &o)
	found, ferr := Find(context.Background(), o)
	if err = errors.Join(err, ferr); err != nil {
		fmt.Println("error", err)
		return 1
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		return 1
	}
	return 0
}

// find looks from a process of its own.
func find(t *testing.T, o Options, wrap ...string) (found Look) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	argv := append(append([]string{}, wrap...), self, string(text))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), childVariable+"=look")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("look: %v: %s", err, out)
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("look: %v: %s", err, out)
	}
	return found
}

// training is a trainer under a test's hand.
type training struct {
	t           *testing.T
	token       string // stands in its command line
	log         string
	pid, worker int
	in          io.Writer
	out         *bufio.Reader
}

// train starts a trainer, which a program may be wrapped around.
func train(t *testing.T, wrap ...string) *training {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tr := &training{t: t, token: "train-" + filepath.Base(filepath.Dir(dir)) + "-" + strconv.Itoa(os.Getpid()), log: filepath.Join(dir, "run.log")}
	argv := append(wrap, self, tr.token, tr.log)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), childVariable+"=trainer")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	tr.pid, tr.in, tr.out = cmd.Process.Pid, in, bufio.NewReader(out)
	if tr.worker, err = strconv.Atoi(tr.hears("up ")); err != nil {
		t.Fatal(err)
	}
	return tr
}

func (tr *training) hears(prefix string) string {
	tr.t.Helper()
	line, err := tr.out.ReadString('\n')
	rest, ok := strings.CutPrefix(line, prefix)
	if err != nil || !ok {
		tr.t.Fatalf("the trainer said %q (%v), want %q", line, err, prefix)
	}
	return strings.TrimSpace(rest)
}

func (tr *training) writes(line string) {
	tr.t.Helper()
	if _, err := fmt.Fprintln(tr.in, line); err != nil {
		tr.t.Fatal(err)
	}
	tr.hears("wrote <nil>")
}
