package ci

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gpuci/ci/executor"
)

// shy is a cluster that at first cannot say what runs.
type shy struct {
	*simulated
	fails int
}

func (s *shy) Adopt(ctx context.Context, tasks []executor.Task) ([]executor.Task, error) {
	if s.fails--; s.fails >= 0 {
		return nil, errors.New("nobody answers")
	}
	return s.simulated.Adopt(ctx, tasks)
}

// TestAdoptAgain: what was handed over by a process before is taken up once it can be told
// what runs: a night would wait for ever for what nobody has taken up.
func TestAdoptAgain(t *testing.T) {
	var notes []string
	d := &dispatch{ex: &shy{newSimulated(t, 1), 1}, note: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }}
	never := d.adopt(t.Context(), []executor.Task{{Cookie: "one"}})
	if len(never) != 1 || len(notes) != 2 {
		t.Errorf("never handed over: %v; noted %q", never, notes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.ex = &shy{newSimulated(t, 1), 1000}
	if never = d.adopt(ctx, []executor.Task{{Cookie: "one"}}); len(never) > 0 {
		t.Errorf("stopped, it hands over %v", never)
	}
}
