package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// statusText is a status file of a process with an awkward name.
const statusText = "Name:\ta\\nPid:\\t1\n" + `Umask:	0022
State:	D (disk sleep)
Tgid:	12
Ngid:	0
Pid:	12
PPid:	1
TracerPid:	44
Uid:	1000	0	1000	1000
Gid:	100	5	100	100
Groups:	
NSpid:	12	3
VmHWM:	    2048 kB
SomethingNew:	a b c
Threads:	7
SigQ:	0/96364
SigPnd:	0000000000000000
ShdPnd:	0000000000000100
SigBlk:	0000000000010000
SigIgn:	0000000000000001
SigCgt:	8000000000004002
`

func TestParseStatus(t *testing.T) {
	got, err := ParseStatus([]byte(statusText))
	want := Status{
		PID: 12, TGID: 12, UID: 1000, EUID: 0, GID: 100, EGID: 5, Tracer: 44, Threads: 7, NSPID: []int{12, 3},
		PeakRSS: 2 << 20, SharedPending: 1 << 8, Ignored: 1, Caught: 1<<63 | 1<<14 | 1<<1,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if !got.SharedPending.Has(unix.SIGKILL) || !got.Ignored.Has(unix.SIGHUP) || !got.Caught.Has(unix.SIGTERM) || !got.Caught.Has(64) {
		t.Errorf("sets: %+v", got)
	}
	for _, sig := range []unix.Signal{0, -1, 65, unix.SIGINT} {
		if got.SharedPending.Has(sig) || SigSet(1<<63).Has(sig) {
			t.Errorf("signal %d is in a set without it", sig)
		}
	}
}

// A set that was not read must not look like an empty one.
func TestParseStatusRefuses(t *testing.T) {
	for _, key := range []string{"Pid", "Tgid", "TracerPid", "Uid", "Gid", "Threads", "SigPnd", "ShdPnd", "SigIgn", "SigCgt"} {
		text := strings.Replace(statusText, "\n"+key+":", "\nx"+key+":", 1)
		if got, err := ParseStatus([]byte(text)); err == nil {
			t.Errorf("without %s: got %+v, want an error", key, got)
		}
	}
	for _, line := range []string{"Uid:\t1", "Pid:", "SigPnd:\txyz", "SigIgn:", "VmHWM:\t12 MB", "VmHWM:\t-1 kB", "NSpid:\t1 b"} {
		if got, err := ParseStatus([]byte(line + "\n" + statusText)); err == nil {
			t.Errorf("%q: got %+v, want an error", line, got)
		}
	}
}

func TestStatusOfRealProcesses(t *testing.T) {
	s, err := Real.Status(os.Getpid())
	if err != nil || s.PID != os.Getpid() || s.UID != os.Getuid() || s.EUID != os.Geteuid() || s.EGID != os.Getegid() {
		t.Errorf("got %+v, %v", s, err)
	}
	if s.Threads < 2 || s.PeakRSS < 1<<20 || len(s.NSPID) == 0 || !s.Caught.Has(unix.SIGURG) {
		t.Errorf("got %+v; a Go program has threads, memory and a handler for SIGURG", s)
	}
	pid := settled(t, launch(t, exec.Command("/bin/sh", "-c", `trap "" HUP; exec sleep 600`)))
	until(t, pid, "is sleep", func(s Stat) bool { return s.Comm == "sleep" })
	if s, err := Real.Status(pid); err != nil || !s.Ignored.Has(unix.SIGHUP) || s.Ignored.Has(unix.SIGTERM) {
		t.Errorf("got %+v, %v; want SIGHUP ignored", s, err)
	}
}

// A stopped process keeps a signal pending until it is continued.
func TestPendingSignal(t *testing.T) {
	pid := sleeper(t)
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, pid, "is stopped", func(s Stat) bool { return s.State == 'T' })
	if err := unix.Kill(pid, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if s, err := Real.Status(pid); err != nil || !s.SharedPending.Has(unix.SIGTERM) {
		t.Errorf("got %+v, %v; want SIGTERM pending", s, err)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte(statusText))
	f.Add([]byte("Pid:\t1\nVmHWM:\t\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseStatus(data)
		if err == nil && !strings.Contains(string(data), "ShdPnd:") {
			t.Errorf("%q gave %+v without its signals", data, s)
		}
	})
}
