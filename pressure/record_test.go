package pressure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Between two steps of a fake machine everything moves on, by known amounts.
func TestRecord(t *testing.T) {
	machine, leafA, leafB, stat := t.TempDir(), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "stat")
	const far = time.Hour // waited in a step, of whatever length: all of it
	text := func(n int) string {
		return strings.ReplaceAll(quiet, "total=0", fmt.Sprintf("total=%d", (time.Duration(n)*far).Microseconds()))
	}
	turn := func(n int) {
		write(t, machine, map[string]string{"cpu": text(0), "io": text(n), "memory": text(n)})
		write(t, leafA, map[string]string{"cpu.pressure": text(0), "io.pressure": text(n), "memory.pressure": text(0)})
		write(t, leafB, map[string]string{"cpu.pressure": text(0), "io.pressure": text(0), "memory.pressure": text(0)})
		ticks := fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 0 0 0\ncpu0 1\ncpu1 1\nintr 7\n", 1000+30*n, 500+10*n)
		write(t, filepath.Dir(stat), map[string]string{"stat": ticks})
	}
	turn(0)
	ctx, cancel := context.WithCancel(t.Context())
	// The leaf at the ends of the steps, the first included.
	leaves, looks := []string{leafA, leafA, leafB, leafB, "", ""}, 0
	var got Timeline
	err := Record(ctx, RecordOptions{
		Root: machine, Every: time.Millisecond, stat: stat,
		Leaf:  func() string { looks++; return leaves[looks-1] },
		CPU:   func() (time.Duration, error) { return time.Duration(looks) * far, nil },
		Waits: func() bool { return looks == 3 },
		Sink: func(p Point) {
			got = append(got, p)
			if turn(len(got)); len(got) == len(leaves)-1 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Errorf("Record = %v", err)
	}
	if len(got) != len(leaves)-1 {
		t.Fatalf("%d steps", len(got))
	}
	full, none := Share{1, true}, Share{0, true}
	for i, p := range got {
		// What moves is written in the sink, so the first step sees no change.
		moved := full
		if i == 0 {
			moved = none
		}
		own := []Shares{{none, none}, {}, {none, none}, {}, {}}[i]
		want := Point{
			Time: p.Time, Length: p.Length, CPU: Shares{none, none}, IO: Shares{moved, moved}, Memory: Shares{moved, moved},
			OwnIO: own, OwnCPU: full, Waiting: i == 1,
		}
		if i > 0 {
			want.Busy = Share{0.75, true}
			if !p.Time.Add(-p.Length).Equal(got[i-1].Time) {
				t.Errorf("step %d is of the %v before %v, step %d ended at %v", i, p.Length, p.Time, i-1, got[i-1].Time)
			}
		}
		if p != want {
			t.Errorf("step %d:\n got %+v\nwant %+v", i, p, want)
		}
	}
}

// A context that is over already gives the one step at the end, or none.
func TestRecordEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	first := func() (time.Duration, error) { cancel(); return 0, nil } // it ends while its beginning is looked at
	_ = Record(ctx, RecordOptions{Root: t.TempDir(), Every: time.Hour, CPU: first, Sink: func(Point) { n++ }})
	if n != 1 {
		t.Errorf("a run shorter than a step gave %d", n)
	}
	_ = Record(ctx, RecordOptions{Root: t.TempDir(), Sink: func(Point) { n++ }})
	if n != 1 {
		t.Errorf("a run that was over before it began gave %d", n-1)
	}
}

// What cannot be told is unknown at every step, and told at the end.
func TestRecordUnknown(t *testing.T) {
	machine := t.TempDir()
	write(t, machine, map[string]string{"cpu": quiet, "io": quiet, "memory": quiet})
	record := func(o RecordOptions) (p Point, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		o.Every = time.Millisecond
		o.Sink = func(got Point) { p = got; cancel() }
		err = Record(ctx, o)
		return p, err
	}
	missing := filepath.Join(machine, "missing")
	p, err := record(RecordOptions{Root: missing, stat: missing})
	if err == nil || !strings.Contains(err.Error(), "nothing is known") {
		t.Errorf("of no machine: %v", err)
	}
	if want := (Point{Time: p.Time, Length: p.Length}); p != want {
		t.Errorf("of no machine: %+v", p)
	}
	if _, err := record(RecordOptions{Root: machine, Leaf: func() string { return missing }}); err != nil {
		t.Errorf("the leaf of a command that has ended: %v", err)
	}
	if _, err := record(RecordOptions{Root: machine, Leaf: func() string { return machine }}); err == nil || !strings.Contains(err.Error(), "own pressure") {
		t.Errorf("a leaf without pressure: %v", err)
	}
	left := time.Hour
	backwards := func() (time.Duration, error) { left -= time.Second; return left, nil }
	if p, _ := record(RecordOptions{Root: machine, CPU: backwards}); p.OwnCPU.Known {
		t.Errorf("a sum that goes back: %+v", p)
	}
	broken := func() (time.Duration, error) { return 0, errors.New("no idea") }
	if p, _ := record(RecordOptions{Root: machine, CPU: broken}); p.OwnCPU.Known {
		t.Errorf("a sum that is not known: %+v", p)
	}
}

// A step of this machine, with a leaf at work.
func TestRecordReal(t *testing.T) {
	group := ownGroup(t)
	startLoad(t, group, ":")
	ctx, cancel := context.WithCancel(t.Context())
	var got Timeline
	err := Record(ctx, RecordOptions{
		Every: shortest,
		Leaf:  func() string { return group },
		CPU:   processCPU,
		Sink: func(p Point) {
			if got = append(got, p); len(got) == 3 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Errorf("Record = %v", err)
	}
	for _, p := range got {
		for name, s := range map[string]Share{
			"io full": p.IO.Full, "cpu some": p.CPU.Some, "memory full": p.Memory.Full,
			"own io full": p.OwnIO.Full, "own cpu": p.OwnCPU, "busy": p.Busy,
		} {
			if !s.Known || s.Value < 0 || s.Value > 1 {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if p.Busy.Value == 0 {
			t.Errorf("a loop is at work, and nobody is busy: %+v", p)
		}
	}
}

func processCPU() (time.Duration, error) {
	var u unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
