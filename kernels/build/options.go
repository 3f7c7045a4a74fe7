package build

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"gpuci/kernels/nvcc"
)

// Command is a program to be run to its end.
type Command = nvcc.Command

// Options says how to build.
type Options struct {
	Compiler nvcc.Found
	Exec     nvcc.Exec                       // runs the compiler, supervised; required
	Env      []string                        // of the compiler, without link shims; Exec adds those
	Jobs     int                             // compilers at once; 0 is one for each core
	Admit    func(ctx context.Context) error // asked before each compile; nil admits
	Progress Progress                        // nil is none
	// Verify says what is wrong with the file that was made, which is then not kept: it is
	// of another architecture than was asked for. nil believes the compiler.
	Verify func(ctx context.Context, k Kind, archs []string, path string) error
	// Tracked gives those of some paths, absolute, that are under version control: these
	// are never written over. nil is none.
	Tracked    func(ctx context.Context, root string, paths []string) ([]string, error)
	Cache      string // directory; "" builds without
	CacheLimit int64  // bytes, see [gpuci/kernels/cache.Open]
}

// Progress is told what a build does. It is never called twice at once.
type Progress interface {
	Start(units int)     // so many will be done
	Waiting(unit Unit)   // somebody else compiles the same
	Compiling(unit Unit) // Why says why
	Done(unit Unit)
	Finish(r Result)
}

func (o *Options) complete() error {
	if o.Exec == nil || o.Compiler.Path == "" {
		return errors.New("build: Exec and Compiler are required")
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.Admit == nil {
		o.Admit = func(context.Context) error { return nil }
	}
	if o.Verify == nil {
		o.Verify = func(context.Context, Kind, []string, string) error { return nil }
	}
	if o.Tracked == nil {
		o.Tracked = func(context.Context, string, []string) ([]string, error) { return nil, nil }
	}
	if o.Progress == nil {
		o.Progress = silent{}
	}
	o.Progress = &oneAtATime{told: o.Progress}
	return nil
}

// silent tells nobody.
type silent struct{}

func (silent) Start(int)      {}
func (silent) Waiting(Unit)   {}
func (silent) Compiling(Unit) {}
func (silent) Done(Unit)      {}
func (silent) Finish(Result)  {}

// oneAtATime keeps the promise of [Progress].
type oneAtATime struct {
	mu   sync.Mutex
	told Progress
}

func (p *oneAtATime) say(what func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what()
}

func (p *oneAtATime) Start(units int)  { p.say(func() { p.told.Start(units) }) }
func (p *oneAtATime) Waiting(u Unit)   { p.say(func() { p.told.Waiting(u) }) }
func (p *oneAtATime) Compiling(u Unit) { p.say(func() { p.told.Compiling(u) }) }
func (p *oneAtATime) Done(u Unit)      { p.say(func() { p.told.Done(u) }) }
func (p *oneAtATime) Finish(r Result)  { p.say(func() { p.told.Finish(r) }) }
