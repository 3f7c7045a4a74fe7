package build

import (
	"context"
	"errors"
	"fmt"

	"gpuci/kernels/cache"
)

// lookup does a unit without the compiler, if it can; if not, why says what is
// missing.
func (b *builder) lookup(ctx context.Context, u unit) (done Unit, why string, ok bool) {
	done = Unit{Source: u.source, Arch: u.arch(), Kind: u.kind, Output: u.output}
	if b.cache == nil {
		return done, "there is no cache", false
	}
	text := b.text(u)
	data, err := b.cache.Record(cache.KeyOf(text))
	if errors.Is(err, cache.ErrMissing) {
		return done, b.differs(u, text), false
	}
	if err != nil {
		return done, err.Error(), false
	}
	fewest := 0
	for len(data) > 0 {
		e, rest, whole := cutEntry(data)
		if !whole {
			break
		}
		data = rest
		missing := b.tree.holds(e)
		if len(missing) == 0 {
			return b.place(ctx, done, e)
		}
		// Of several that were made, here or in another lane, what we have now comes
		// from the one that it differs from in the least.
		if fewest == 0 || len(missing) < fewest {
			why, fewest = missing[0], len(missing)
		}
	}
	if why == "" {
		why = "its record cannot be read"
	}
	return done, why, false
}

// place puts the output of an entry where it belongs.
func (b *builder) place(ctx context.Context, done Unit, e entry) (Unit, string, bool) {
	done.Log = e.log
	if sum, err := b.tree.sum(done.Output); err == nil && sum == e.out {
		b.cache.UseBlob(e.out)
		done.Outcome = Current
		return done, "", true
	}
	data, err := b.cache.Blob(e.out)
	if err != nil {
		return done, fmt.Sprintf("its output: %v", err), false
	}
	done.Outcome = Cached
	if err := b.write(ctx, done.Output, data); err != nil {
		done.Outcome, done.Err = Failed, err
	}
	b.remember(done)
	return done, "", true
}
