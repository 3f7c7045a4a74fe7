package pressure

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// needs skips a test that cannot run here, and fails it where that counts.
func needs(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s", what)
	}
	t.Skipf("needs %s", what)
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The numbers of field case 3, and a cpu file as it was before Linux 5.13.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"cpu":    "some avg10=3.00 avg60=2.00 avg300=1.00 total=7\n",
		"io":     "some avg10=70.10 avg60=60.00 avg300=20.00 total=2000000\nfull avg10=63.64 avg60=50.00 avg300=10.00 total=1000001\n",
		"memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	})
	got := Read(dir)
	if got.Time.IsZero() {
		t.Error("the reading has no time")
	}
	if got.IRQ.Unknown == nil {
		t.Error("a kernel without irq pressure knows it")
	}
	got.Time, got.IRQ = time.Time{}, Resource{}
	want := Reading{
		CPU: Resource{Some: &Level{3, 2, 1, 7 * time.Microsecond}},
		IO: Resource{
			Some: &Level{70.1, 60, 20, 2 * time.Second},
			Full: &Level{63.64, 50, 10, time.Second + time.Microsecond},
		},
		Memory: Resource{Some: &Level{}, Full: &Level{}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// What is not known is never 0, and says why.
func TestUnknown(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"cpu": "some avg10=3.00 avg60=2.0",
		"io":  "",
	})
	got := Read(dir)
	for _, c := range []struct {
		name string
		r    Resource
		say  string
	}{
		{"torn", got.CPU, "torn"},
		{"empty", got.IO, "torn"},
		{"missing", got.Memory, "CONFIG_PSI"},
	} {
		if c.r.Some != nil || c.r.Full != nil || c.r.Unknown == nil || !strings.Contains(c.r.Unknown.Error(), c.say) {
			t.Errorf("%s: %+v, want unknown and %q", c.name, c.r, c.say)
		}
	}
	if !errors.Is(got.Memory.Unknown, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", got.Memory.Unknown)
	}
}

// The files of a cgroup, and interrupts; beside it that of a machine are none.
func TestReadCgroup(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"cpu.pressure": whole, "io.pressure": whole, "memory.pressure": whole, "irq.pressure": interrupts, "io": "nonsense",
	})
	got := ReadCgroup(dir)
	want, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Resource{"cpu": got.CPU, "io": got.IO, "memory": got.Memory} {
		if !cmp.Equal(want, r) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if got.IRQ.Some != nil || got.IRQ.Full == nil || got.IRQ.Full.Avg10 != 0.25 || got.IRQ.Unknown != nil {
		t.Errorf("irq: %+v", got.IRQ)
	}
	if r := Read(dir); r.CPU.Unknown == nil || r.IO.Unknown == nil {
		t.Errorf("as a machine: %+v", r)
	}
}

// A real cgroup knows of its own members only.
func TestReadCgroupReal(t *testing.T) {
	group := ownGroup(t)
	before := ReadCgroup(group)
	if before.CPU.Some == nil || before.CPU.Some.Total != 0 || before.IO.Full == nil || before.Memory.Full == nil {
		t.Fatalf("with nobody in it: %+v", before)
	}
	stallCPU(t, group)
	for ReadCgroup(group).CPU.Some.Total == 0 {
		time.Sleep(time.Millisecond)
	}
	span := Between(before, ReadCgroup(group))
	if !(span.CPU.Some.Value > 0 && span.CPU.Some.Value <= 1) || !span.IO.Full.Known || span.Length() <= 0 {
		t.Errorf("with two loops on a processor: %+v", span)
	}
}

// What only one of two readings knows is unknown of the time between them.
func TestBetween(t *testing.T) {
	at := time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
	level := func(d time.Duration) *Level { return &Level{Total: d} }
	before := Reading{
		Time: at, CPU: Resource{Some: level(0)}, IO: Resource{Some: level(time.Second), Full: level(0)},
		Memory: Resource{Unknown: fs.ErrPermission}, IRQ: Resource{Full: level(time.Second)},
	}
	after := Reading{
		Time: at.Add(4 * time.Second), CPU: Resource{Some: level(time.Second), Full: level(0)},
		IO: Resource{Some: level(4 * time.Second), Full: level(0)}, Memory: Resource{Some: level(time.Second)},
		IRQ: Resource{Full: level(3 * time.Second)},
	}
	want := Span{
		From: at, To: at.Add(4 * time.Second), CPU: Shares{Some: Share{0.25, true}},
		IO: Shares{Share{0.75, true}, Share{0, true}}, IRQ: Shares{Full: Share{0.5, true}},
	}
	got := Between(before, after)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got.Length() != 4*time.Second || got.IO.Some.Percent() != 75 {
		t.Errorf("length %v, %v %%", got.Length(), got.IO.Some.Percent())
	}
}

func TestReadMemory(t *testing.T) {
	m, err := ReadMemory(RealMemory)
	if err != nil || m.Total <= 0 || m.Available <= 0 || m.Available > m.Total || m.SwapFree > m.SwapTotal {
		t.Errorf("of this machine: %+v, %v", m, err)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"torn": meminfo[:20]})
	if _, err := ReadMemory(filepath.Join(dir, "torn")); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "torn")) {
		t.Errorf("a torn file: %v", err)
	}
	if _, err := ReadMemory(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A FIFO in a file's place is unknown too, and nobody waits for a writer.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "io"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Read(dir).IO; got.Unknown == nil || got.Full != nil {
		t.Errorf("got %+v", got)
	}
}

// The kernel's own files, where it has them: what was waited never goes back.
func TestReal(t *testing.T) {
	before := Read(Real)
	if errors.Is(before.IO.Unknown, fs.ErrNotExist) || errors.Is(before.IO.Unknown, unix.EOPNOTSUPP) {
		needs(t, "PSI: "+before.IO.Unknown.Error())
	}
	after := Read(Real)
	for name, pair := range map[string][2]Resource{
		"cpu": {before.CPU, after.CPU}, "io": {before.IO, after.IO}, "memory": {before.Memory, after.Memory},
	} {
		b, a := pair[0], pair[1]
		if b.Unknown != nil || a.Unknown != nil || b.Some == nil || a.Some == nil {
			t.Errorf("%s: %+v, then %+v", name, b, a)
			continue
		}
		share, ok := Stall(b.Some, a.Some, after.Time.Sub(before.Time))
		if !ok || share < 0 || share > 1 {
			t.Errorf("%s: stall %v, %v", name, share, ok)
		}
	}
}

func TestStall(t *testing.T) {
	at := func(d time.Duration) *Level { return &Level{Total: d} }
	for _, c := range []struct {
		before, after *Level
		wall          time.Duration
		want          float64
		ok            bool
	}{
		{at(time.Second), at(3 * time.Second), 8 * time.Second, 0.25, true},
		{at(time.Second), at(time.Second), time.Second, 0, true},
		{at(0), at(time.Second), 999 * time.Millisecond, 1, true},
		{at(2), at(1), time.Second, 0, false},
		{at(1), at(2), 0, 0, false},
		{nil, at(2), time.Second, 0, false},
		{at(1), nil, time.Second, 0, false},
	} {
		if got, ok := Stall(c.before, c.after, c.wall); got != c.want || ok != c.ok {
			t.Errorf("Stall(%v, %v, %v) = %v, %v, want %v, %v", c.before, c.after, c.wall, got, ok, c.want, c.ok)
		}
	}
}
