package slurm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
)

// sight is what one look sees.
type sight struct {
	now     time.Time
	rows    map[string][]Row // by name
	byID    map[string]Row
	results map[spool.Result]bool
	blind   error // why the place cannot be read
}

// Look reads which results have come, asks for the queue, and for the truth about those
// jobs that are no longer in it. Where the place cannot be read it still says what the
// queue does, and gives that error beside it.
func (e *Executor) Look(ctx context.Context) ([]executor.Status, error) {
	if len(e.jobs) == 0 {
		return nil, nil
	}
	s := sight{now: time.Now(), results: make(map[spool.Result]bool)}
	var found []spool.Result
	e.place.within(ctx)
	found, s.blind = e.place.Results()
	e.saw(s.now, s.blind)
	for _, r := range found {
		s.results[r] = true
		if j := e.jobs[r.Cookie]; j != nil {
			e.polls.hot = true
		}
	}
	if !e.polls.due(s.now) {
		return nil, s.blind
	}
	var err error
	if s.rows, err = e.queue(ctx); err != nil {
		return nil, errors.Join(s.blind, err)
	}
	s.byID = make(map[string]Row)
	for _, rows := range s.rows {
		for _, r := range rows {
			s.byID[r.ID] = r
		}
	}
	e.polls.hot = false
	return e.judgeAll(ctx, s, e.follow(ctx, s)), s.blind
}

// saw notes whether the place can be read.
func (e *Executor) saw(now time.Time, err error) {
	switch {
	case err == nil:
		e.blind = time.Time{}
	case e.blind.IsZero():
		e.blind = now
	}
}

// queue lists the user's jobs by their names.
func (e *Executor) queue(ctx context.Context) (map[string][]Row, error) {
	began := time.Now()
	rows, err := e.client.Queue(ctx)
	e.polls.asked(began, time.Now())
	if e.away = err != nil; err != nil {
		return nil, err
	}
	by := make(map[string][]Row)
	for _, r := range rows {
		by[r.Name] = append(by[r.Name], r)
	}
	return by, nil
}

// follow brings every job up to what the queue says, and sends those that were not taken.
func (e *Executor) follow(ctx context.Context, s sight) (news []*update) {
	for _, cookie := range append([]string(nil), e.order...) {
		j := e.jobs[cookie]
		if u := e.followOne(ctx, s, j); u != nil {
			news = append(news, u)
		}
	}
	return news
}

// update is what is to be told of a job, or to be judged.
type update struct {
	j      *job
	status executor.Status
	row    *Row // of one that has ended; nil where the queue has none
	ended  bool
}

func (e *Executor) followOne(ctx context.Context, s sight, j *job) *update {
	row := e.own(ctx, s, j)
	switch {
	case row == nil && j.id == "":
		return e.sendAgain(ctx, s, j)
	case row == nil, row.State.ended():
		return &update{j: j, row: row, ended: true}
	}
	j.gone = time.Time{}
	e.begunAgain(ctx, s, j, row)
	if states[row.State] == waits {
		return e.waiting(ctx, s, j, row)
	}
	return e.atWork(j, row)
}

// own is a job's row. Where two jobs have the name of one task, because the first was not
// seen when the second was handed over, the one that has claimed it counts, and the other
// one is ended.
func (e *Executor) own(ctx context.Context, s sight, j *job) *Row {
	rows := s.rows[j.task.Cookie]
	if len(rows) == 0 {
		return renamed(s, j)
	}
	if len(rows) == 1 && (j.id == "" || j.id == rows[0].ID) {
		j.id = rows[0].ID
		return &rows[0]
	}
	if claimed := e.lastBegun(j); claimed.Job != "" {
		j.id = claimed.Job
	}
	var mine *Row
	for i := range rows {
		switch r := &rows[i]; {
		case j.id == "" && !r.State.ended():
			j.id, mine = r.ID, r
		case r.ID == j.id:
			mine = r
		}
	}
	for _, r := range rows {
		if r.ID != j.id && !r.State.ended() {
			_ = e.client.Cancel(ctx, r.ID) // it is asked again with the next look
		}
	}
	return mine
}

// renamed is the row of a job that somebody has given another name: it is the one of that id
// that came into the queue when ours did.
func renamed(s sight, j *job) *Row {
	r, ok := s.byID[j.id]
	if !ok || j.submit.IsZero() || !r.Submit.Equal(j.submit) {
		return nil
	}
	return &r
}

// lastBegun is the last attempt of a task that has begun on a node.
func (e *Executor) lastBegun(j *job) spool.Attempt {
	begun, err := e.place.Begun(j.task.Cookie)
	if err != nil || len(begun) == 0 {
		return spool.Attempt{}
	}
	return begun[len(begun)-1].Attempt
}

