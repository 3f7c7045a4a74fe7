//go:build bench

package trace

import (
	"bytes"
	"encoding/binary"
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
// same file, and how much memory it has at most: 1,000 kernels, 21,427 launches a step.
func TestBenchReport(t *testing.T) {
	dir := t.TempDir()
	manyLaunches(t, dir)
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
		b = append(b, readAll(t, filepath.Join(dir, "4711-99.events")))
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

func readAll(t *testing.T, path string) time.Duration {
	began := time.Now()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, f, make([]byte, 128<<10)); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// manyLaunches writes them as the forge does, and a file of 320 MB piece by piece.
func manyLaunches(t *testing.T, dir string) {
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
	var head bytes.Buffer
	_ = binary.Write(&head, binary.LittleEndian, f.head)
	_, _ = out.Write(append(head.Bytes(), make([]byte, headSize-head.Len())...))
	for i := range many10 {
		if step := i / 21427; i%21427 == 0 {
			if step > 0 {
				f.sync(time.Millisecond)
				f.pop()
			}
			f.push(fmt.Sprintf("step %d", step))
		}
		f.launch(ids[i%21427*7919%1000])
		f.wait(time.Duration(20+i%9) * time.Microsecond)
		for _, block := range f.blocks {
			_, _ = out.Write(block)
		}
		f.blocks = f.blocks[:0]
	}
	_, _ = out.Write(f.lanes[1])
	if err := os.WriteFile(path+".names", []byte(strings.Join(f.lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
