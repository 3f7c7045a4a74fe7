package buildlock

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
	"strings"
	"syscall"
	"testing"
	"time"
)

// childVariable makes the test binary the process a test needs.
const childVariable = "GPUCI_TEST_BUILDLOCK"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(childVariable); mode {
	case "":
		os.Exit(m.Run())
	case "holder":
		os.Exit(holder())
	case "usable":
		if err := Usable(os.Args[1]); errors.Is(err, ErrUnfit) {
			fmt.Println("unfit")
		} else if err == nil {
			fmt.Println("usable")
		}
	case "cards":
		os.Exit(cardHolder())
	case "reserve":
		os.Exit(reserver())
	case "heart":
		os.Exit(heart())
	default:
		fmt.Println("no such child:", mode)
		os.Exit(3)
	}
}

// order is what a holder is told on its command line.
type order struct {
	Dir   string
	Lock  Lock
	Wait  time.Duration
	Who   Who
	Links int    // set first, when not 0
	Keep  string // a shell command to execute with the ticket kept
}

// holder acquires, says so, and obeys: "release" releases, "exit" ends without
// releasing, "exec" becomes the shell command of Keep.
func holder() int {
	var o order
	if err := json.Unmarshal([]byte(os.Args[1]), &o); err != nil {
		fmt.Println("error", err)
		return 3
	}
	if o.Links > 0 {
		if err := SetLinks(o.Dir, o.Links); err != nil {
			fmt.Println("error", err)
		}
	}
	marks := os.Getenv("GPUCI_TICKETS")
	t, err := Acquire(context.Background(), Options{
		Dir: o.Dir, Lock: o.Lock, Wait: o.Wait, Who: o.Who, Marks: marks,
		Waiting: func(l Line) { fmt.Println("waiting", l) },
	})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("got", t.ID, t.Passed)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "release":
			err := t.Release()
			fmt.Println("released", err)
		case "exec":
			if err := t.Keep(); err != nil {
				fmt.Println("error", err)
				return 1
			}
			env := append(os.Environ(), "GPUCI_TICKETS="+t.Mark(marks))
			err := syscall.Exec("/bin/sh", []string{"sh", "-c", o.Keep}, env)
			fmt.Println("error", err)
		case "exit":
			return 0
		}
	}
	return 0
}

// child is a holder under a test's hand.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts a holder; it does not wait for what it says.
func start(t *testing.T, o order, wrap ...string) *child {
	t.Helper()
	return startAs(t, "holder", o, wrap...)
}

// startAs starts the test binary as one of the children it can be.
func startAs(t *testing.T, mode string, o any, wrap ...string) *child {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(wrap, self, string(text))
	c := &child{t: t, cmd: exec.Command(argv[0], argv[1:]...)}
	c.cmd.Env = append(os.Environ(), childVariable+"="+mode)
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.end)
	return c
}

// end makes sure that the child is gone. It ends only what was started here.
func (c *child) end() {
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_ = c.in.Close()
		_, _ = io.Copy(io.Discard, c.out)
		_ = c.cmd.Wait()
	}
}

func (c *child) say(word string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, word); err != nil {
		c.t.Fatal(err)
	}
}

// hears reads the next line, which must begin as said.
func (c *child) hears(prefix string) string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, prefix) {
		c.t.Fatalf("child said %q (%v), want %q…", line, err, prefix)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, prefix))
}

// kill ends the child with SIGKILL and collects it.
func (c *child) kill() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	_ = c.cmd.Wait()
}

// lockDir is a lock directory of the test's own.
func lockDir(t *testing.T, links int) string {
	t.Helper()
	dir := publicDir(t) + "/locks"
	if err := SetLinks(dir, links); err != nil {
		t.Fatal(err)
	}
	return dir
}

// publicDir is a directory of the test's own that every user can reach.
func publicDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// needs skips the test where something is missing, and fails it where nothing
// may be missing.
func needs(t *testing.T, have bool, what string) {
	t.Helper()
	switch {
	case have:
	case os.Getenv("GPUCI_TEST_STRICT") == "1":
		t.Fatalf("needs %s", what)
	default:
		t.Skipf("needs %s", what)
	}
}

// take acquires at once or fails the test.
func take(t *testing.T, o Options) *Ticket {
	t.Helper()
	k, err := Acquire(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Release() })
	return k
}

// mustWait fails the test when the lock can be had.
func mustWait(t *testing.T, o Options) *BusyError {
	t.Helper()
	o.Wait = 0
	k, err := Acquire(context.Background(), o)
	if err == nil {
		_ = k.Release()
		t.Fatalf("ticket %s was granted; somebody holds the lock", k.ID)
	}
	busy, ok := err.(*BusyError)
	if !ok {
		t.Fatalf("Acquire: %v, want a BusyError", err)
	}
	return busy
}

// soon repeats a look until it is satisfied; a test that never is fails.
func soon(t *testing.T, what string, look func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if look() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}
