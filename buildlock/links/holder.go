package links

import (
	"context"
	"slices"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// held takes out of a list the linkers whose open files are not ours to read
// and that are seen to be under a ticket all the same: they, or a process above
// them, are the one that a live ticket names. Everybody may read whose child a
// process is.
func held(ctx context.Context, list []Linker, lockDir string) (out []Linker) {
	var holders map[int]uint64
	for _, l := range list {
		if l.Hidden && holders == nil {
			holders = ticketHolders(ctx, lockDir)
		}
		if !l.Hidden || !below(l.Stat, holders) {
			out = append(out, l)
		}
	}
	return out
}

// ticketHolders are the processes that the link tickets name, with their start
// ticks. One that only waits is among them: it is a shim, and no linker.
func ticketHolders(ctx context.Context, lockDir string) map[int]uint64 {
	out := make(map[int]uint64)
	list, err := buildlock.Tickets(ctx, lockDir, buildlock.Link)
	if err != nil {
		return out // then nothing is known of them
	}
	for _, e := range list {
		if !e.Foreign {
			out[e.PID] = e.Start
		}
	}
	return out
}

// below says whether a process or one above it is among the given ones.
func below(s proc.Stat, among map[int]uint64) bool {
	return slices.ContainsFunc(append(proc.Real.Lineage(s.PPID), s), func(s proc.Stat) bool {
		start, ok := among[s.PID]
		return ok && start == s.Start
	})
}
