//go:build bench

package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a report of ten million launches may take.
const (
	aimReport = 5 * time.Second
	aimMemory = 300 << 20
	many10    = 10_000_000
)

// TestBenchReport prints what a report of 10 million launches takes, beside cat of the
// same files, and how much memory it has at most: 1,000 kernels, 21,427 launches a step;
// counts alone, and with times of the card, whose work is on two streams and ends out of order.
func TestBenchReport(t *testing.T) {
	t.Run("counts", func(t *testing.T) { benchReport(t, false) })
	t.Run("times", func(t *testing.T) { benchReport(t, true) })
}

func benchReport(t *testing.T, timed bool) {
	dir := t.TempDir()
	manyLaunches(t, dir, timed)
	var a, b, c []time.Duration
	high := uint64(0)
	for range 3 {
		began, cpu := time.Now(), processorTime()
		watched := make(chan bool)
		peak := make(chan uint64)
		go watchHeap(watched, peak)
		r := reportIn(t, dir, Counting{})
		if err := r.Text(io.Discard, Page{}); err != nil {
			t.Fatal(err)
		}
		a, c = append(a, time.Since(began)), append(c, processorTime()-cpu)
		close(watched)
		high = max(high, <-peak)
		if n := r.Processes[0].Whole[Launches]; n != many10 {
			t.Fatalf("%d launches", n)
		}
		if d := r.Processes[0].Device; timed && (d.Work != many10 || d.Untimed != 0 || d.Untied != 0 || d.Twice != 0) {
			t.Fatalf("%+v", d)
		}
		b = append(b, readAll(t, dir))
	}
	slices.Sort(a)
	slices.Sort(b)
	slices.Sort(c)
	t.Logf("10 million launches: %v (aim %v; %v of processors), cat %v, ratio %.1f; %.0f MiB of memory (aim %d MiB)", a[1].Round(time.Millisecond), aimReport, c[1].Round(time.Millisecond), b[1].Round(time.Millisecond), float64(a[1])/float64(b[1]), float64(high)/(1<<20), aimMemory>>20)
}

// processorTime is what this process took of the processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func watchHeap(done chan bool, peak chan uint64) {
	high := uint64(0)
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		high = max(high, m.Sys-m.HeapReleased)
		select {
		case <-done:
			peak <- high
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func readAll(t *testing.T, dir string) time.Duration {
	began := time.Now()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, f, make([]byte, 128<<10)); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	return time.Since(began)
}

// manyLaunches writes them as the forge does, and a file of 320 MB piece by piece; twice as
// long with times, beside one of 480 MB.
func manyLaunches(t *testing.T, dir string, timed bool) {
	f := newForge(t)
	var ids []uint32
	for i := range 1000 {
		ids = append(ids, f.kernel(fmt.Sprintf("_Z6kernel%dPfi", i), 1+i%64))
	}
	path := filepath.Join(dir, "4711-99")
	out, err := os.Create(path + ".events")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	f.head.Claimed = 1 << 40
	var card *streams
	if timed {
		card = newStreams(t, f, path)
		f.head.Timed = 1
	}
	writeHead(out, f)
	for i := range many10 {
		if step := i / 21427; i%21427 == 0 {
			if step > 0 {
				f.sync(time.Millisecond)
				f.pop()
			}
			f.push(fmt.Sprintf("step %d", step))
		}
		if timed {
			card.asks(i)
		}
		f.launch(ids[i%21427*7919%1000])
		f.wait(time.Duration(20+i%9) * time.Microsecond)
		for _, block := range f.blocks {
			_, _ = out.Write(block)
		}
		f.blocks = f.blocks[:0]
	}
	_, _ = out.Write(f.lanes[1])
	if timed {
		card.end()
	}
	if err := os.WriteFile(path+".names", []byte(strings.Join(f.lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeHead(out io.Writer, f *forge) {
	var head bytes.Buffer
	_ = binary.Write(&head, binary.LittleEndian, f.head)
	_, _ = out.Write(append(head.Bytes(), make([]byte, headSize-head.Len())...))
}

// streams are two of a card: a kernel in 16 is long and runs beside the others, behind which
// its record comes. Both clocks are read twice a second.
type streams struct {
	f     *forge
	t     *testing.T
	file  *os.File
	out   *bufio.Writer
	free  [2]time.Duration
	late  []Work
	clock time.Duration
}

func newStreams(t *testing.T, f *forge, path string) *streams {
	file, err := os.Create(path + ".device")
	if err != nil {
		t.Fatal(err)
	}
	return &streams{f: f, t: t, file: file, out: bufio.NewWriterSize(file, 1<<20)}
}

func (s *streams) asks(i int) {
	one := Work{Tie: s.f.ask(), Kind: Launch, Stream: uint32(7 + count(i%16 == 0)), Start: s.f.now + 5*time.Microsecond}
	of := &s.free[one.Stream-7]
	one.Start = max(one.Start, *of)
	one.End = one.Start + time.Duration(8+i%7)*time.Microsecond
	if one.Stream == 8 {
		one.End = one.Start + 90*time.Microsecond
	}
	*of = one.End
	for len(s.late) > 0 && s.late[0].End <= one.End {
		s.write(s.late[0])
		s.late = s.late[1:]
	}
	if one.Stream == 8 {
		s.late = append(s.late, one)
	} else {
		s.write(one)
	}
	if s.f.now-s.clock >= 500*time.Millisecond {
		s.clock = s.f.now
		both := s.f.workRecord(Work{Start: s.clock, End: s.clock + 50, Kind: pair})
		binary.LittleEndian.PutUint64(both[16:], s.f.head.Monotonic+uint64(s.clock)+25)
		_, _ = s.out.Write(both)
	}
}

func (s *streams) write(w Work) { _, _ = s.out.Write(s.f.workRecord(w)) }

func (s *streams) end() {
	for _, w := range s.late {
		s.write(w)
	}
	if err := errors.Join(s.out.Flush(), s.file.Close()); err != nil {
		s.t.Fatal(err)
	}
}
