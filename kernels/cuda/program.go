package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gpuci/kernels/launch"
)

// Program is kernels in cubins, ready to run on a card. It implements launch.Backend.
type Program struct {
	o      Options
	cubins []Cubin
}

// New is a program of these cubins, which must have been chosen for the card.
func New(cubins []Cubin, o Options) (*Program, error) {
	if o.Program == "" || len(cubins) == 0 {
		return nil, errors.New("make CUDA program: the path of gpuci-cuda and at least one cubin are required")
	}
	return &Program{o, cubins}, nil
}

// Name is how outcomes name the backend.
func (p *Program) Name() string { return "cuda" }

// Run runs a job in a process of its own. Its order of threads is the card's: Order is
// ignored, and two runs are two runs of the same.
func (p *Program) Run(ctx context.Context, job launch.Job) (launch.Result, error) {
	a, err := p.ask(ctx, job, nil, nil)
	return a.result, err
}

// Measured is what a job took.
type Measured struct {
	Device Device
	Result launch.Result // only the buffers that were asked for
	Memory Memory
	Times  []Times
	Copied *Copy
	Equal  int // sets of buffers whose results were the first run's bits after the last sample
}

// Measure runs a job for its memory, and with timing for its times too. Of its buffers
// those named come back, and at least one is to be.
func (p *Program) Measure(ctx context.Context, job launch.Job, timing *Timing, back ...string) (Measured, error) {
	a, err := p.ask(ctx, job, timing, back)
	if err != nil {
		return Measured{Result: a.result}, err
	}
	if a.memory == nil || a.device == nil || timing != nil && len(a.times) == 0 {
		return Measured{}, errors.New("measure on the card: gpuci-cuda did not say what was asked; build it again with gpuci")
	}
	return Measured{*a.device, a.result, *a.memory, a.times, a.copied, a.equal}, nil
}

// ask has a job run, and turns what came of it into a result or an error.
func (p *Program) ask(ctx context.Context, job launch.Job, timing *Timing, back []string) (answers, error) {
	if err := job.Check(); err != nil {
		return answers{}, err
	}
	if err := fit(job, p.cubins); err != nil {
		return answers{}, fmt.Errorf("run kernels on the card: %w", err)
	}
	r := RequestOf(job)
	r.Timing, r.Return, r.Bare = timing, back, p.o.Tool != ""
	for _, c := range p.cubins {
		r.Cubins = append(r.Cubins, c.Path)
	}
	a, err := p.o.call(ctx, r)
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		limit.Kernels = kernelsOf(job)
	}
	if err != nil {
		return a, fmt.Errorf("run kernels on the card: %w", err)
	}
	return a, nil
}

func kernelsOf(job launch.Job) (names []string) {
	for _, l := range job.Launches {
		if !slices.Contains(names, l.Kernel) {
			names = append(names, l.Kernel)
		}
	}
	return names
}

// Ask says what the card is that jobs will run on. A program that gives no answer is none
// of ours, which wraps ErrNoProgram.
func Ask(ctx context.Context, o Options) (Device, error) {
	o.Tool = ""
	a, err := o.call(ctx, Request{Version: Version, Ask: true})
	if err == nil && a.device == nil {
		err = errors.New("gpuci-cuda did not name one; build it again with gpuci")
	}
	if errors.As(err, new(*strangerError)) {
		err = fmt.Errorf("%w as gpuci-cuda at %s: %w", ErrNoProgram, o.Program, err)
	}
	if err != nil {
		return Device{}, fmt.Errorf("ask for the card: %w", err)
	}
	return *a.device, nil
}
