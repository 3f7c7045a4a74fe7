package inputs

import (
	"context"
	"fmt"
)

// copied says whether a product is one that another lane's run judged, and was
// brought here. Bytes alone do not say it: two lanes with the same sources build
// the same. So it is only said where some of that run's sources are otherwise
// here, and where neither this gate's build wrote the file nor an earlier run of
// this lane had it.
func (s Site) copied(ctx context.Context, p Product, in Inputs) ([]Complaint, error) {
	if s.built(p, in) {
		return nil, nil
	}
	for _, e := range s.Earlier {
		if e.Lane == s.Lane.Name && e.SHA256 == p.SHA256 {
			return nil, nil
		}
	}
	for _, e := range s.Earlier {
		same := e.SHA256 == p.SHA256 || e.BuildID != "" && e.BuildID == p.BuildID
		if !same || e.Lane == s.Lane.Name || e.Sources == nil {
			continue
		}
		ch, err := e.Sources(ctx)
		if err != nil || !ch.Stale() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}
		why := ch.Unknown
		if why == "" {
			why = "here " + ch.First + " is not as it was there"
		}
		text := fmt.Sprintf("%s is lane %s's build product, not lane %s's: it is what a run there judged (%s), and %s",
			s.display(p.Path), e.Lane, s.Lane.Name, e.Path, why)
		return []Complaint{{Foreign, p.Path, text, "build it here: build = in gpuci.toml does so before each run"}}, nil
	}
	return nil, nil
}

// built says whether a build of this run wrote a product: a compiler wrote down
// what it read, or the gate has commands that build.
func (s Site) built(p Product, in Inputs) bool {
	if s.Begun.IsZero() || p.Built.Before(s.Begun.Add(-coarse(p.Built, s.Begun))) {
		return false
	}
	return s.Builds || !in.written[p.Path].Before(s.Begun.Add(-coarse(in.written[p.Path], s.Begun)))
}
