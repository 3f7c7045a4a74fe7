package gates

import (
	"context"
	"errors"
	"sync"

	"gpuci/gates/history"
)

// Past is the workspace's history, opened when it is first needed: beside the
// gate, so that it costs the gate nothing. It rests while the gate runs: for
// hours nobody else could mend the database, or bring it to a newer form.
type Past struct {
	open func() (*history.Store, error)
}

// NewPast begins to open a history. It is to be closed. The end of ctx does not end
// that: what came of a gate is recorded though somebody pressed Ctrl-C.
func NewPast(ctx context.Context, o history.Options) *Past {
	ctx = context.WithoutCancel(ctx)
	opened := sync.OnceValues(func() (*history.Store, error) { return history.Open(ctx, o) })
	go func() {
		if s, err := opened(); err == nil {
			s.Rest() // the next to ask wakes it
		}
	}()
	return &Past{opened}
}

// Store waits until it is open.
func (p *Past) Store() (*history.Store, error) {
	if p == nil {
		return nil, errors.New("no history is kept here")
	}
	return p.open()
}

// Rest lets go of it until it is needed again.
func (p *Past) Rest() {
	if s, err := p.Store(); err == nil {
		s.Rest()
	}
}

// Close gives it back.
func (p *Past) Close() error {
	if p == nil {
		return nil
	}
	s, err := p.open()
	if err != nil {
		return nil // it was said when it was asked for
	}
	return s.Close()
}
