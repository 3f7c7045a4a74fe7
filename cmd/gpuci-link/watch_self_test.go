//go:build linux

package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"
)

// script answers what family asks with what a test has written down.
type script struct {
	programs map[int]string
	dead     map[int]bool
}

func (s script) over(pid int) bool { return s.dead[pid] }

func (script) now() uint64 { return 25 }

func (s script) program(pid int) (string, error) {
	if base, ok := s.programs[pid]; ok {
		return base, nil
	}
	return "", os.ErrNotExist
}

// fork, exec and exit are events of whole processes.
func fork(at uint64, parent, child int) event {
	return event{kind: eventFork, at: at, parent: parent, pid: child, tid: child}
}
func execs(at uint64, pid int) event { return event{kind: eventExec, at: at, pid: pid, tid: pid} }
func exit(at uint64, pid int) event  { return event{kind: eventExit, at: at, pid: pid, tid: pid} }

func TestWatchFollowsFamily(t *testing.T) {
	const root = 1
	kernel := script{programs: map[int]string{2: "x86_64-linux-gnu-ld.bfd", 3: "gcc", 4: "mold", 6: "ld.lld", 9: "ld"}, dead: map[int]bool{6: true}}
	f := newFamily(root, kernel)
	for _, e := range []event{
		fork(1, 77, 9), execs(2, 9), // a stranger's
		fork(3, root, 3), execs(4, 3), fork(5, 3, 2), exit(6, 3), execs(7, 2), // an orphan's
		{kind: eventFork, at: 8, pid: 2, tid: 200}, exit(9, 2), {kind: eventExit, at: 10, pid: 2, tid: 200}, // whose thread outlives its first one
		fork(11, root, 4), execs(12, 4), fork(13, 4, 5), exit(14, 4), exit(15, 5), // mold and its child
		fork(16, root, 6), execs(17, 6), fork(18, root, 7), fork(19, 7, 2), execs(20, 2), exit(21, 6), // dead before its event
	} {
		f.see(e)
	}
	want := links{
		{pid: 2, tool: "x86_64-linux-gnu-ld.bfd", start: 7, end: 10},
		{pid: 4, tool: "mold", start: 12, end: 15}, {pid: 6, tool: "ld.lld", start: 17, end: 20},
	}
	if diff := cmp.Diff(want, f.done, cmp.AllowUnexported(link{}), cmpopts.IgnoreFields(link{}, "late")); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if len(f.open) != 1 {
		t.Errorf("open: %v; want the second ld only", f.open)
	}
	for _, e := range []event{fork(22, root, 8), execs(23, 8), exit(23+briefest-1, 8), fork(30, root, 8), execs(31, 8), exit(31+briefest, 8)} {
		f.see(e)
	}
	if want := (links{{pid: 8, tool: "unseen", start: 31, end: 31 + briefest}}); !slices.Equal(f.unseen, want) {
		t.Errorf("unseen: %v, want %v", f.unseen, want)
	}
}

// TestWatchSaysLost has the kernel drop events: it must never be silent.
func TestWatchSaysLost(t *testing.T) {
	c, err := dialConnector()
	if err != nil {
		noEvents(t, err)
	}
	defer func() { _ = c.close() }()
	if err := unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 1); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := exec.Command("true").Run(); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		if _, err = c.receive(); err != nil {
			break
		}
	}
	if !errors.Is(err, errLost) {
		t.Errorf("after an overflow: %v, want %v", err, errLost)
	}
}

// TestWatchFindsGapInNumbers: a message can also be lost where the kernel does
// not say so to this socket.
func TestWatchFindsGapInNumbers(t *testing.T) {
	c := &connector{last: make(map[uint32]uint32)}
	if err := c.whole([]event{{cpu: 0, seq: 4}, {cpu: 1, seq: 9}, {cpu: 0, seq: 5}, {cpu: noCPU}}); err != nil {
		t.Error(err)
	}
	if err := c.whole([]event{{cpu: 0, seq: 7}}); !errors.Is(err, errLost) {
		t.Errorf("a gap gave %v", err)
	}
}

// TestWatchSees20 is the baseline of field case 1: 20 linkers that wait for
// each other, in one bare build.
func TestWatchSees20(t *testing.T) {
	dir := lay(t, "gates")
	var gates []string
	for n := range 20 {
		gates = append(gates, filepath.Join(dir, "gate"+strconv.Itoa(n+1)))
		if err := unix.Mkfifo(gates[n], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := watch(t, "")
	made := begin(t, dir, os.Environ(), "make", "-j20")
	var files []*os.File
	for _, gate := range gates {
		files = append(files, reached(t, gate))
	}
	for _, f := range files {
		pass(t, f, "{ global: *; };")
	}
	made.wait(t)
	seen, _ := w.stop(t)
	if most, _ := seen.most(); most != 20 || len(seen) != 20 {
		t.Errorf("%d links, %d at once; want 20 of 20", len(seen), most)
	}
}

// TestWatchFollowsOrphans: a build that has left its parent and its session is
// seen with all its links.
func TestWatchFollowsOrphans(t *testing.T) {
	needTools(t, "make", "gcc", "setsid")
	dir := lay(t, "make")
	over := filepath.Join(dir, "over")
	if err := unix.Mkfifo(over, 0o600); err != nil {
		t.Fatal(err)
	}
	w := watch(t, "")
	begin(t, dir, bareEnv(), "sh", "-c", `setsid sh -c 'make -j8 >make.log 2>&1; echo $? >over' >/dev/null 2>&1 &`).wait(t)
	status, err := os.ReadFile(over)
	if err != nil || string(status) != "0\n" {
		t.Fatalf("make ended with %q, %v", status, err)
	}
	seen, unseen := w.stop(t)
	if want := made().links; len(seen) != want {
		t.Errorf("%d links, want %d; unseen: %v", len(seen), want, unseen)
	}
}

// TestConnector is what .ci/run asks: are there events here at all?
func TestConnector(t *testing.T) {
	c, err := dialConnector()
	if err != nil {
		noEvents(t, err)
	}
	_ = c.close()
}
