package build

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"gpuci/kernels/cache"
)

// builder is one build of one set.
type builder struct {
	set    Set
	o      Options
	cache  *cache.Cache // nil: build without
	tree   *tree
	hosts  []string
	orders *orders // all options
	common string  // the identity of everything but the unit

	guard   guard
	knowing sync.Once
	known   string // which architectures the compiler knows, as a line

	outside atomic.Bool // no directory to work in is made in the cache

	mu    sync.Mutex
	notes []string
	kept  bool // something new is in the cache
}

// Build makes every output of the set that is not what it must be, and gives all
// that it did. Units that failed are a *[Failure], with all of them; the others are
// built all the same. A context that ended is its cause, with what was done.
func Build(ctx context.Context, set Set, o Options) (Result, error) {
	if err := o.complete(); err != nil {
		return Result{}, err
	}
	set.Root = filepath.Clean(set.Root)
	units, err := set.units()
	if err != nil {
		return Result{}, err
	}
	b := &builder{set: set, o: o, tree: newTree(set.Root)}
	if err := b.open(ctx); err != nil {
		return Result{}, fmt.Errorf("build the set %s: %w", set.Name, err)
	}
	o.Progress.Start(len(units))
	done := b.all(ctx, units)
	b.close()
	r := Result{Units: done, Notes: b.notes}
	o.Progress.Finish(r)
	return r, b.verdict(ctx, done)
}

// open finds the cache, what the last build saw, and what every unit depends on.
func (b *builder) open(ctx context.Context) (err error) {
	if b.o.Cache != "" {
		if b.cache, err = cache.Open(b.o.Cache, b.o.CacheLimit); err != nil {
			b.note("building without a cache: %v", err)
			b.cache = nil
		}
	}
	if b.cache != nil {
		if data, err := b.cache.Record(b.lane("files 3")); err == nil {
			if err := b.tree.load(data); err != nil {
				b.note("every file is read again: %v", err)
			}
		}
	}
	if b.orders, err = b.set.orders(b.env()); err != nil {
		return err
	}
	if err := b.orders.refuse(); err != nil {
		return err
	}
	b.tree.trusty = trusty(b.o.Compiler)
	b.hosts = b.set.hosts(b.env(), b.orders.words)
	if b.common, err = b.identity(); err != nil {
		return err
	}
	b.tree.chain, err = b.search(ctx)
	return err
}

// all does every unit: first those that need no compiler, which takes no time, then
// the others, some at once.
func (b *builder) all(ctx context.Context, units []unit) []Unit {
	done := make([]Unit, len(units))
	var left []int
	why := make([]string, len(units))
	for i, u := range units {
		var ok bool
		if done[i], why[i], ok = b.lookup(ctx, u); !ok {
			left = append(left, i)
			continue
		}
		b.o.Progress.Done(done[i])
	}
	if len(left) > 0 {
		b.guard = b.watch(ctx)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(b.o.Jobs, len(left)) {
		workers.Go(func() {
			for i := range next {
				done[i] = b.compile(ctx, units[i], why[i])
				b.o.Progress.Done(done[i])
			}
		})
	}
	for _, i := range left {
		next <- i
	}
	close(next)
	workers.Wait()
	return done
}

// close keeps what was seen for the next build, and the cache within its limit.
func (b *builder) close() {
	if b.cache == nil {
		return
	}
	data, err := b.tree.save()
	if err == nil && data != nil {
		err = b.cache.Keep(b.lane("files 3"), data)
	}
	if b.kept {
		_, trim := b.cache.Trim()
		err = errors.Join(err, trim)
	}
	if err != nil {
		b.note("%v", err)
	}
}

func (b *builder) verdict(ctx context.Context, done []Unit) error {
	if ctx.Err() != nil {
		return fmt.Errorf("build the set %s: %w", b.set.Name, context.Cause(ctx))
	}
	f := Failure{Set: b.set.Name}
	for _, u := range done {
		if u.Err != nil {
			f.Units = append(f.Units, u)
		}
	}
	if len(f.Units) > 0 {
		return &f
	}
	return nil
}

func (b *builder) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}
