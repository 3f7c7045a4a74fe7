package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestCmdlineAndEnviron(t *testing.T) {
	long := strings.Repeat("x", 100<<10) // more than one read of cat's
	args := []string{"sh", "-c", "sleep 600; :", "", "two words", "new\nline", long, long, ""}
	cmd := exec.Command("/bin/sh")
	cmd.Args, cmd.Env = args, []string{"COOKIE=a b", "EMPTY=", "LINES=1\n2"}
	pid := launch(t, cmd)
	until(t, pid, "waits for its child", func(s Stat) bool {
		table, err := Real.Table()
		return err == nil && slices.ContainsFunc(table.Below(pid), func(c Stat) bool { return c.Comm == "sleep" })
	})
	table, err := Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	child := table.Below(pid)[0]
	t.Cleanup(func() {
		if p, err := os.FindProcess(child.PID); err == nil {
			_ = p.Kill()
		}
		for ctx := soon(t); ctx.Err() == nil; time.Sleep(time.Millisecond) { // its shell reaps it, else we inherit it
			if _, err := Real.Stat(child.PID); err != nil {
				return
			}
		}
	})
	got, err := Real.Cmdline(soon(t), pid)
	if err != nil || !slices.Equal(got, args) {
		t.Errorf("got %d arguments, %v; want %d as given", len(got), err, len(args))
	}
	env, err := Real.Environ(soon(t), pid)
	if err != nil || !slices.Equal(env, cmd.Env) {
		t.Errorf("got %q, %v; want %q", env, err, cmd.Env)
	}
	none := exec.Command("/bin/sleep", "600")
	none.Env = []string{}
	empty, err := Real.Environ(soon(t), settled(t, launch(t, none)))
	if err != nil || len(empty) != 0 {
		t.Errorf("got %q, %v; want an empty environment", empty, err)
	}
}

// A program that executes another one all the time never gives a mixture.
func TestCmdlineOfAChangingProcess(t *testing.T) {
	a := strings.Repeat("a", 200<<10/2)
	script := `if [ "$1" = A ]; then exec /bin/sh "$0" B "$3" "$2"; else exec /bin/sh "$0" A "$3" "$2"; fi`
	path := t.TempDir() + "/turn"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	pid := launch(t, exec.Command("/bin/sh", path, "A", a, "b"))
	whole := 0
	for ctx := soon(t); whole < 20 && ctx.Err() == nil; {
		got, err := Real.Cmdline(ctx, pid)
		if errors.Is(err, ErrPartial) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		whole++
		if len(got) != 5 || len(got[3])+len(got[4]) != len(a)+1 || got[2] != "A" && got[2] != "B" {
			t.Fatalf("a mixture: %d arguments, %.40q", len(got), got)
		}
	}
	if whole == 0 {
		t.Fatal("not one reading was whole")
	}
}

func TestCmdlineNeedsADeadline(t *testing.T) {
	if got, err := Real.Cmdline(context.Background(), os.Getpid()); err == nil {
		t.Errorf("got %q without a deadline", got)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	if got, err := Real.Cmdline(late, os.Getpid()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %q, %v; the deadline is over", got, err)
	}
}

// lists is the stat of a process whose lists begin and end at one address, and whose
// code begins at another.
func lists(pid, code int) string {
	return fmt.Sprintf("%d (x) R 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 50000 1000000 100 0 %d%s 8192 8192 8192 8192 0\n", pid, code, strings.Repeat(" 0", 21))
}

func TestCmdlineFixtures(t *testing.T) {
	kernel := "13 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 30 0 0 20 0 1 0 2 0 0"
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x"), "cmdline": "a\x00\x00b\x00"}, links: map[string]string{"exe": "/bin/sh"}},
		"16": {files: map[string]string{"stat": line(16, "x"), "cmdline": "a\x00cut"}, links: map[string]string{"exe": "/bin/sh"}},
		"17": {files: map[string]string{"stat": lists(17, 0), "cmdline": ""}, links: map[string]string{"exe": "/bin/sh"}},
		"18": {files: map[string]string{"stat": lists(18, 4096), "cmdline": ""}, links: map[string]string{"exe": "/bin/sh"}},
		"13": {files: map[string]string{"stat": kernel, "cmdline": ""}},
		"14": {files: map[string]string{"stat": line(14, "x"), "cmdline": ""}}, // ending: no program any more
		"15": {files: map[string]string{"stat": line(15, "x")}, links: map[string]string{"exe": "/bin/sh"}},
	})
	if got, err := root.Cmdline(soon(t), 12); err != nil || !slices.Equal(got, []string{"a", "", "b"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := root.Cmdline(soon(t), 13); err != nil || len(got) != 0 {
		t.Errorf("a kernel thread: got %q, %v", got, err)
	}
	if got, err := root.Cmdline(soon(t), 14); !errors.Is(err, ErrGone) {
		t.Errorf("a process without memory: got %q, %v", got, err)
	}
	if got, err := root.Cmdline(soon(t), 15); err == nil {
		t.Errorf("an unreadable file: got %q", got)
	}
	if got, err := root.Cmdline(soon(t), 17); !errors.Is(err, ErrPartial) {
		t.Errorf("a program that is just being started: got %q, %v", got, err)
	}
	if got, err := root.Cmdline(soon(t), 18); err != nil || len(got) != 0 {
		t.Errorf("one without arguments: got %q, %v", got, err)
	}
	if got, err := root.Cmdline(soon(t), 16); !errors.Is(err, ErrPartial) {
		t.Errorf("a list that was cut: got %q, %v", got, err)
	}
}

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		data       string
		start, end uint64
		args, want bool
	}{
		{"a\x00b\x00", 100, 104, true, true},
		{"a\x00b\x00", 100, 104, false, true},
		{"a\x00", 100, 104, false, false},           // an environment that was cut
		{"a\x00b", 100, 110, true, false},           // arguments that were cut
		{"nginx: worker\x00", 100, 110, true, true}, // a title longer than the arguments
		{"sh\x00", 100, 110, true, true},            // and a shorter one
		{"nginx: wor", 100, 200, true, false},       // a title that was cut
		{"", 100, 100, false, true},                 // env -i
		{"", 0, 0, false, false},                    // a program is being started
		{"", 0, 0, true, false},
		{"a\x00b\x00", 0, 0, true, true}, // another user's
		{"a\x00b", 0, 0, true, false},
	} {
		if got := whole([]byte(c.data), c.start, c.end, c.args); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func FuzzSplitNUL(f *testing.F) {
	f.Add([]byte("a\x00b\x00"))
	f.Add([]byte("a\x00\x00"))
	f.Add([]byte("nginx: worker"))
	f.Add([]byte(line(1, "x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if start, end := listBounds(data, "environ"); start != 0 && !bytes.Contains(data, []byte(strconv.FormatUint(end, 10))) {
			t.Errorf("%q: %d to %d", data, start, end)
		}
		joined := []byte(strings.Join(splitNUL(data), "\x00"))
		if !bytes.Equal(joined, bytes.TrimSuffix(data, []byte{0})) {
			t.Errorf("%q came back as %q", data, joined)
		}
	})
}
