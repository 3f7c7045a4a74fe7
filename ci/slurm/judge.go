package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
)

// judgeAll finds out what came of the jobs that have ended, and gives all that is to be told.
func (e *Executor) judgeAll(ctx context.Context, s sight, news []*update) (told []executor.Status) {
	var ended []*update
	for _, u := range news {
		if u.ended {
			if u.j.gone.IsZero() {
				u.j.gone = s.now
			}
			ended = append(ended, u)
		}
	}
	records := e.truth(ctx, ended)
	for _, u := range news {
		if u.ended {
			u = e.judge(s, u, records)
		}
		if u != nil {
			told = append(told, u.status)
		}
	}
	return told
}

// Accounting is a copy of what slurmctld knows, and is behind it: by a tenth of a second or
// by five, as slurmctld's agent wakes up. slurmctld is asked where accounting does not know
// of an end for so long that people would wait for it. Who has cancelled a job accounting
// alone says, which is worth to wait for.
const (
	acctLag    = 500 * time.Millisecond
	acctLagWho = 10 * time.Second
)

// answer is what is known of a job that has ended.
type answer struct {
	Record
	known bool // somebody knows it
	err   error
}

// truth asks accounting for all jobs at once where there is some, and slurmctld for each
// where there is none, where accounting does not answer, or is behind.
func (e *Executor) truth(ctx context.Context, ended []*update) map[string]answer {
	of := make(map[string]answer)
	if len(ended) == 0 {
		return of
	}
	var records map[string]Record
	if e.cluster.Accounting != "" {
		names := make(map[string]string)
		for _, u := range ended {
			names[u.j.id] = u.j.task.Cookie
		}
		var err error
		records, err = e.client.Accounts(ctx, names)
		e.heard(err)
	}
	for _, u := range ended {
		if r, ok := records[u.j.id]; ok && r.State.ended() && u.agrees(r) {
			of[u.j.id] = answer{Record: r, known: true}
		} else if e.cluster.Accounting == "" || !e.mute.IsZero() || time.Since(u.j.gone) > u.lag() {
			of[u.j.id] = e.control(ctx, u.j)
		}
	}
	return of
}

// agrees says whether accounting speaks of the attempt that the queue has seen: an earlier
// one can have ended in the same way.
func (u *update) agrees(r Record) bool {
	return u.row == nil || u.row.State == r.State && u.row.Submit.Equal(r.Submit)
}

// lag is how long accounting is waited for.
func (u *update) lag() time.Duration {
	if u.row != nil && u.row.State == "CANCELLED" && u.j.end == nil {
		return acctLagWho
	}
	return acctLag
}

// control is what slurmctld knows of a job.
func (e *Executor) control(ctx context.Context, j *job) answer {
	switch r, err := e.client.Job(ctx, j.id); {
	case err == nil && (r.Name == j.task.Cookie || !j.submit.IsZero() && r.Submit.Equal(j.submit)): // somebody may have renamed it
		return answer{Record: r, known: true}
	case err == nil || errors.Is(err, ErrForgotten):
		return answer{Record: Record{ID: j.id, Restarts: -1}}
	default:
		return answer{err: err}
	}
}

// heard notes whether accounting answers.
func (e *Executor) heard(err error) {
	switch {
	case err == nil:
		e.mute = time.Time{}
	case e.mute.IsZero():
		e.mute = time.Now()
		e.o.Note("accounting does not answer, so that slurmctld is asked how jobs ended: " + err.Error())
	}
}

// judge says what came of a job that has ended, or nil while that is not clear yet.
func (e *Executor) judge(s sight, u *update, records map[string]answer) *update {
	j := u.j
	a, asked := records[j.id]
	e.polls.hot = e.polls.hot || s.blind == nil
	switch {
	case !asked || a.err != nil:
		return nil // it is asked again
	case a.known && !a.State.ended():
		return nil // it is to begin again
	case j.end != nil && a.State == "CANCELLED":
		return e.lost(j, j.end)
	case a.known && states[a.State] == taken:
		return e.ended(j, a.Record)
	case a.known && (a.Signal > 0 || a.Node == ""):
		return e.ended(j, a.Record)
	}
	return e.byItself(s, j, a)
}

// ended is a job that Slurm has ended, or that a signal has, with the last that it said.
func (e *Executor) ended(j *job, r Record) *update {
	l := r.loss()
	if r.State == "FAILED" && r.Signal == noOutput {
		l.Why += " " + e.o.Config.Shared
		l.Next = e.seesShared(r.Node)
	}
	if last := e.lastBegun(j); l.Kind != kindCancelled && last.Job == j.id {
		l.Why += lines(e.place.Last(j.task.Cookie, last, lastLines))
	}
	return e.lost(j, l)
}

// lastLines are as many as say why a program ended.
const lastLines = 10

func lines(all []string) string {
	text := ""
	for _, l := range all {
		text += "\n  " + l
	}
	return text
}

