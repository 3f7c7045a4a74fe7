package verify

import (
	"context"
	"strings"
	"sync"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// CUDA runs programs on a card, of cubins that were compiled before, by package cuda.
type CUDA struct {
	Cubins  []cuda.Cubin
	Sources string // directory of the .cu files, for findings that name them
	Shown   string // the same, as messages name it; "": Sources
	Options cuda.Options

	ask    sync.Once
	device cuda.Device
	err    error
}

// card asks what the card is, once.
func (c *CUDA) card(ctx context.Context) (cuda.Device, error) {
	c.ask.Do(func() { c.device, c.err = cuda.Ask(ctx, c.Options) })
	return c.device, c.err
}

// Name implements [Backends].
func (c *CUDA) Name() string { return OnCUDA }

// Tool implements [Backends]: "nvcc-13.0", as the cubins say. Where there is no card the
// error wraps [cuda.ErrNoCard].
func (c *CUDA) Tool(ctx context.Context) (string, error) {
	if _, err := c.card(ctx); err != nil {
		return "", err
	}
	return cuda.Toolkit(c.Cubins), nil
}

// Sight implements [Backends]. A card runs threads in its own order, and tells of an
// output that nobody wrote, an input that somebody did, and a write just beyond a buffer.
func (c *CUDA) Sight() Sight {
	word := func(s string) string { return strings.Join(strings.Fields(s), "-") }
	return Sight{
		Numbers:  []launch.Kind{launch.Unwritten, launch.Rewritten, launch.OutOfBounds},
		Counters: []Counter{{"card", word(c.device.Name)}, {"arch", c.device.Arch}, {"driver", c.device.Driver}},
	}
}

// Build implements [Backends]: it chooses the cubins that suit the card.
func (c *CUDA) Build(ctx context.Context, p Program) (launch.Backend, error) {
	device, err := c.card(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := cuda.Choose(c.Cubins, p.Sources, device.Arch)
	if err != nil {
		return nil, err
	}
	o := c.Options
	if p.Look != Numbers {
		o.Tool = cuda.Tool(p.Look)
	}
	program, err := cuda.New(chosen, o)
	if err != nil {
		return nil, err
	}
	shown := c.Shown
	if shown == "" {
		shown = c.Sources
	}
	return placed{Backend: program, dir: c.Sources, shown: shown}, nil
}

// measurer is a backend that tells what a job took.
type measurer interface {
	Measure(ctx context.Context, job launch.Job, timing *cuda.Timing, back ...string) (cuda.Measured, error)
}

// Measure passes on to a backend that can.
func (p placed) Measure(ctx context.Context, job launch.Job, timing *cuda.Timing, back ...string) (cuda.Measured, error) {
	m, err := p.Backend.(measurer).Measure(ctx, job, timing, back...)
	p.place(m.Result.Findings)
	return m, err
}
