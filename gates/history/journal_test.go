package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// elsewhere makes a stage of a state directory on a network file system, with
// its database in another directory.
func elsewhere(t *testing.T) (*stage, func(*Options)) {
	st := newStage(t)
	index := filepath.Join(t.TempDir(), "index")
	st.world.network = func(path string) (string, error) {
		if strings.HasPrefix(path, st.dir) {
			return "NFS", nil
		}
		return "", nil
	}
	return st, func(o *Options) { o.Index = index }
}

// On a network file system the journals have everything, and the database of
// each host is made of all of them.
func TestNetwork(t *testing.T) {
	st, index := elsewhere(t)
	s := st.open(index)
	st.record(s, result("one"), result("two"))
	if ids := st.runs(s, Query{}); len(ids) != 2 {
		t.Errorf("%q", ids)
	}
	if err := s.Amend(t.Context(), "two", func(r *Result) { r.Outcome = "broken" }); err != nil {
		t.Error(err)
	}
	st.close(s)
	if _, err := os.Lstat(st.path("history.db")); err == nil {
		t.Error("there is a database on it")
	}
	other, err := open(t.Context(), Options{State: st.dir, Index: t.TempDir(), Host: "far/../box"}, st.world)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	st.record(other, result("three"))
	if ids := st.runs(other, Query{}); len(ids) != 3 {
		t.Errorf("%q", ids)
	}
	if r, err := other.Find(t.Context(), "two"); err != nil || r.Outcome != "broken" || r.Revision != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	s = st.open(index)
	if ids := st.runs(s, Query{}); len(ids) != 3 {
		t.Errorf("%q", ids)
	}
	if names, _ := filepath.Glob(st.path("journal/*")); len(names) != 2 || len(st.notes) > 0 {
		t.Errorf("%q, %q", names, st.notes)
	}
}

// Without a directory of this machine, it is written and says why it cannot be
// read.
func TestNetworkOnly(t *testing.T) {
	st, _ := elsewhere(t)
	s := st.open()
	st.record(s, result("one"))
	if _, err := s.Latest(t.Context()); err == nil || !strings.Contains(err.Error(), "NFS") {
		t.Error(err)
	}
	st.mustNote("network file system (NFS)", "journal")
	st.close(s)
	st.world.network = func(string) (string, error) { return "", nil }
	if ids := st.runs(st.open(), Query{}); len(ids) != 1 {
		t.Errorf("%q", ids)
	}
}

// Lines that nobody can read are left out, counted and said once; those around
// them come in. One that a killed writer left is ended by the next.
func TestGarbled(t *testing.T) {
	st := newStage(t)
	line := func(id string) string {
		e, err := newEntry(result(id))
		if err != nil {
			t.Fatal(err)
		}
		return string(e.body) + "\n"
	}
	name := fmt.Sprintf("journal/far-%d.jsonl", os.Geteuid())
	big := `{"type":"result","run":"big","gate":"` + strings.Repeat("x", maxLine) + `"}` + "\n"
	infinite := `{"type":"result","run":"inf","gate":"g","seconds":1e999}` + "\n"
	newer := `{"type":"result","run":"newer","gate":"g","lane":"l","unheard":{"of":[1]},"uid":4711}` + "\n"
	st.write(name, []byte(line("a")+"{\n\n"+big+infinite+"null\n[]\n"+`{"type":"omen"}`+"\n"+newer+line("a")+line("b")+`{"type":"kill","pid":1`))
	s := st.open()
	if ids := st.runs(s, Query{}); len(ids) != 3 {
		t.Errorf("%q", ids)
	}
	if r, err := s.Find(t.Context(), "newer"); err != nil || r.UID != os.Geteuid() {
		t.Errorf("%+v, %v", r, err)
	}
	st.mustNote(name, "6 lines")
	st.close(s)
	st.notes = nil
	s = st.open(func(o *Options) { o.Host = "far" })
	if err := s.append(t.Context(), bytes.TrimSpace([]byte(line("c")))); err != nil {
		t.Fatal(err)
	}
	st.close(s)
	s = st.open()
	if ids := st.runs(s, Query{}); len(ids) != 4 {
		t.Errorf("%q", ids)
	}
	st.mustNote("1 line that", "was left out")
	if err := os.Remove(st.path(name)); err != nil { // another file, perhaps with the same inode
		t.Fatal(err)
	}
	st.write(name, []byte(line("d")+line("e")+line("f")+line("g")+strings.Repeat("\n", 10<<20)))
	st.close(s)
	if ids := st.runs(st.open(), Query{}); len(ids) != 8 {
		t.Errorf("%q", ids)
	}
}

// What is no journal of the user in its name is not read, nor waited for, and
// ours is not written through a link.
func TestNotTrusted(t *testing.T) {
	st := newStage(t)
	st.close(st.open())
	e, err := newEntry(result("forged"))
	if err != nil {
		t.Fatal(err)
	}
	line := append(e.body, '\n')
	uid := os.Geteuid()
	st.write(fmt.Sprintf("journal/a-%d.jsonl", uid+1), line)
	st.write("elsewhere", line)
	if err := errors.Join(os.Symlink("../elsewhere", st.path(fmt.Sprintf("journal/b-%d.jsonl", uid))),
		unix.Mkfifo(st.path(fmt.Sprintf("journal/c-%d.jsonl", uid)), 0o644),
		os.Link(st.path("elsewhere"), st.path(fmt.Sprintf("journal/d-%d.jsonl", uid))),
		os.Mkdir(st.path(fmt.Sprintf("journal/e-%d.jsonl", uid)), 0o755)); err != nil {
		t.Fatal(err)
	}
	st.write("journal/no-name.jsonl", line)
	s := st.open()
	if ids := st.runs(s, Query{}); len(ids) != 0 {
		t.Errorf("%q", ids)
	}
	for _, name := range "abcde" {
		st.mustNote(fmt.Sprintf("journal/%c-", name), "ignored")
	}
	for _, host := range "bcde" {
		s.o.Host = string(host)
		if err := s.append(t.Context(), line); err == nil {
			t.Errorf("%c was written to", host)
		}
	}
}

