package proc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A real process with a name that looks like the rest of a stat line.
func TestStatOfNastyName(t *testing.T) {
	sleep, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	name := "a) Z\n1 (2 3)"
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, sleep, 0o755); err != nil {
		t.Fatal(err)
	}
	pid := settled(t, launch(t, exec.Command(path, "600")))
	s, err := Real.Stat(pid)
	if err != nil || s.Comm != name || s.PPID != os.Getpid() || s.State != 'S' {
		t.Errorf("got %+v, %v; want name %q", s, err, name)
	}
	p, err := Real.Scan(ScanOptions{Exe: true})
	if err != nil || p.Table[pid].Comm != name || p.Exe[pid].Path != path {
		t.Errorf("in a pass: got %+v, %+v, %v", p.Table[pid], p.Exe[pid], err)
	}
	if st, err := Real.Status(pid); err != nil || st.PID != pid || st.TGID != pid {
		t.Errorf("got %+v, %v", st, err)
	}
}

func TestZombie(t *testing.T) {
	pid := zombie(t)
	if s, err := Real.Stat(pid); err != nil || !s.Zombie() {
		t.Errorf("got %+v, %v", s, err)
	}
	for name, read := range map[string]func(int) (Place, error){"exe": Real.Exe, "cwd": Real.Cwd} {
		if p, err := read(pid); err != nil || p.Answer != None {
			t.Errorf("%s: got %+v, %v; want none", name, p, err)
		}
	}
	if _, err := Real.Namespaces(pid); !errors.Is(err, ErrGone) {
		t.Errorf("namespaces: got %v, want ErrGone", err)
	}
	if _, err := Real.Cmdline(soon(t), pid); !errors.Is(err, ErrGone) {
		t.Errorf("cmdline: got %v, want ErrGone", err)
	}
	id, err := Real.Identity(pid)
	if err != nil {
		t.Fatal(err)
	}
	if alive, err := Real.Alive(id); alive || err != nil {
		t.Errorf("alive: got %v, %v", alive, err)
	}
	if err := Real.Signal(id, unix.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("signal: got %v, want ErrGone", err)
	}
	p, err := Real.Scan(ScanOptions{Exe: true, Cwd: true})
	if err != nil || !p.Table[pid].Zombie() || p.Exe[pid].Answer != None || p.Cwd[pid].Answer != None {
		t.Errorf("in a pass: %+v, %+v, %+v, %v", p.Table[pid], p.Exe[pid], p.Cwd[pid], err)
	}
}

// A process whose first thread has ended shows Z, and is alive all the same.
func TestLeaderThatEnded(t *testing.T) {
	pid := launchReady(t, exec.Command(compiled(t, "leader")))
	until(t, pid, "shows Z", func(s Stat) bool { return s.State == 'Z' })
	s, err := Real.Stat(pid)
	if err != nil || s.Zombie() || s.Threads != 2 {
		t.Errorf("got %+v, %v; want two threads and no zombie", s, err)
	}
	readable(t, pid) // by way of the thread that goes on
	if ns, err := Real.Namespaces(pid); err != nil || ns.Mount == 0 {
		t.Errorf("namespaces: got %+v, %v", ns, err)
	}
	if p, err := Real.Scan(ScanOptions{Exe: true, Cwd: true}); err != nil || !p.Exe[pid].Known() || !p.Cwd[pid].Known() {
		t.Errorf("in a pass: %+v, %+v, %v", p.Exe[pid], p.Cwd[pid], err)
	}
	stdin, err := os.Open("/dev/null") // its standard input
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	found, _, err := Real.Holders(stdin)
	if err != nil || !slices.ContainsFunc(found, func(h Holder) bool { return h.Stat.PID == pid }) {
		t.Errorf("holders of /dev/null: %d, %v; want it among them", len(found), err)
	}
	if list, err := Real.Cmdline(soon(t), pid); err == nil || errors.Is(err, ErrGone) {
		t.Errorf("cmdline: got %q, %v; want neither a list nor ErrGone", list, err)
	}
	id, err := Real.Identity(pid)
	if err != nil {
		t.Fatal(err)
	}
	if alive, err := Real.Alive(id); !alive || err != nil {
		t.Errorf("alive: got %v, %v", alive, err)
	}
	if err := Real.Signal(id, unix.SIGKILL); err != nil {
		t.Errorf("signal: %v", err)
	}
	until(t, pid, "has ended", Stat.Zombie)
}

// A thread has an entry in /proc that no listing shows.
func TestThreadsAreNoProcesses(t *testing.T) {
	table, err := Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil || len(tasks) < 2 {
		t.Fatalf("%d threads, %v", len(tasks), err)
	}
	tried := 0
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		st, err := Real.Status(tid)
		if err != nil {
			continue // a thread may end
		}
		tried++
		if _, listed := table[tid]; listed != (st.PID == st.TGID) || st.TGID != os.Getpid() {
			t.Errorf("thread %d: listed %v, status %+v", tid, listed, st)
		}
	}
	if tried < 2 {
		t.Fatalf("only %d threads read", tried)
	}
}

// The process ends between two reads: a directory held open answers for it
// alone, a file opened before says so at the next read.
func TestGoneBetweenReads(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "600")
	pid := settled(t, launch(t, cmd))
	d, err := Real.process(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	fds, err := d.below("fd")
	if err != nil {
		t.Fatal(err)
	}
	defer fds.close()
	file, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()

	if _, err := file.Read(make([]byte, 10)); !errors.Is(gone(err), ErrGone) {
		t.Errorf("open file: got %v", err)
	}
	_, _, listErr := fds.numbers(0)
	_, placeErr := d.place("cwd")
	_, nsErr := d.namespaces()
	_, statErr := d.stat()
	_, programErr := d.program()
	for name, err := range map[string]error{"fd": listErr, "cwd": placeErr, "ns": nsErr, "stat": statErr, "exe": programErr} {
		if !errors.Is(err, ErrGone) {
			t.Errorf("%s: got %v, want ErrGone", name, err)
		}
	}
}
