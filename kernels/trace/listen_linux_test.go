package trace

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// TestListen: what is written on a busy machine was written between the two times that are
// said of it, and so it is just where a wait ends by itself.
func TestListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 * runtime.NumCPU() {
		busy := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { cancel(); _ = busy.Wait() }()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	type write struct{ from, to time.Time }
	var writes []write
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer w.Close()
		next := time.Now()
		for i := range 40 {
			next = next.Add(recheck + time.Duration(i%5-1)*time.Millisecond)
			time.Sleep(time.Until(next))
			one := write{from: time.Now()}
			_, _ = w.Write([]byte{1})
			one.to = time.Now()
			writes = append(writes, one)
			next = one.from
		}
	}()
	var all []Came
	l := Listen(r)
	defer l.Close()
	for {
		n, came, err := l.Read(make([]byte, 100))
		for range n {
			all = append(all, came)
		}
		if err != nil {
			break
		}
	}
	<-done
	if len(all) != len(writes) {
		t.Fatalf("%d came of %d", len(all), len(writes))
	}
	known, late := 0, 0
	for i, w := range writes {
		c := all[i]
		if c.To.Before(w.from) {
			t.Errorf("%d: it is said to have been written %v before it was", i, w.from.Sub(c.To))
		}
		if c.From.Sub(w.to) > rough { // the machine's own host may have taken the processor away
			late++
		}
		if c.To.Sub(c.From) <= rough {
			known++
		}
	}
	t.Logf("of %d it is known when they were written", known)
	if 2*late > len(writes) {
		t.Errorf("%d of %d are said to have been written after they were", late, len(writes))
	}
}
