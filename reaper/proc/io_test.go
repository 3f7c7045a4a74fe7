package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

const ioText = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\nnew: x\n"

func TestParseIO(t *testing.T) {
	got, err := ParseIO([]byte(ioText))
	if diff := cmp.Diff(IO{Read: 1, Written: 2, Fetched: 5, Sent: 6, Cancelled: 7}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"", strings.Replace(ioText, "wchar", "w", 1), strings.Replace(ioText, " 7", " x", 1), strings.Replace(ioText, " 1", " -1", 1)} {
		if got, err := ParseIO([]byte(text)); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// A shell that reads a known amount through a child it waits for, and then
// spends some time: both are found at the top of the tree.
func TestTreeUsageOfARealTree(t *testing.T) {
	script := `head -c 5000000 /dev/zero >/dev/null; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep 600 & echo ready; wait`
	cmd := exec.Command("/bin/sh", "-c", script)
	pid := launchReady(t, cmd)
	t.Cleanup(func() {
		table, _ := Real.Table()
		for _, s := range table.Below(pid) {
			_ = unix.Kill(s.PID, unix.SIGKILL)
		}
	})
	table, err := Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	u := Real.TreeUsage(table, pid, pid, 1<<30)
	if u.Processes != 2 || len(u.Unread) != 0 || u.IO.Read < 5000000 || u.CPU <= 0 {
		t.Errorf("got %+v; want two processes, 5 MB read and some CPU", u)
	}
	for _, s := range table.Below(pid) {
		_ = unix.Kill(s.PID, unix.SIGKILL)
	}
	_ = cmd.Wait()
	after := Real.TreeUsage(table, pid)
	if len(after.Unread) != 2 || !errors.Is(after.Unread[0].Err, ErrGone) || after.CPU != u.CPU {
		t.Errorf("got %+v; want the CPU of the table and two that are gone", after)
	}
}

func TestTreeUsageFixtures(t *testing.T) {
	child := strings.Replace(line(13, "y"), "S 7 ", "S 12 ", 1)
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x"), "io": ioText}},
		"13": {files: map[string]string{"stat": child, "io": ioText}},
		"14": {files: map[string]string{"stat": line(14, "z"), "io": ioText}},
	})
	table, err := root.Table()
	if err != nil {
		t.Fatal(err)
	}
	want := TreeUsage{Processes: 2, CPU: CPUTime(2 * (120 + 34)), IO: IO{Read: 2, Written: 4, Fetched: 10, Sent: 12, Cancelled: 14}}
	if diff := cmp.Diff(want, root.TreeUsage(table, 12, 13)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWaitChannelAndStack(t *testing.T) {
	pid := sleeper(t)
	if unix.Geteuid() != 0 {
		needs(t, "root")
	}
	until(t, pid, "waits in nanosleep", func(Stat) bool {
		text, err := Real.WaitChannel(pid)
		return err == nil && strings.Contains(text, "nanosleep")
	})
	stack, err := Real.KernelStack(pid)
	if errors.Is(err, fs.ErrNotExist) {
		needs(t, "CONFIG_STACKTRACE")
	}
	if err != nil || !slices.ContainsFunc(stack, func(f string) bool { return strings.Contains(f, "nanosleep") }) {
		t.Errorf("got %q, %v; want a nanosleep in it", stack, err)
	}
}

func TestWaitFixtures(t *testing.T) {
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x"), "wchan": "do_wait\n", "stack": "[<0>] a+0x1/0x2\n[<0>] b.c+0x1/0x2\nrubbish\n"}},
		"13": {files: map[string]string{"stat": line(13, "x"), "wchan": "0"}},
	})
	if got, err := root.WaitChannel(12); got != "do_wait" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := root.WaitChannel(13); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := root.KernelStack(12); err != nil || !slices.Equal(got, []string{"a", "b.c"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := root.KernelStack(13); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v; a kernel without stacks is no process that ended", err)
	}
}

func TestNamespaces(t *testing.T) {
	self, other := os.Getpid(), sleeper(t)
	if same, err := Real.SameNamespaces(self, other); !same || err != nil {
		t.Errorf("got %v, %v of our own child", same, err)
	}
	root := fixtureRoot(t, map[string]fixture{
		"1": {files: map[string]string{"stat": line(1, "a")}, links: map[string]string{"ns/mnt": "mnt:[7]", "ns/pid": "pid:[8]"}},
		"2": {files: map[string]string{"stat": line(2, "b")}, links: map[string]string{"ns/mnt": "mnt:[7]", "ns/pid": "pid:[9]"}},
		"3": {files: map[string]string{"stat": line(3, "c")}, links: map[string]string{"ns/mnt": "mnt:7", "ns/pid": "pid:[9]"}},
	})
	if ns, err := root.Namespaces(1); err != nil || ns != (Namespaces{Mount: 7, PID: 8}) {
		t.Errorf("got %+v, %v", ns, err)
	}
	if same, err := root.SameNamespaces(1, 2); same || err != nil {
		t.Errorf("got %v, %v; the pid namespaces differ", same, err)
	}
	for _, pair := range [][2]int{{1, 3}, {3, 1}, {1, 9}, {9, 1}} {
		if same, err := root.SameNamespaces(pair[0], pair[1]); same || err == nil {
			t.Errorf("%v: got %v, %v; want an error", pair, same, err)
		}
	}
}

func FuzzParseIO(f *testing.F) {
	f.Add([]byte(ioText))
	f.Add([]byte("rchar:"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := ParseIO(data); err != nil && got != (IO{}) {
			t.Errorf("%q: %+v beside an error", data, got)
		}
	})
}

func FuzzParseStack(f *testing.F) {
	f.Add("[<0>] proc_pid_stack+0xb1/0x150\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range parseStack(text) {
			if strings.ContainsAny(name, "+\n") {
				t.Errorf("%q: %q", text, name)
			}
		}
	})
}

func FuzzParseNamespace(f *testing.F) {
	f.Add("mnt", "mnt:[4026531841]")
	f.Add("pid", "pid:[]")
	f.Fuzz(func(t *testing.T, kind, text string) {
		if id, err := parseNamespace(kind, text); err != nil && id != 0 {
			t.Errorf("%q: %d beside an error", text, id)
		}
	})
}
