package slurm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/slurm/slurmtest"
	"gpuci/ci/spool"
	"gpuci/gates"
	"gpuci/gates/config"
)

// shellPlace is a place whose tasks are lines of a shell, so that a test says what a job
// does and which files it leaves. The jobs are Slurm's. What package spool and
// `gpuci ci task` do in their place is tested with them, and in TestContract.
type shellPlace struct {
	dir    string
	output string // directory of what jobs themselves say; "" for dir
	taken  []string
	full   int   // so many results cannot be recorded
	torn   error // why nobody can tell which attempts have begun
}

// pass waits while the place hangs: who opens a pipe that nobody writes to waits.
func (p *shellPlace) pass() {
	if f, err := os.Open(filepath.Join(p.dir, "hangs")); err == nil {
		_ = f.Close()
	}
}

// hang lets it hang, until what it gives is called.
func (p *shellPlace) hang(t testing.TB) (end func()) {
	t.Helper()
	path := filepath.Join(p.dir, "hangs")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		f, err := os.OpenFile(path, os.O_RDWR, 0) // which waits for nobody
		if err = errors.Join(err, os.Remove(path), f.Close()); err != nil {
			t.Error(err)
		}
	}
}

// prelude claims the task as a node does, and gives the line what it may want to do: leave
// a result that says an exit code and end with it, wait, say that it has begun.
const prelude = `
dir=$1 cookie=$2
if [ -e "$dir/withdrawn.$cookie" ]; then exit 75; fi
( set -C; echo "$SLURM_JOB_ID" >"$dir/claim.$cookie" ) 2>/dev/null
if [ "$(cat "$dir/claim.$cookie")" != "$SLURM_JOB_ID" ]; then exit 75; fi
restart=${SLURM_RESTART_COUNT:-0}
attempt=$SLURM_JOB_ID.$restart
exec >"$dir/log.$cookie.$attempt" 2>&1
: >"$dir/begun.$cookie.$attempt"
result() { echo "{\"Exit\":$1,\"Node\":\"$SLURMD_NODENAME\"}" >"$dir/tmp.$cookie" && mv "$dir/tmp.$cookie" "$dir/result.$cookie.$attempt"; }
ends() { result "$1"; exit "$1"; }
stay() { echo waiting; sleep 600 & trap 'kill $!; exit 143' TERM; wait; }
`

func (p *shellPlace) Hand(_ context.Context, t executor.Task, _ spool.Carry) (spool.Handed, error) {
	return spool.Handed{
		Cookie: t.Cookie, Dir: p.dir, Output: strings.ReplaceAll(filepath.Join(cmp.Or(p.output, p.dir), "out."+t.Cookie), "%", "%%") + ".%j",
		Argv: []string{"/bin/sh", "-c", prelude + t.Gate.Run[0].Shell, "task", p.dir, t.Cookie},
	}, nil
}

func (p *shellPlace) files(kind, cookie string) (all []spool.Result, err error) {
	p.pass()
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries {
		f := strings.Split(e.Name(), ".")
		if len(f) != 4 || f[0] != kind || cookie != "" && f[1] != cookie {
			continue
		}
		restart, err := strconv.Atoi(f[3])
		if err != nil {
			return nil, err
		}
		all = append(all, spool.Result{Cookie: f[1], Attempt: spool.Attempt{Job: f[2], Restart: restart}})
	}
	return all, err
}

func (p *shellPlace) Results() ([]spool.Result, error) { return p.files("result", "") }

func (p *shellPlace) Begun(cookie string) (all []spool.Begun, err error) {
	if p.torn != nil {
		return nil, p.torn
	}
	found, err := p.files("begun", cookie)
	for _, f := range found {
		all = append(all, spool.Begun{Attempt: f.Attempt})
	}
	return all, err
}

func (p *shellPlace) path(kind, cookie string, a spool.Attempt) string {
	return filepath.Join(p.dir, kind+"."+cookie+"."+a.String())
}

func (p *shellPlace) Read(t executor.Task, a spool.Attempt) (o spool.Outcome, err error) {
	data, err := os.ReadFile(p.path("result", t.Cookie, a))
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	return o, err
}

func (p *shellPlace) Take(t executor.Task, a spool.Attempt) (o spool.Outcome, err error) {
	if p.full--; p.full >= 0 {
		return o, syscall.ENOSPC
	}
	p.taken = append(p.taken, t.Cookie)
	o, err = p.Read(t, a)
	o.Verdict = &gates.Verdict{Outcome: gates.Outcome(fmt.Sprint("exit ", o.Exit, " of ", a.Restart))}
	return o, err
}

func (p *shellPlace) Log(cookie string, a spool.Attempt) string { return p.path("log", cookie, a) }

func (p *shellPlace) Last(cookie string, a spool.Attempt, _ int) (all []string) {
	for _, path := range []string{p.Log(cookie, a), filepath.Join(p.dir, "out."+cookie+"."+a.Job)} {
		data, _ := os.ReadFile(path)
		all = append(all, strings.Fields(string(data))...)
	}
	return all
}

func (p *shellPlace) Withdraw(cookie string) error {
	p.pass()
	return os.WriteFile(filepath.Join(p.dir, "withdrawn."+cookie), nil, 0o644)
}

func (p *shellPlace) Drop(string) error { return nil }
func (p *shellPlace) Close() error      { return nil }