// sendAgain hands over what was not taken, and what is in no queue.
func (e *Executor) sendAgain(ctx context.Context, s sight, j *job) *update {
	if j.end != nil {
		return e.lost(j, j.end)
	}
	if s.now.After(j.try.next) && !e.away {
		if err := e.send(ctx, j); err != nil {
			var loss *executor.Loss
			if !errors.As(err, &loss) {
				loss = refused(kindRefused, err.Error(), "gpuci doctor")
			}
			return e.lost(j, loss)
		}
	}
	return e.tell(j, executor.Status{Phase: executor.Pending, Why: j.try.why, Since: j.since})
}

// begunAgain notes that Slurm has put a job back into the queue: it is another attempt then,
// and how many there were is for slurmctld to say.
func (e *Executor) begunAgain(ctx context.Context, s sight, j *job, row *Row) {
	back := j.told.Phase == executor.Running && states[row.State] == waits
	if j.submit.Equal(row.Submit) && !back {
		return
	}
	if j.submit.IsZero() && !j.adopted { // it is seen for the first time
		j.submit = row.Submit
		return
	}
	if r, err := e.client.Job(ctx, j.id); err == nil && r.Restarts >= 0 {
		j.restart, j.submit, j.since = r.Restarts, row.Submit, s.now
	}
}

// waiting is a job that is pending: for too long, or for what does not come.
func (e *Executor) waiting(ctx context.Context, s sight, j *job, row *Row) *update {
	if j.since.IsZero() {
		j.since = s.now
	}
	c := e.o.Config
	switch {
	case j.end != nil:
	case j.restart >= c.Attempts:
		j.end = refused(kindRequeued, fmt.Sprintf("job %s was to begin a %d. time, and [slurm] attempts is %d: its node was lost, or it was preempted or put back, each time", j.id, j.restart+1, c.Attempts), "see what happened to it: sacct --duplicates -j "+j.id)
	case never(row.Reason):
		j.end = refused(kindHeld, fmt.Sprintf("job %s would wait for ever: %s", j.id, row.Reason), "what it asks for is in [slurm] and [gate.slurm]; a job's time limit is the gate's limits and [slurm] margin")
	case s.now.Sub(j.since) > c.Wait:
		j.end = refused(kindHeld, fmt.Sprintf("job %s waited for %s, which is [slurm] wait: %s", j.id, c.Wait, row.Reason), "see when it would have begun: squeue --start; or let it wait for longer")
	}
	if j.end != nil {
		_ = e.client.Cancel(ctx, j.id) // it is asked again with the next look, as long as it is there
		e.polls.hot = true
	}
	return e.tell(j, executor.Status{Phase: executor.Pending, Why: reason(row), Attempt: j.restart, Since: j.since})
}

// reason is why a job is pending.
func reason(row *Row) string {
	if row.Reason == "" || row.Reason == "None" {
		return "it was not looked at yet"
	}
	return row.Reason
}

// never says whether a job would wait until somebody changes the cluster, or the job.
func never(reason string) bool {
	switch reason {
	case "PartitionTimeLimit", "PartitionNodeLimit", "BadConstraints", "InvalidAccount", "InvalidQOS", "DependencyNeverSatisfied",
		"QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit", "QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxGRESPerJob",
		"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxGRESPerJob":
		return true
	}
	return false
}

// atWork is a job that runs. Which attempt it is, and so where its output is, its own
// claim says, as soon as there is one.
func (e *Executor) atWork(j *job, row *Row) *update {
	if !j.start.Equal(row.Start) || j.attempt.Job == "" {
		if a := e.lastBegun(j); a.Job == j.id && a.Restart >= j.restart {
			j.attempt, j.start = a, row.Start
		}
	}
	st := executor.Status{Phase: executor.Running, Where: row.Node, Attempt: j.restart + 1, Since: row.Start}
	if j.attempt.Job == j.id && j.attempt.Restart == j.restart {
		st.Log = e.place.Log(j.task.Cookie, j.attempt)
	}
	return e.tell(j, st)
}

// tell is an update where something has changed.
func (e *Executor) tell(j *job, st executor.Status) *update {
	st.Cookie, st.ID = j.task.Cookie, j.id
	if st == j.told {
		return nil
	}
	j.told = st
	return &update{j: j, status: st}
}

// lost is the end of a task of which nothing comes.
func (e *Executor) lost(j *job, l *executor.Loss) *update {
	st := executor.Status{Cookie: j.task.Cookie, Phase: executor.Done, ID: j.id, Where: j.told.Where, Attempt: j.told.Attempt, Log: j.told.Log, Since: time.Now(), Loss: l}
	e.forget(j.task.Cookie)
	return &update{j: j, status: st}
}
