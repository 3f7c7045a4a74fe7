package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gpuci/kernels/cache"
)

// compile does a unit with the compiler, unless somebody else does meanwhile.
func (b *builder) compile(ctx context.Context, u unit, why string) (done Unit) {
	done = Unit{Source: u.source, Arch: u.arch(), Kind: u.kind, Output: u.output, Why: why}
	defer func() {
		if done.Err != nil {
			done.Outcome = Failed
		}
	}()
	if done.Err = context.Cause(ctx); done.Err != nil {
		return done
	}
	if b.cache != nil {
		release, err := b.cache.Lock(ctx, cache.KeyOf(b.text(u)), func() { b.o.Progress.Waiting(done) })
		switch {
		case ctx.Err() != nil:
			done.Err = context.Cause(ctx)
			return done
		case err != nil:
			b.note("%s is compiled without a lock: %v", u, err)
		default:
			defer release()
			if made, _, ok := b.lookup(ctx, u); ok {
				return made
			}
		}
	}
	if done.Err = b.o.Admit(ctx); done.Err != nil {
		return done
	}
	b.o.Progress.Compiling(done)
	begun := time.Now()
	m, err := b.steady(ctx, u)
	if done.Log, done.Took = m.log, time.Since(begun); err == nil {
		err = b.write(ctx, u.output, m.out)
	}
	if done.Err = err; err == nil {
		done.Outcome = Compiled
		b.remember(done)
	}
	return done
}

// made is what a call of the compiler gave.
type made struct {
	out []byte
	log string
	read
}

// steady compiles until nothing changed meanwhile, twice at most, and keeps what
// came of it then.
func (b *builder) steady(ctx context.Context, u unit) (m made, err error) {
	for range 2 {
		if err := b.tree.survey(u.source, map[string]bool{}); err != nil {
			return m, err
		}
		if m, err = b.run(ctx, u); err != nil || m.changed == "" {
			break
		}
	}
	switch {
	case err != nil || b.cache == nil:
		return m, err
	case m.changed != "":
		b.note("%s is not kept: %s changed while it was compiled", u, m.changed)
	case m.blind != "":
		b.note("%s is compiled every time: %s", u, m.blind)
	case u.kind == Object && m.asm != "":
		b.note("%s is compiled every time: %s", u, m.asm)
	case b.orders.blind != "":
		b.note("%s is compiled every time: %s", u, b.orders.blind)
	default:
		if err := b.keep(u, m); err != nil {
			b.note("%s is not kept: %v", u, err)
		}
	}
	return m, nil
}

// maxOutput is the size in bytes of what a compiler makes of one source, and far above
// any.
const maxOutput = 4 << 30

// full is what a compiler says when a disk is.
const full = "o space left on device"

// run calls the compiler once, and once more elsewhere if the cache's disk was full.
func (b *builder) run(ctx context.Context, u unit) (made, error) {
	dir, remove, err := b.scratch()
	if err != nil {
		return made{}, err
	}
	defer remove()
	out, deps := filepath.Join(dir, "out."+u.kind.ending()), filepath.Join(dir, "deps")
	args := append(b.set.argv(u), "-MD", "-MT", target, "-MF", deps, "-o", out)
	var said bytes.Buffer
	// Without the clock's monotonic part: it is held against stamps of files.
	begun := time.Now().Round(0)
	err = b.o.Exec(ctx, b.command(dir, args, &said))
	m := made{log: said.String()}
	if err != nil && strings.Contains(m.log, full) && b.leave() {
		remove() // at once: it has filled the disk
		return b.run(ctx, u)
	}
	if wrote := b.disturbed(); wrote != nil {
		return m, wrote
	}
	if err != nil {
		return m, &CompileError{Text: m.log + b.knows(ctx, m.log), Err: err}
	}
	if m.out, err = cache.ReadRegular(out, maxOutput); err != nil {
		return m, fmt.Errorf("read what the compiler made: %w", err)
	}
	if err := b.o.Verify(ctx, u.kind, u.archs, out); err != nil {
		return m, fmt.Errorf("look at what the compiler made: %w", err)
	}
	if m.read, err = b.inputs(deps, begun); err != nil {
		m.read = read{changed: err.Error()}
	}
	return m, nil
}

// inputs is what the dependency file says was read.
func (b *builder) inputs(deps string, begun time.Time) (read, error) {
	text, err := cache.ReadRegular(deps, maxOutput)
	if err != nil {
		return read{}, err
	}
	files, err := parseDeps(string(text))
	if err != nil {
		return read{}, err
	}
	if len(files) == 0 {
		return read{}, errors.New("the compiler said of no file that it read it")
	}
	return b.tree.inputs(files, b.orders, begun)
}

// keep puts what was made into the cache.
func (b *builder) keep(u unit, m made) error {
	sum, err := b.cache.KeepBlob(m.out)
	if err != nil {
		return err
	}
	key := cache.KeyOf(b.text(u))
	old, err := b.cache.Record(key)
	if err != nil && !errors.Is(err, cache.ErrMissing) {
		return err
	}
	data, err := record(m.entry(sum, m.log), old)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.kept = true
	b.mu.Unlock()
	return b.cache.Keep(key, data)
}
