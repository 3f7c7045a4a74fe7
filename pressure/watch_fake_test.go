package pressure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fakeMachine is a directory of files such as the kernel's, of a machine whose
// disk is stalled or not.
type fakeMachine struct {
	dir     string
	stalled atomic.Bool
}

const quiet = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"

func newFakeMachine(t *testing.T) *fakeMachine {
	t.Helper()
	m := &fakeMachine{dir: t.TempDir()}
	write(t, m.dir, map[string]string{"cpu": quiet, "io": quiet, "memory": quiet})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	go func() {
		defer close(ended)
		m.run(ctx)
	}()
	return m
}

func (m *fakeMachine) run(ctx context.Context) {
	var total time.Duration
	for last := time.Now(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		now := time.Now()
		if m.stalled.Load() {
			total += now.Sub(last)
		}
		last = now
		text := strings.ReplaceAll(quiet, "total=0", fmt.Sprintf("total=%d", total.Microseconds()))
		if os.WriteFile(filepath.Join(m.dir, "new"), []byte(text), 0o644) != nil ||
			os.Rename(filepath.Join(m.dir, "new"), filepath.Join(m.dir, "io")) != nil {
			return
		}
	}
}
