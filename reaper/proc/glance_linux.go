package proc

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// glanceTime is how long a reading in our own name is waited for, which takes 20 us.
const glanceTime = 300 * time.Millisecond

// glancing are the processes whose command line a thread of ours still waits for: no
// second thread is lost to the same one.
var glancing = struct {
	sync.Mutex
	at map[key]bool
}{at: make(map[key]bool)}

// Glance reads the argument list of the process that s tells of in our own name, a
// hundred times faster than Cmdline does with a child. It returns after 300 ms at most,
// or when ctx ends. The thread that reads may hang for as long as the process does, and
// nothing ends it: it is not begun for one in D, nor while an earlier one hangs there,
// so that a target costs one thread at most.
//
// ok says that there is a list, and that it is whole: two readings were the same, and
// the pid was the same process's after them. Where it is false nothing is known, and
// Cmdline is to be asked.
func (r Root) Glance(ctx context.Context, s Stat) (args []string, ok bool) {
	if s.State == 'D' || ctx.Err() != nil || !beginGlance(s.key()) {
		return nil, false
	}
	got := make(chan []byte, 1)
	go func() {
		got <- r.glance(s)
		endGlance(s.key())
	}()
	ctx, cancel := context.WithTimeout(ctx, glanceTime)
	defer cancel()
	select {
	case data := <-got:
		return splitNUL(data), len(data) > 0
	case <-ctx.Done():
		return nil, false
	}
}

// beginGlance says whether a reading may begin: none of the same process hangs.
func beginGlance(k key) bool {
	glancing.Lock()
	defer glancing.Unlock()
	if glancing.at[k] {
		return false
	}
	glancing.at[k] = true
	return true
}

func endGlance(k key) {
	glancing.Lock()
	defer glancing.Unlock()
	delete(glancing.at, k)
}

// glance reads the list twice, and gives nil where the readings differ (one that is
// being given its program shows a part of it) or tell of another process.
func (r Root) glance(s Stat) []byte {
	d, err := r.process(s.PID)
	if err != nil {
		return nil
	}
	defer d.close()
	one, err := d.readAll("cmdline")
	if err != nil {
		return nil
	}
	two, err := d.readAll("cmdline")
	if err != nil || !bytes.Equal(one, two) {
		return nil
	}
	if after, err := d.stat(); err != nil || after.Start != s.Start {
		return nil
	}
	return two
}
