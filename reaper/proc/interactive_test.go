package proc

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// playInteractive is a gpuci at somebody's terminal: it starts an interactive
// command, lets the command have Ctrl-C and Ctrl-Z, and passes its exit on.
func playInteractive() {
	signal.Ignore(syscall.SIGINT) // the command's business
	signal.Reset(syscall.SIGTSTP)
	p, err := Start(context.Background(), Command{
		Argv: []string{"bash", "-c", `echo ready; read -r line < /dev/tty; echo "got $line"; [ -t 0 ] && echo "a terminal"`},
		Dir:  "/", Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Interactive: true,
		NoLeaf: os.Getenv("PROC_TEST_NOLEAF") != "",
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	<-p.Done()
	p.End(Limits{Settle: time.Second}, nil)
	os.Exit(p.Exit().Code)
}

// An interactive command keeps the terminal: it can ask for a passphrase on
// /dev/tty, and Ctrl-Z stops it together with us, as a shell expects of a job.
func TestInteractive(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bothWays(t, func(t *testing.T, c Command) {
		// With -m bash gives each job a process group and the terminal; a
		// stopped job ends its first command, and fg goes on with it.
		cmd := exec.Command("bash", "-mc", `"$0"; echo "stopped $?"; fg > /dev/null; echo "ended $?"`, self)
		cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=interactive")
		if c.NoLeaf {
			cmd.Env = append(cmd.Env, "PROC_TEST_NOLEAF=1")
		}
		terminal, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer terminal.Close()
		defer func() { _ = cmd.Process.Kill() }()
		lines := bufio.NewReader(terminal)
		press := func(text string) {
			if _, err := terminal.WriteString(text); err != nil {
				t.Fatal(err)
			}
		}
		want(t, lines, "ready")
		press("\x1a")                 // Ctrl-Z
		want(t, lines, "stopped 148") // 128 and SIGTSTP
		press("secret\n")
		want(t, lines, "got secret")
		want(t, lines, "a terminal")
		want(t, lines, "ended 0")
		_ = cmd.Wait()
	})
}

// want reads lines until one ends with the text.
func want(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if strings.HasSuffix(strings.TrimSpace(line), text) {
			return
		}
		if err != nil {
			t.Fatalf("no %q: %v", text, err)
		}
	}
}
