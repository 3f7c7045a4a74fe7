package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childEnv tells the test binary what child to be; its arguments follow, by
// newlines.
const childEnv = "GPUCI_TEST_HISTORY_CHILD"

func TestMain(m *testing.M) {
	if words := strings.Split(os.Getenv(childEnv), "\x1f"); words[0] != "" {
		jobs := map[string]func([]string) error{"record": recordJob, "hold": holdJob, "other": otherJob, "migrate": migrateJob, "fill": fillJob, "time": timeJob}
		if err := jobs[words[0]](words[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is this test binary at another job.
type child struct {
	*exec.Cmd
	lines *bufio.Scanner
	stdin interface{ Close() error }
	err   strings.Builder
}

// command is not started yet.
func command(t *testing.T, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(words, "\x1f"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func start(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{Cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &c.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.stdin, c.lines = in, bufio.NewScanner(out)
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return c
}

// line is the next line of the child.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the child said nothing more: %v, %s", c.Wait(), c.err.String())
	}
	return c.lines.Text()
}

// rest is what it says until it ends, or was killed.
func (c *child) rest() (lines []string, err error) {
	for c.lines.Scan() {
		lines = append(lines, c.lines.Text())
	}
	return lines, c.Wait()
}

// recordJob records results with ids of a prefix, so many or without end (0),
// opening the history for so many each time, and says each id when it is kept.
func recordJob(args []string) error {
	ctx := context.Background()
	count, _ := strconv.Atoi(args[2])
	each, _ := strconv.Atoi(args[3])
	for i := 0; count == 0 || i < count; {
		s, err := Open(ctx, Options{State: args[0], Wait: time.Minute, Note: func(text string) { fmt.Fprintln(os.Stderr, text) }})
		if err != nil {
			return err
		}
		for k := 0; k < each && (count == 0 || i < count); k++ {
			r := result(fmt.Sprintf("%s-%d", args[1], i))
			if err := s.Record(ctx, r); err != nil {
				return err
			}
			fmt.Println(r.Run)
			i++
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// holdJob has the history open until its input ends.
func holdJob(args []string) error {
	s, err := Open(context.Background(), Options{State: args[0]})
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
	return s.Close()
}

// result is a result like that of a real gate.
func result(run string) Result {
	last := 3.5e-7
	return Result{
		Run: run, Gate: "adjoint", Lane: "kda", Root: "/src/kda", Outcome: "green", Started: time.Date(2026, 3, 4, 5, 6, 7, 89_000, time.UTC),
		Seconds: 12.5, Commit: "c0ffee", Branch: "main", Config: "ab12", Profile: "debug", Backend: "cuda", Card: "H200",
		Metrics: []Metric{
			{Metric: "worst-rel", Labels: "term=d_g", Count: 4, Low: 1e-7, High: 6.3e-7, Last: &last},
			{Metric: "bwd", Unit: "ms", Count: 1, Low: 2.25, High: 2.25},
		},
	}
}

// timeJob does so many records, or files of 4 KiB, and says what each took, in
// nanoseconds. A gate opens the history for its one result.
func timeJob(args []string) error {
	count, _ := strconv.Atoi(args[3])
	for i := range count {
		began := time.Now()
		name := fmt.Sprintf("%s-%d", args[2], i)
		var s *Store
		var err error
		if args[0] == "file" {
			path := args[1] + "/" + name
			err = errors.Join(os.WriteFile(path+".part", make([]byte, 4096), 0o644), os.Rename(path+".part", path))
		} else {
			if s, err = Open(context.Background(), Options{State: args[1], Note: func(text string) { fmt.Fprintln(os.Stderr, text) }}); err != nil {
				return err
			}
			began = time.Now()
			err = s.Record(context.Background(), result(name))
		}
		took := time.Since(began)
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		if err != nil {
			return err
		}
		fmt.Println(took.Nanoseconds())
	}
	return nil
}
