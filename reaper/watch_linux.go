package reaper

import (
	"context"
	"fmt"
	"maps"
	"time"
)

// DefaultEvery is the time between two looks of Watch. A look costs some
// milliseconds of one core for every thousand processes.
const DefaultEvery = 2 * time.Second

// Watch looks every so often (DefaultEvery when 0) until ctx ends, and tells its
// first judgement and each in which something is leaked that was not before, or
// is no longer. each says whether it wants the next one in any case: a look at
// processes that just end can say of one that it is leaked no longer, which is
// gone at the next. It ends nothing. The error is ctx's cause, or that of a
// process table that cannot be read, or is another pid namespace's.
func Watch(ctx context.Context, o Options, every time.Duration, each func(Judgement) (again bool)) error {
	if o = o.filled(); every == 0 {
		every = DefaultEvery
	}
	if err := o.Root.Own(); err != nil {
		return fmt.Errorf("watch for what leaks: %w", err)
	}
	eye := newEye(o.Root, o.Runs)
	var before map[bearer]bool
	for again := true; ; {
		clear(eye.blind) // nobody asks
		p, err := eye.look(ctx)
		var j Judgement
		if err == nil {
			j, err = Judge(p, o.Lanes, o.Wanted, o.Rules)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		now := make(map[bearer]bool)
		for _, v := range j.Victims() {
			now[bearerOf(v.Stat)] = true
		}
		if again || !maps.Equal(before, now) {
			again = each(j)
		}
		before = now
		if sleep(ctx, every) != nil {
			return context.Cause(ctx)
		}
	}
}
