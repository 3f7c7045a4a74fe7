package slurm

import (
	"context"
	"slices"
	"time"

	"gpuci/ci/executor"
)

// sbatchEnd is how long an sbatch of a process before us may take: sbatch itself gives up
// after some times its MessageTimeout.
const sbatchEnd = 2 * time.Minute

// Adopt waits until no sbatch of a killed gpuci is under way, and looks for the jobs by
// their names: in the queue, in accounting, and among those that have begun.
func (e *Executor) Adopt(ctx context.Context, tasks []executor.Task) (never []executor.Task, err error) {
	e.place.within(ctx)
	wait, cancel := context.WithTimeout(ctx, sbatchEnd)
	if e.sbatchesEnd(wait) {
		e.o.Note("an sbatch of the gpuci before has not ended in " + sbatchEnd.String() + ": what still comes of it finds its task claimed")
	}
	cancel()
	rows, err := e.queue(ctx)
	if err != nil {
		return nil, err
	}
	accounts := e.accounts(ctx, tasks, rows)
	for _, t := range tasks {
		j := &job{task: t, adopted: true, since: time.Now()}
		if begun, err := e.place.Begun(t.Cookie); err != nil {
			return nil, err
		} else if len(begun) > 0 {
			j.id = begun[len(begun)-1].Job
		}
		for _, r := range rows[t.Cookie] {
			if j.id == "" && !wasRefused(r.State, r.Node) {
				j.id = r.ID
			}
		}
		if j.id == "" {
			j.id = accounts[t.Cookie]
		}
		if j.id == "" {
			never = append(never, t)
			continue
		}
		*e.track(t) = *j
	}
	return never, nil
}

// wasRefused says whether a job is one that slurmctld made in order to say no to it.
func wasRefused(s State, node string) bool { return s == "FAILED" && node == "" }

// accounts are the ids of the jobs that only accounting knows: those that ended long ago
// and never began. Where it does not answer they are handed over anew.
func (e *Executor) accounts(ctx context.Context, tasks []executor.Task, rows map[string][]Row) map[string]string {
	var names []string
	for _, t := range tasks {
		if len(rows[t.Cookie]) == 0 {
			names = append(names, t.Cookie)
		}
	}
	of := make(map[string]string)
	if e.cluster.Accounting == "" {
		return of
	}
	for some := range slices.Chunk(names, 500) {
		records, err := e.client.AccountsByName(ctx, some)
		if e.heard(err); err != nil {
			return of
		}
		for _, r := range records {
			if !wasRefused(r.State, r.Node) {
				of[r.Name] = r.ID
			}
		}
	}
	return of
}
