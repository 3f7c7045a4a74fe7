package gates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/gates/history"
)

// keepTime is how long a result may take to be kept: the disk can be the one
// that is stalled.
const keepTime = 10 * time.Second

// keep adds the verdict to the history. It is on the disk already, where a later
// gpuci finds it if this one is killed here: then its file in live/ is still
// there.
func (f *flow) keep() (kept bool) {
	err := keepVerdict(f.opt.History, f.v)
	if err != nil {
		f.opt.note("the result of run %s is not in the history: %v; it is in %s", f.v.Run, err, f.v.Dir)
	}
	return err == nil
}

func keepVerdict(p *Past, v *Verdict) error {
	if p == nil {
		return nil
	}
	data, err := history.Marshal(v)
	if err != nil {
		return err
	}
	return keepJSON(p, data)
}

func keepJSON(p *Past, data []byte) error {
	r, err := history.FromVerdict(data)
	if err != nil {
		return err
	}
	store, err := p.Store()
	if err != nil {
		return err
	}
	defer store.Rest()
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	return store.Record(ctx, r)
}

// keepFile adds a verdict that was written by another gpuci, which may not have
// come to it.
func (f *flow) keepFile(dir string) {
	if f.opt.History == nil {
		return
	}
	data, err := os.ReadFile(filepath.Join(dir, "verdict.json"))
	if err == nil {
		err = keepJSON(f.opt.History, data)
	}
	if err != nil {
		f.opt.note("the result of a run that was killed is not in the history: %v", fmt.Errorf("%s: %w", dir, err))
	}
}
