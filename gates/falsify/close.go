package falsify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/gates"
	"gpuci/gates/inputs"
)

// exit is the exit code of what came of faults: 100 where the gate is blind to any,
// 103 where all that is wrong is that some have rotted, else 102.
func exit(list []Planted) int {
	count := make(map[string]int)
	for _, p := range list {
		count[p.Outcome]++
	}
	switch {
	case count[gates.FaultBlind] > 0:
		return gates.Red.ExitCode()
	case count[gates.FaultBroken]+count[gates.FaultUnbuilt] > 0:
		return gates.Broken.ExitCode()
	case count[gates.FaultRotted] > 0:
		return gates.Attention.ExitCode()
	}
	return 0
}

// Worst is the exit code of several gates: that of an end that somebody wanted, then
// blind, broken and rotted in this order.
func Worst(codes ...int) int {
	for _, worst := range []int{gates.ExitTerminated, gates.ExitInterrupt, gates.ExitUnexpected, gates.Red.ExitCode(), gates.Broken.ExitCode(), gates.Attention.ExitCode()} {
		for _, c := range codes {
			if c == worst {
				return c
			}
		}
	}
	return gates.WorstExit(codes...)
}

// close says what the exit code is.
func (s *session) close(ctx context.Context) {
	r := s.report
	switch why := context.Cause(ctx); {
	case why != nil:
		r.Stopped, r.Exit = why, gates.ExitInterrupt
		if sig := (gates.Signalled{}); errors.As(why, &sig) {
			r.Exit = sig.Exit
		}
	case r.Broken != "":
		r.Exit = gates.Broken.ExitCode()
	default:
		r.Exit = exit(r.Planted)
	}
}

// keepTime is how long a result may take to be kept: the disk can be the one that
// is stalled.
const keepTime = 10 * time.Second

// record keeps what came of it.
func (s *session) record(ctx context.Context) error {
	s.report.Reads = s.reads(ctx)
	store, err := s.o.Past.Store()
	if err != nil {
		return err
	}
	defer store.Rest()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	return store.RecordFalsification(ctx, s.report.Falsification)
}

// reads is a hash over what the gate read without a fault, "" where that is not
// known: then the tree says all there is to say.
func (s *session) reads(ctx context.Context) string {
	snap, err := inputs.Load(s.clean.Dir)
	if err != nil || !snap.Known || s.scratch == nil {
		return ""
	}
	sum := sha256.New()
	for _, path := range snap.Read {
		p, err := inputs.Examine(ctx, filepath.Join(s.scratch.Root, string(path)))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return ""
		}
		fmt.Fprintf(sum, "%s\x00%s\x00", path, p.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// drop removes the scratch lane, or says where it is.
func (s *session) drop(ctx context.Context) {
	switch {
	case s.scratch == nil:
	case s.o.Keep && ctx.Err() == nil:
		s.report.Kept = s.scratch.Root
	default:
		if err := s.scratch.Remove(ctx); err != nil {
			s.o.Note(fmt.Sprintf("remove a scratch lane: %v (the next gpuci falsify tries again)", err))
		}
	}
}

// lasted is a time in seconds as people say it.
func lasted(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
