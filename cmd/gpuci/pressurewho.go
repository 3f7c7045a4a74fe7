package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"gpuci/buildlock"
	"gpuci/buildlock/beside"
	"gpuci/reaper/proc"
)

// crowd are processes of one name in one place that wait, or compute.
type crowd struct {
	Name  string `json:"name"`
	Where string `json:"where"`
	Count int    `json:"count"`
	PID   int    `json:"pid"` // of the oldest
}

// whoStalls finds who waits while a resource is short, or for a processor who
// has one or is ready to: by one scan, since it is done at each stall and costs
// something. Threads of the kernel and we ourselves are nobody.
func (a *app) whoStalls(ctx context.Context, p place, resource string) []crowd {
	picture, err := proc.Real.Scan(proc.ScanOptions{})
	if err != nil {
		a.console.note(fmt.Sprintf("who waits is not known: %v", err))
		return nil
	}
	var list []proc.Stat
	for _, s := range picture.Table {
		if !s.Kernel && s.PID != os.Getpid() && isPartOf(s, resource) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b proc.Stat) int { return cmp.Or(cmp.Compare(a.Start, b.Start), a.PID-b.PID) })
	var pids []int
	for _, s := range list {
		pids = append(pids, s.PID)
	}
	return crowdsOf(list, seatsOf(ctx, proc.Real, pids, a.lanes(ctx, p, len(list) > 0)))
}

// isPartOf says whether a process takes part in a stall.
func isPartOf(s proc.Stat, resource string) bool {
	if resource == "cpu" {
		return s.State == 'R'
	}
	return s.State == 'D' && !beside.NotDisk(proc.Real, s.PID)
}

// crowdsOf groups processes, the largest crowd first.
func crowdsOf(list []proc.Stat, seats []seat) (out []crowd) {
	for i, s := range list {
		one := crowd{Name: s.Comm, Where: seats[i].brief(), PID: s.PID}
		at := slices.IndexFunc(out, func(c crowd) bool { return c.Name == one.Name && c.Where == one.Where })
		if at < 0 {
			at = len(out)
			out = append(out, one)
		}
		out[at].Count++
	}
	slices.SortStableFunc(out, func(a, b crowd) int { return b.Count - a.Count })
	return out
}

// maxCrowds is how many crowds a line names.
const maxCrowds = 3

// whoText says who takes part in a stall of a resource.
func whoText(resource string, who []crowd) string {
	does := "waiting for it"
	if resource == "cpu" {
		does = "at work or ready to"
	}
	if len(who) == 0 {
		return does + ": nobody is seen"
	}
	var names []string
	for _, c := range who[:min(maxCrowds, len(who))] {
		one := fmt.Sprintf("%s (pid %d, %s)", c.Name, c.PID, c.Where)
		if c.Count > 1 {
			one = fmt.Sprintf("%d %s (%s)", c.Count, c.Name, c.Where)
		}
		names = append(names, one)
	}
	rest := 0
	for _, c := range who[len(names):] {
		rest += c.Count
	}
	if rest > 0 {
		names = append(names, count(rest, "other", "others"))
	}
	return buildlock.Printable(does + ": " + strings.Join(names, ", "))
}