// stage is a rig, a place on it, and an executor.
type stage struct {
	t     testing.TB
	rig   *slurmtest.Rig
	place *shellPlace
	dir   string // of the night
	bin   string // directory of what stands in the place of sbatch
	conf  config.Slurm
	n     int
	e     *Executor
	told  map[string][]executor.Status // and not yet asked for
}

func newStage(t testing.TB, rig *slurmtest.Rig, change ...func(*config.Slurm)) *stage {
	t.Helper()
	conf := config.Slurm{Shared: rig.Shared, GRES: "gpu:{cards}", InFlight: 50, Wait: time.Hour, Attempts: 3}
	for _, c := range change {
		c(&conf)
	}
	dir, err := os.MkdirTemp(rig.Shared, "place ")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, rig: rig, place: &shellPlace{dir: dir}, dir: t.TempDir(), conf: conf, told: make(map[string][]executor.Status)}
	s.e = s.open()
	return s
}

// open is an executor of this night, as a process after another one has it.
func (s *stage) open() *Executor {
	s.t.Helper()
	e, err := newExecutor(context.Background(), Options{
		Config: s.conf, Dir: s.dir, Env: append(os.Environ(), s.rig.Env()...), Note: func(text string) { s.t.Log(text) }, Settle: 3 * time.Second,
	}, s.place)
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// task is a gate whose run is a line of the shell.
func (s *stage) task(line string, change ...func(*config.Gate)) executor.Task {
	s.n++
	g := config.Gate{Name: fmt.Sprint("gate ", s.n), Run: []config.Command{{Shell: line}}, Timeout: time.Minute}
	for _, c := range change {
		c(&g)
	}
	return executor.Task{Cookie: fmt.Sprintf("gpuci-%s-%d", strings.TrimPrefix(filepath.Base(s.place.dir), "place "), s.n), Gate: g}
}

func (s *stage) submit(line string, change ...func(*config.Gate)) executor.Task {
	s.t.Helper()
	t := s.task(line, change...)
	if err := s.e.Submit(context.Background(), t); err != nil {
		s.t.Fatal(err)
	}
	return t
}

// patience is more than anything takes here; nothing is judged by it.
const patience = 3 * time.Minute

// until looks until the status of a task is as is wanted, and gives it. What is told of
// others meanwhile is kept for their turn.
func (s *stage) until(t executor.Task, is func(executor.Status) bool) executor.Status {
	s.t.Helper()
	var last executor.Status
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for len(s.told[t.Cookie]) > 0 {
			last, s.told[t.Cookie] = s.told[t.Cookie][0], s.told[t.Cookie][1:]
			if is(last) {
				return last
			}
			if last.Phase == executor.Done {
				s.t.Fatalf("%s is done: %+v, %v", t.Gate.Name, last.Verdict, last.Loss)
			}
		}
		all, err := s.e.Look(context.Background())
		if err != nil { // of this look alone
			s.t.Log(err)
		}
		for _, st := range all {
			s.told[st.Cookie] = append(s.told[st.Cookie], st)
		}
	}
	s.t.Fatalf("%s: last seen as %+v", t.Gate.Name, last)
	return last
}

func done(st executor.Status) bool    { return st.Phase == executor.Done }
func working(st executor.Status) bool { return st.Phase == executor.Running && st.Log != "" }
func pending(st executor.Status) bool { return st.Phase == executor.Pending && st.ID != "" }

// wantLoss wants a task to end as a loss of this kind, whose words have the parts in them.
func (s *stage) wantLoss(t executor.Task, o gates.Outcome, kind string, parts ...string) executor.Status {
	s.t.Helper()
	st := s.until(t, done)
	if st.Loss == nil || st.Verdict != nil || st.Loss.Outcome != o || st.Loss.Kind != kind {
		s.t.Fatalf("%s: got verdict %+v, loss %+v; want %s, %s", t.Gate.Name, st.Verdict, st.Loss, o, kind)
	}
	for _, p := range parts {
		if !strings.Contains(st.Loss.Why, p) {
			s.t.Errorf("%s: %q does not say %q", t.Gate.Name, st.Loss.Why, p)
		}
	}
	return st
}

// wantVerdict wants the verdict with this exit code of this attempt.
func (s *stage) wantVerdict(t executor.Task, exit, restart int) executor.Status {
	s.t.Helper()
	st := s.until(t, done)
	if st.Verdict == nil || st.Loss != nil {
		s.t.Fatalf("%s: got %+v, %v", t.Gate.Name, st.Verdict, st.Loss)
	}
	if want := fmt.Sprint("exit ", exit, " of ", restart); string(st.Verdict.Outcome) != want {
		s.t.Errorf("%s: got the verdict %q, want %q", t.Gate.Name, st.Verdict.Outcome, want)
	}
	return st
}

// slurm runs one of Slurm's commands.
func (s *stage) slurm(name string, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := s.rig.Command(ctx, name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// mustFail is Submit's loss.
func (s *stage) mustFail(t executor.Task) *executor.Loss {
	s.t.Helper()
	err := s.e.Submit(context.Background(), t)
	var loss *executor.Loss
	if !errors.As(err, &loss) {
		s.t.Fatalf("submit %s: %v, want a loss", t.Gate.Name, err)
	}
	return loss
}