// byItself is a job whose last attempt ended by itself, or of which Slurm knows nothing any
// more: the result of its last attempt counts, and no other.
func (e *Executor) byItself(s sight, j *job, a answer) *update {
	if s.blind != nil {
		return e.unread(s, j, a, s.blind)
	}
	begun, err := e.place.Begun(j.task.Cookie)
	if err != nil {
		return e.unread(s, j, a, err)
	}
	settled := s.now.Sub(j.gone) > e.o.Settle
	if len(begun) == 0 {
		return e.without(j, a, spool.Attempt{Job: j.id}, settled)
	}
	last := begun[len(begun)-1]
	if last.Job != j.id { // ours found the claim of another job under the same name
		if j.clear++; j.clear > 2 {
			return e.lost(j, broken(kindLost, fmt.Sprintf("jobs %s and %s have one name, and neither has a result", j.id, last.Job)))
		}
		j.id, j.gone, j.submit = last.Job, time.Time{}, time.Time{}
		return nil
	}
	if a.known && a.Restarts >= 0 && a.Restarts < last.Restart && !settled {
		return nil // accounting does not have all attempts yet
	}
	if later := max(a.Restarts, j.restart); later > last.Restart { // also one that was only seen to wait
		return e.without(j, a, spool.Attempt{Job: j.id, Restart: later}, settled)
	}
	if !s.results[spool.Result{Cookie: j.task.Cookie, Attempt: last.Attempt}] {
		return e.without(j, a, last.Attempt, settled)
	}
	return e.take(j, a, last)
}

// take takes the result of a job's last attempt, once it is known that it counts.
func (e *Executor) take(j *job, a answer, last spool.Begun) *update {
	out, err := e.place.Read(j.task, last.Attempt)
	if err == nil && a.known && a.Exit != out.Exit {
		return e.lost(j, broken(kindLost, fmt.Sprintf("job %s ended with exit code %d, and its result says %d", j.id, a.Exit, out.Exit), "run it again"))
	}
	if err == nil {
		out, err = e.place.Take(j.task, last.Attempt)
	}
	var loss *executor.Loss
	switch {
	case errors.As(err, &loss):
		return e.lost(j, loss)
	case err != nil && err.Error() != j.said:
		j.said = err.Error()
		e.o.Note(fmt.Sprintf("the result of job %s could not be recorded, and is tried again: %s", j.id, err))
		return nil
	case err != nil:
		return nil
	}
	return e.outcome(j, a, last, out)
}

// unread is a job that ended by itself while the place cannot be read, or what is there of
// this job. A file server that is away comes back; a directory that is not there was
// removed, or is mounted again soon.
func (e *Executor) unread(s sight, j *job, a answer, err error) *update {
	most := mostAway
	if errors.Is(err, fs.ErrNotExist) {
		most = e.o.Settle
	}
	if s.now.Sub(j.gone) <= most || s.now.Sub(e.blind) <= most {
		return nil
	}
	how := "is no longer with Slurm"
	if a.known {
		how = fmt.Sprintf("ended with exit code %d", a.Exit)
	}
	j.told.Log = "" // nobody is to wait for it either
	return e.lost(j, broken(kindLost, fmt.Sprintf("job %s %s, and what came of it cannot be read: %s", j.id, how, err), "see whether the shared directory is there: ls -ld "+strconv.Quote(e.o.Config.Shared), "run it again"))
}

// without is a job that ended by itself and has no result, or none that is to be seen yet.
func (e *Executor) without(j *job, a answer, at spool.Attempt, settled bool) *update {
	if !settled {
		return nil
	}
	said := lines(e.place.Last(j.task.Cookie, at, lastLines))
	if !a.known {
		return e.lost(j, broken(kindLost, fmt.Sprintf("Slurm has forgotten job %s (MinJobAge is %s, and there is no accounting), and its attempt %d has no result%s", j.id, e.cluster.MinJobAge, at.Restart+1, said), "run it again"))
	}
	return e.lost(j, broken(kindLost, a.loss().Why+said, e.seesShared(a.Node)...))
}

func (e *Executor) seesShared(node string) []string {
	return []string{"see whether the node sees the shared directory: srun --nodelist=" + node + " ls -ld " + strconv.Quote(e.o.Config.Shared)}
}

// outcome is a result that counts.
func (e *Executor) outcome(j *job, a answer, last spool.Begun, out spool.Outcome) *update {
	switch {
	case out.Stopped != "":
		return e.lost(j, refused(kindCancelled, fmt.Sprintf("job %s was ended by %s on %s, and not by Slurm", j.id, out.Stopped, last.Node), "run it again"))
	case out.Verdict == nil:
		return e.lost(j, broken(kindLost, fmt.Sprintf("node %s could not run the gate: %s", last.Node, out.Failed)))
	}
	st := executor.Status{
		Cookie: j.task.Cookie, Phase: executor.Done, ID: j.id, Where: cmp.Or(a.Node, out.Node), Attempt: last.Restart + 1,
		Log: e.place.Log(j.task.Cookie, last.Attempt), Since: out.Ended, Verdict: out.Verdict,
	}
	e.forget(j.task.Cookie)
	return &update{j: j, status: st}
}
