package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// What a shared directory must be; with root every file can be given away.
func TestPlace(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(shared, ours string) (string, error)
		want string
	}{
		"relative": {func(shared, ours string) (string, error) { return "shared", nil }, "no absolute path"},
		"missing":  {func(shared, ours string) (string, error) { return shared + "/none", nil }, "no such file"},
		"a file": {func(shared, ours string) (string, error) {
			return shared + "/f", os.WriteFile(shared+"/f", nil, 0o600)
		}, "no directory"},
		"everybody's": {func(shared, ours string) (string, error) { return shared, os.Chmod(shared, 0o777) }, "chmod +t"},
		"a link in its place": {func(shared, ours string) (string, error) {
			return shared, os.Symlink(t.TempDir(), ours)
		}, "is no directory"},
		"another's": {func(shared, ours string) (string, error) {
			return shared, errors.Join(os.Mkdir(ours, 0o700), os.Chown(ours, 12345, 12345))
		}, "belongs to uid 12345"},
		"others may write": {func(shared, ours string) (string, error) {
			return shared, errors.Join(os.Mkdir(ours, 0o700), os.Chmod(ours, 0o770))
		}, "others may write"},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			var err error
			if st.o.Shared, err = c.do(st.o.Shared, filepath.Join(st.o.Shared, fmt.Sprintf("gpuci-%d", os.Getuid()))); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(st.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("opened it: %v; want %q", err, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	st := newStage(t)
	st.o.Night = "../night"
	if _, err := Open(st.o); err == nil {
		t.Error("a night that leads out of the place")
	}
	st.o.Night = "night-1"
	s, bad := st.open(), "../../results"
	task := st.task()
	task.Cookie = bad
	_, err := s.Hand(t.Context(), task, Sources)
	_, _, err2 := s.Handed(bad)
	_, err3 := s.Begun(bad)
	_, err4 := s.Take(task, firstAttempt)
	if err == nil || err2 == nil || err3 == nil || err4 == nil || s.Drop(bad) == nil || s.Withdraw(bad) == nil {
		t.Errorf("a cookie that leads out of the place: %v, %v, %v, %v", err, err2, err3, err4)
	}
	if _, err := Begin(t.TempDir(), Attempt{Job: "7/.."}); err == nil {
		t.Error("a job that leads out of the task")
	}
}

// A content is packed once, whatever number of tasks is about it, and a later commit
// brings what is new alone.
func TestContentsOnce(t *testing.T) {
	st := newStage(t)
	s := st.open()
	st.hand(s, st.task())
	st.hand(s, st.task())
	st.hand(st.open(), st.task())
	list := func() []string {
		t.Helper()
		entries, err := os.ReadDir(filepath.Join(s.place.dir, "contents"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	first := list()
	if len(first) != 1 {
		t.Fatalf("contents %q", first)
	}
	st.write(filepath.Join(st.dir, "file"), "2\n")
	st.git("commit", "-qam", "second")
	task := st.task()
	h := st.hand(s, task)
	o, err := s.place.readOrder(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.place.content(o.Content)
	if err != nil || c.OnKey != first[0] || len(list()) != 2 {
		t.Errorf("the second builds on %q, %v; there are %q", c.OnKey, err, list())
	}
	st.deliver(st.begin(h, firstAttempt), task)
	if out, err := s.Take(task, firstAttempt); err != nil || out.Verdict == nil || out.Verdict.Bound.Commit != task.Head.Commit {
		t.Errorf("%+v, %v", out, err)
	}
}

// What is in the way of a content, a program or an order, and is not whole, is none: it is
// made anew.
func TestTornThingsAreMadeAnew(t *testing.T) {
	st := newStage(t)
	s := st.open()
	task := st.task()
	h := st.hand(s, task)
	o, err := s.place.readOrder(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(s.place.dir, "contents", o.Content, contentName), filepath.Join(s.place.program(o.Program), programName), filepath.Join(h.Dir, orderName),
	} {
		if err := os.Truncate(path, 3); err != nil {
			t.Fatal(err)
		}
	}
	s = st.open()
	if _, ok, err := s.Handed(task.Cookie); ok || err == nil {
		t.Errorf("a torn order was found: %v", err)
	}
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	h = st.hand(s, task)
	st.deliver(st.begin(h, firstAttempt), task)
	if out, err := s.Take(task, firstAttempt); err != nil || out.Verdict == nil {
		t.Errorf("%+v, %v", out, err)
	}
}

// A content or a program that somebody has cleaned away since it was last asked about is
// put there again.
func TestHandAfterClean(t *testing.T) {
	st := newStage(t)
	s := st.open()
	st.hand(s, st.task())
	for _, dir := range []string{"contents", "programs"} {
		if err := errors.Join(os.RemoveAll(filepath.Join(s.place.dir, dir)), os.Mkdir(filepath.Join(s.place.dir, dir), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	task := st.task()
	st.deliver(st.begin(st.hand(s, task), firstAttempt), task)
	if _, err := os.Stat(filepath.Join(s.place.program(s.program), programName)); err != nil {
		t.Error(err)
	}
}

// Of many jobs for one task, at one time, one runs it.
func TestClaimRace(t *testing.T) {
	st := newStage(t)
	s := st.open()
	for range 20 {
		task := st.task()
		h := st.hand(s, task)
		const jobs = 8
		errs := make(chan error, jobs)
		for n := range jobs {
			go func() {
				_, err := Begin(h.Dir, Attempt{Job: fmt.Sprint(100 + n)})
				errs <- err
			}()
		}
		won := 0
		for range jobs {
			var idle *IdleError
			if err := <-errs; err == nil {
				won++
			} else if !errors.As(err, &idle) {
				t.Errorf("a job ends with %v", err)
			}
		}
		if begun, err := s.Begun(task.Cookie); err != nil || won != 1 || len(begun) != 1 {
			t.Fatalf("%d jobs have the task; begun %v, %v", won, begun, err)
		}
	}
}

// A result that is not what its node wrote, of this attempt at this task, is broken: it is
// never believed, and leaves nothing here.
func TestHostileResults(t *testing.T) {
	type scene struct {
		*stage
		s      *Spool
		task   executor.Task
		result string
		run    string // directory of the run's files
	}
	for name, do := range map[string]func(c scene) error{
		"torn":         func(c scene) error { return os.Truncate(c.result, 100) },
		"empty":        func(c scene) error { return os.Truncate(c.result, 0) },
		"no JSON":      func(c scene) error { return os.WriteFile(c.result, []byte("green"), 0o600) },
		"another type": func(c scene) error { return os.WriteFile(c.result, []byte(`{"type":"verdict"}`), 0o600) },
		"another's":    func(c scene) error { return os.Chown(c.result, 12345, 12345) },
		"a link":       func(c scene) error { return moveAndLink(c.result) },
		"a pipe":       func(c scene) error { return errors.Join(os.Remove(c.result), syscall.Mkfifo(c.result, 0o600)) },
		"of other task": func(c scene) error {
			other := c.done(c.s)
			return os.Rename(c.s.result(other.Cookie, firstAttempt), c.result)
		},
		"of other attempt": func(c scene) error {
			return os.Rename(c.result, c.s.result(c.task.Cookie, Attempt{Job: "7", Restart: 1}))
		},
		"of other order": func(c scene) error {
			path := filepath.Join(c.s.task(c.task.Cookie), orderName)
			data, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, append(data, '\n'), 0o600))
		},
		"a log cut":           func(c scene) error { return os.Truncate(filepath.Join(c.run, "run.log"), 1) },
		"a log gone":          func(c scene) error { return os.Remove(filepath.Join(c.run, "run.log")) },
		"a log linked":        func(c scene) error { return moveAndLink(filepath.Join(c.run, "run.log")) },
		"a verdict repainted": func(c scene) error { return repaint(filepath.Join(c.run, verdictName)) },
		"no run":              func(c scene) error { return os.RemoveAll(c.run) },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			task := st.done(s)
			c := scene{st, s, task, s.result(task.Cookie, firstAttempt), filepath.Join(s.task(task.Cookie), firstAttempt.run())}
			if err := do(c); err != nil {
				t.Fatal(err)
			}
			at := firstAttempt
			if name == "of other attempt" {
				at.Restart = 1
			}
			out, err := s.Take(task, at)
			var loss *executor.Loss
			if name == "no run" || name == "a log gone" { // it may be on its way still
				if err == nil || errors.As(err, &loss) {
					t.Errorf("taken: %+v, %v", out, err)
				}
				late := time.Now().Add(-lateFiles)
				if err := os.Chtimes(c.result, late, late); err != nil {
					t.Fatal(err)
				}
				out, err = s.Take(task, at)
			}
			if !errors.As(err, &loss) || loss.Outcome != gates.Broken || loss.Kind != "torn" {
				t.Errorf("taken: %+v, %v", out, err)
			}
			if runs := st.runs(); len(runs) > 0 {
				t.Errorf("the history has %v", runs)
			}
			if left, _ := os.ReadDir(filepath.Join(st.o.State, "runs")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// moveAndLink puts a link to a file in its place.
func moveAndLink(path string) error {
	return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
}

// repaint makes a verdict another one.
func repaint(path string) error {
	data, err := os.ReadFile(path)
	return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(data), `"outcome":"green"`, `"outcome":"known red"`, 1)), 0o600))
}

// A content that came torn is broken for all its gates; a node whose own disk is at fault
// refuses one.
func TestCheckOutFails(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(st *stage, s *Spool, o Order) error
		content bool
		want    gates.Outcome
	}{
		"bundle torn": {func(st *stage, s *Spool, o Order) error {
			return os.Truncate(filepath.Join(s.place.dir, "contents", o.Content, bundleName), 100)
		}, true, gates.Broken},
		"bundle gone": {func(st *stage, s *Spool, o Order) error {
			return os.Remove(filepath.Join(s.place.dir, "contents", o.Content, bundleName))
		}, true, gates.Broken},
		"content gone": {func(st *stage, s *Spool, o Order) error {
			return os.RemoveAll(filepath.Join(s.place.dir, "contents", o.Content))
		}, true, gates.Broken},
		"no scratch": {func(st *stage, s *Spool, o Order) error {
			return errors.Join(os.Remove(st.o.Scratch), os.WriteFile(st.o.Scratch, nil, 0o600))
		}, false, gates.Refused},
		"no git": {func(st *stage, s *Spool, o Order) error { st.t.Setenv("PATH", "/none"); return nil }, false, gates.Refused},
		"scratch in a lane": {func(st *stage, s *Spool, o Order) error {
			return errors.Join(os.Remove(st.o.Scratch), os.Symlink(st.dir, st.o.Scratch))
		}, false, gates.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			task := st.task()
			h := st.hand(s, task)
			o, err := s.place.readOrder(h.Dir)
			if err == nil {
				err = c.do(st, s, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			j := st.begin(h, firstAttempt)
			_, err = j.CheckOut(t.Context())
			var f *Failure
			if !errors.As(err, &f) || f.Content != c.content || f.Outcome != c.want {
				t.Fatalf("it fails with %v", err)
			}
			exit, err := j.Fail(f)
			if err = errors.Join(err, j.Close(t.Context())); err != nil || exit != c.want.ExitCode() {
				t.Errorf("given back with %d, %v", exit, err)
			}
			out, err := s.Take(task, firstAttempt)
			if err != nil || out.Failed == nil || out.Failed.Outcome != c.want || (out.Failed.Kind == executor.KindContent) != c.content || out.Exit != exit {
				t.Errorf("%+v, %v", out, err)
			}
			if left, _ := filepath.Glob(filepath.Join(st.dir, "gpuci-*")); len(left) > 0 {
				t.Errorf("it left %v in the lane", left)
			}
		})
	}
}

// Many tasks that begin at once on one node, among what killed ones left, do each other
// no harm.
func TestManyCheckOuts(t *testing.T) {
	st := newStage(t)
	s := st.open()
	killed := make(chan *Job, 3)
	for range cap(killed) { // what is locked by nobody
		j := st.begin(st.hand(s, st.task()), firstAttempt)
		if _, err := j.CheckOut(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = j.scratch.lock.Unlock()
		killed <- j
	}
	const jobs = 12
	errs := make(chan error, jobs)
	for range jobs {
		h := st.hand(s, st.task())
		go func() {
			j, err := Begin(h.Dir, firstAttempt)
			if err == nil {
				_, err = j.CheckOut(context.Background())
				err = errors.Join(err, j.Close(context.Background()))
			}
			errs <- err
		}()
	}
	for range jobs {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(st.o.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left on the node: %v, %v", left, err)
	}
}

// A claim that is no file of ours is not overcome.
func TestHostileClaims(t *testing.T) {
	for name, do := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink("/dev/null", path) },
		"torn":   func(path string) error { return os.WriteFile(path, []byte(`{"job":`), 0o600) },
		"another's": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(`{"job":"7"}`), 0o600), os.Chown(path, 12345, 12345))
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			h := st.hand(s, st.task())
			if err := do(filepath.Join(h.Dir, claimName)); err != nil {
				t.Fatal(err)
			}
			if _, err := Begin(h.Dir, firstAttempt); err == nil {
				t.Error("the task was begun")
			}
			if begun, err := s.Begun(h.Cookie); err != nil || len(begun) > 0 {
				t.Errorf("begun %v, %v", begun, err)
			}
		})
	}
}

// A shared place that is full loses no verdict as long as somebody makes room in time, and
// says so where nobody does.
func TestFullPlace(t *testing.T) {
	disk := onSmallDisk(t, "4m")
	if disk == "" {
		return
	}
	st := newStage(t)
	st.o.Shared = disk
	if err := os.Chmod(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	s := st.open()
	task := st.task()
	j := st.begin(st.hand(s, task), firstAttempt)
	defer j.Close(context.Background())
	v := st.run(j, task)
	ballast := filepath.Join(disk, "ballast")
	fill := func() {
		t.Helper()
		f, err := os.Create(ballast)
		if err != nil {
			t.Fatal(err)
		}
		for block := make([]byte, 1<<16); len(block) > 0; block = block[:len(block)/2] {
			for {
				if _, err := f.Write(block); err != nil {
					break
				}
			}
		}
		_ = f.Close()
	}
	fill()
	j.Patience = 10 * time.Millisecond
	if code, err := j.Deliver(t.Context(), v); code != ExitUndelivered || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("delivered with %d, %v", code, err)
	}
	if list, err := s.Results(); err != nil || len(list) > 0 {
		t.Errorf("results %v, %v", list, err)
	}
	if _, err := s.Hand(t.Context(), st.task(), Sources); !errors.Is(err, syscall.ENOSPC) || errors.As(err, new(*executor.Loss)) {
		t.Errorf("handed over: %v", err)
	}
	j.Patience = time.Minute
	freed := make(chan struct{})
	go func() {
		defer close(freed)
		time.Sleep(50 * time.Millisecond) // while it is tried again
		_ = os.Remove(ballast)
	}()
	if code, err := j.Deliver(t.Context(), v); code != 0 || err != nil {
		t.Errorf("delivered with %d, %v", code, err)
	}
	<-freed
	if out, err := s.Take(task, firstAttempt); err != nil || out.Verdict == nil || out.Verdict.Outcome != gates.Green {
		t.Errorf("%+v, %v", out, err)
	}
}

// Where nothing can be written, nothing begins.
func TestReadOnlyPlace(t *testing.T) {
	disk := onSmallDisk(t, "8m")
	if disk == "" {
		return
	}
	st := newStage(t)
	st.o.Shared = disk
	if err := os.Chmod(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	s := st.open()
	task := st.task()
	h := st.hand(s, task)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, open := Open(st.o)
	_, begin := Begin(h.Dir, firstAttempt)
	_, hand := s.Hand(t.Context(), st.task(), Sources)
	for what, err := range map[string]error{"open": open, "begin": begin, "hand": hand, "withdraw": s.Withdraw(task.Cookie), "drop": s.Drop(task.Cookie)} {
		if !errors.Is(err, syscall.EROFS) || errors.As(err, new(*executor.Loss)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What nobody needs goes, and nothing that somebody may.
func TestClean(t *testing.T) {
	st := newStage(t)
	s := st.open()
	kept, left, dropped := st.task(), st.task(), st.task()
	st.hand(s, kept)
	st.write(filepath.Join(st.dir, "file"), "2\n")
	st.git("commit", "-qam", "second")
	dropped.Head.Commit, dropped.Head.Tree = st.git("rev-parse", "HEAD"), st.git("rev-parse", "HEAD^{tree}")
	o, err := s.place.readOrder(st.hand(s, dropped).Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(dropped.Cookie); err != nil {
		t.Fatal(err)
	}
	before := st.o.Night
	st.o.Night = "night-0"
	st.open()
	st.o.Night = "night-old"
	abandoned := st.open()
	st.hand(abandoned, left)
	st.o.Night = before
	nights := filepath.Join(s.place.dir, "nights")
	part := filepath.Join(s.place.dir, "contents", partName())
	if err := os.Mkdir(part, 0o700); err != nil {
		t.Fatal(err)
	}
	all := func() []string {
		var names []string
		for _, dir := range append([]string{"nights"}, dirs...) {
			entries, _ := os.ReadDir(filepath.Join(s.place.dir, dir))
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		return names
	}
	was := all()
	if err := s.Clean(t.Context()); err != nil || !slices.Equal(all(), was) {
		t.Fatalf("what is new was removed: %v, %v", all(), err)
	}
	age := func(path string, by time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, time.Now().Add(-by), time.Now().Add(-by)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"night-0", "night-old"} {
		for _, dir := range []string{"", "tasks", "results"} {
			age(filepath.Join(nights, name, dir), keepEmpty+time.Minute)
		}
	}
	for _, c := range []string{"contents", "programs"} {
		entries, err := os.ReadDir(filepath.Join(s.place.dir, c))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			age(filepath.Join(s.place.dir, c, e.Name()), keepThing+time.Hour)
		}
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		filepath.Join(nights, "night-0"): false, filepath.Join(nights, "night-old"): true, filepath.Join(nights, before): true,
		filepath.Join(s.place.dir, "contents", o.Content): false, s.place.program(o.Program): true, part: false, s.task(kept.Cookie): true,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	st.deliver(st.begin(st.hand(s, kept), firstAttempt), kept) // with all that it needs
}