// Writers of one journal wait for each other, and for no longer than they may.
func TestJournalLocked(t *testing.T) {
	st := newStage(t)
	s := st.open(func(o *Options) { o.Wait = 30 * time.Millisecond })
	if err := s.append(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(s.journal(), flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(err)
	}
	if err := s.append(t.Context(), []byte("{}")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// needRoot skips a test that another user, or a mount, is needed for.
func needRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
}

const nobody = 65534

// otherJob is somebody who may not write to the database: he records, and says
// what he can read.
func otherJob(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{State: args[0], Host: "box", Note: func(text string) { fmt.Println("note", text) }})
	if err != nil {
		return err
	}
	for r, err := range s.Results(ctx, Query{}) {
		if err != nil {
			return err
		}
		fmt.Println("reads", r.Run)
	}
	mine := result(args[1])
	mine.Started = mine.Started.Add(time.Duration(len(args[1])) * time.Minute) // a longer name is newer
	if err := s.Record(ctx, mine); err != nil {
		return err
	}
	s.Rest()
	if err := sees(ctx, s); err != nil {
		return err
	}
	return s.Close()
}

// sees prints what every question to the history is answered with: run ids.
func sees(ctx context.Context, s *Store) error {
	var ids []string
	for r, err := range s.Results(ctx, Query{Limit: 3}) {
		if err != nil {
			return err
		}
		ids = append(ids, r.Run)
	}
	latest, err := s.Latest(ctx)
	for _, r := range latest {
		ids = append(ids, "latest", r.Run)
	}
	of := Series{Gate: "adjoint", Metric: "worst-rel", Labels: "term=d_g", Backend: "cuda", Card: "H200", Profile: "debug"}
	greens, err2 := s.Greens(ctx, of, Query{Limit: 2})
	all, err3 := s.GreensOf(ctx, of, Query{Limit: 2})
	courses, err4 := s.Course(ctx, Query{Gate: "adjoint", Limit: 2}, "bwd", 0)
	counts, err5 := s.Count(ctx, Query{Gate: "adjoint"})
	for i, list := range [][]Point{greens, all, courses[0].Points} {
		ids = append(ids, []string{"greens", "metric", "course"}[i])
		for _, p := range list {
			ids = append(ids, p.Run)
		}
	}
	if _, err := s.Find(ctx, "second"); err == nil {
		ids = append(ids, "found")
	}
	fmt.Println("sees", ids, counts)
	return errors.Join(err, err2, err3, err4, err5)
}

// letIn lets other users into a directory of the test's, and into no directory
// but the test's own.
func letIn(t *testing.T, dir string) {
	t.Helper()
	own := filepath.Dir(t.TempDir())
	for ; strings.HasPrefix(dir, own); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// A second user reads, leaves his results in a journal, and the owner's next
// gpuci has them, under his uid whatever he writes.
func TestSecondUser(t *testing.T) {
	needRoot(t)
	st := newStage(t)
	letIn(t, filepath.Dir(st.dir))
	s := st.open()
	st.record(s, result("owners"))
	other := func(id string) string {
		cmd := command(t, "other", st.dir, id)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	for i, id := range []string{"first", "second", "third"} {
		said := other(id)
		sees := []string{
			"sees [first owners latest first greens first owners metric first owners course owners first] map[green:2]",
			"sees [second first owners latest second greens second first metric second first course first second found] map[green:3]",
			"sees [second first third latest second greens second first metric second first course third second found] map[green:4]",
		}[i]
		for _, want := range []string{sees, "reads owners", "uid 65534 may not write to it", "journal/box-65534.jsonl"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q is not in %s", want, said)
			}
		}
		switch i {
		case 0: // and once when nobody has it open
			st.close(s)
		case 1: // and once when its log is empty
			s = st.open()
			s.fold(0)
			st.close(s)
			if info, err := os.Stat(st.path("history.db-wal")); err != nil || info.Size() > 0 {
				t.Errorf("the log was not cut: %v", err)
			}
		}
	}
	s = st.open()
	r, err := s.Find(t.Context(), "first")
	if ids := st.runs(s, Query{}); len(ids) != 4 || err != nil || r.UID != nobody {
		t.Errorf("%q, %+v, %v", ids, r, err)
	}
	if err := s.Amend(t.Context(), "first", func(*Result) {}); err == nil {
		t.Error("another's result was amended")
	}
	f, err := os.OpenFile(st.path("journal/box-65534.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"type":"result","run":"owners","gate":"adjoint","lane":"kda","outcome":"red","revision":7,"uid":0}`)
	_ = f.Close()
	st.close(s)
	s = st.open()
	if r, err := s.Find(t.Context(), "owners"); err != nil || r.Outcome != "green" {
		t.Errorf("another user changed it: %+v, %v", r, err)
	}
}

// In a directory that is gone read-only, both fail, and the error names both.
func TestNowhere(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	letIn(t, dir)
	cmd := command(t, "other", filepath.Join(dir, "gpuci"), "lost")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"record result of gate adjoint", "history.db", "journal", "permission denied"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%q is not in %s (%v)", want, out, err)
		}
	}
}
