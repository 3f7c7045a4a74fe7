package links

import (
	"context"
	"slices"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// unheld takes out of a list the linkers that are under a ticket though their
// own files do not show it: they, or a process above them, are the one that a
// live ticket names. Whose child a process is everybody may read; and a wrapper
// that lets no file through (Python's subprocess) holds the ticket itself for as
// long as it waits for its linker.
func unheld(ctx context.Context, list []Linker, lockDir string) (out []Linker) {
	if len(list) == 0 {
		return nil
	}
	holders := ticketHolders(ctx, lockDir)
	for _, l := range list {
		if l.Lost || !below(l.Stat, holders) {
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
