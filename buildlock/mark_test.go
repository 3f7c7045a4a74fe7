package buildlock

import (
	"errors"
	"fmt"
	"gpuci/reaper/proc"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// nested runs a holder below the shell that another holder became, and returns
// what it says.
func nested(t *testing.T, dir string, outer, inner Lock) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"Dir":%q,"Lock":%q}`, dir, string(inner))
	// Two shells in between: the line of ancestors is what counts.
	c := start(t, order{Dir: dir, Lock: outer, Keep: fmt.Sprintf(`sh -c '%s '\''%s'\''; true'; true`, self, text)})
	c.hears("got")
	c.say("exec")
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// Field case 27: a call inside a call neither waits for itself nor runs
// unlocked because "my parent has it".
func TestNestedCase27(t *testing.T) {
	named := func(s string) Lock {
		l, err := Named(s)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, c := range []struct {
		outer, inner Lock
		want         string
	}{
		{Link, Link, "got link-1 true"},
		{Build, Build, "got build-1 true"},
		{Build, Link, "got link-1 false"}, // below the build lock, links still queue
		{named("a"), named("b"), "got name.b-1 false"},
		{named("a"), Build, "got build-1 false"},
		{named("a"), Link, "got link-1 false"},
		{named("b"), named("a"), "error locks are taken in the wrong order"},
		{Build, named("a"), "error locks are taken in the wrong order"},
		{Link, Build, "error locks are taken in the wrong order"},
	} {
		if got := nested(t, lockDir(t, 1), c.outer, c.inner); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s below %s: %q, want %q", c.inner, c.outer, got, c.want)
		}
	}
}

// The holder of a build lock is killed, and what it started goes on: a call in
// there does not wait for itself. For a link it would.
func TestNestedBelowKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for l, want := range map[Lock]string{Build: "got build-1 true", Link: "error the link lock is taken"} {
		dir := lockDir(t, 1)
		text := fmt.Sprintf(`{"Dir":%q,"Lock":%q}`, dir, string(l))
		// The shell in the background goes on when its parent, the holder, is gone.
		c := start(t, order{Dir: dir, Lock: l, Keep: fmt.Sprintf(`{ while kill -0 $$; do sleep 0.02; done 2>&-; %s '%s' <&-; } & kill -KILL $$`, self, text)})
		c.hears("got")
		c.say("exec")
		_, _ = c.cmd.Process.Wait()
		if got := c.hears(""); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", l, got, want)
		}
	}
}

// An environment that was emptied on the way does not make a call wait for its
// own ancestor.
func TestNestedWithoutMarks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := lockDir(t, 1)
	text := fmt.Sprintf(`{"Dir":%q,"Lock":"build"}`, dir)
	c := start(t, order{Dir: dir, Lock: Build, Keep: fmt.Sprintf(`env -i %s=holder %s '%s'; true`, childVariable, self, text)})
	c.hears("got")
	c.say("exec")
	c.hears("got build-1 true")
}

// A mark says nothing to who does not stand below its holder, is of another
// lock directory, or comes too late.
func TestMarkNotBelieved(t *testing.T) {
	dir := lockDir(t, 1)
	c := start(t, order{Dir: dir})
	c.hears("got")
	mustWait(t, Options{Dir: dir, Marks: "link-1"})
	mustWait(t, Options{Dir: dir, Marks: "link-1:build-1:x:link-99:link--1:../x-1:"})
	c.say("release")
	c.hears("released")
	k := take(t, Options{Dir: dir, Marks: "link-1"})
	if k.Passed {
		t.Error("a ticket that was released let somebody pass")
	}
	if len(believed(dir, k.ID)) != 1 || len(believed(lockDir(t, 1), k.ID)) != 0 {
		t.Error("a mark is not believed where it should be, or is where it should not")
	}
}

// A copy of the environment in a process that has left the line of ancestors.
func TestMarkOfAnOrphan(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	// The pid of the record lives, its start ticks do not fit: the number was
	// used again.
	q, err := openQueue(dir, Link)
	if err != nil {
		t.Fatal(err)
	}
	defer q.close()
	r, _, err := q.record(k.Number)
	if err != nil {
		t.Fatal(err)
	}
	above := proc.Real.Lineage(os.Getpid())
	if !slices.ContainsFunc(above, r.made) {
		t.Fatalf("we are not our own ancestor: %v in %v", r, above)
	}
	if _, err := k.file.WriteAt([]byte(strings.Replace(mustLine(t, k), fmt.Sprint(r.Start), fmt.Sprint(r.Start+1), 1)), 0); err != nil {
		t.Fatal(err)
	}
	mustWait(t, Options{Dir: dir, Marks: k.ID})
}

func mustLine(t *testing.T, k *Ticket) string {
	t.Helper()
	buf := make([]byte, 4096)
	n, err := k.file.ReadAt(buf, 0)
	if n == 0 {
		t.Fatal(err)
	}
	return string(buf[:n])
}

func TestVoid(t *testing.T) {
	dir := lockDir(t, 1)
	stuck := start(t, order{Dir: dir})
	stuck.hears("got")
	c := start(t, order{Dir: dir, Wait: -1})
	c.hears("waiting")
	for _, bad := range []string{"link-99", "link", "", "build-1", "link-x", "../../x-1"} {
		if err := Void(t.Context(), dir, bad, "because"); !errors.Is(err, ErrNoTicket) {
			t.Errorf("Void %q: %v, want ErrNoTicket", bad, err)
		}
	}
	if err := Void(t.Context(), dir, "link-1", "its disk is gone"); err != nil {
		t.Fatal(err)
	}
	c.hears("got") // without anybody having ended
	list, err := Tickets(t.Context(), dir, Link)
	if err != nil || len(list) != 2 || list[0].State != StateVoid || list[0].Void.Why != "its disk is gone" || list[1].State != StateHolds {
		t.Errorf("tickets: %+v, %v", list, err)
	}
	stuck.say("release")
	stuck.hears("released <nil>")
	mustWait(t, Options{Dir: dir})
}

// A waiter whose ticket is declared void is told, and does not wait on.
func TestVoidWaiter(t *testing.T) {
	dir := lockDir(t, 1)
	take(t, Options{Dir: dir})
	c := start(t, order{Dir: dir, Wait: -1})
	c.hears("waiting")
	if err := Void(t.Context(), dir, "link-2", "not this one"); err != nil {
		t.Fatal(err)
	}
	if said := c.hears("error ticket link-2 was declared void by " + UserName(os.Getuid())); !strings.HasSuffix(said, "not this one") {
		t.Errorf("it is told %q", said)
	}
}

// Another user's word makes nobody's ticket void.
func TestVoidByAnother(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	q, err := openQueue(dir, Link)
	if err != nil {
		t.Fatal(err)
	}
	defer q.close()
	if err := q.make(voidName(k.Number), "{}\n"); err != nil {
		t.Fatal(err)
	}
	err = os.Chown(q.path+"/"+voidName(k.Number), 65534, -1)
	needs(t, err == nil, "root")
	mustWait(t, Options{Dir: dir})
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte("{\"pid\":1,\"start\":2,\"boot\":\"x\",\"since\":\"2026-01-01T00:00:00Z\"}\n{\"granted\":\"2026-01-01T00:00:00Z\"}\n"))
	f.Add([]byte("{\"pid\":"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, g := parseRecord(data)
		_ = Entry{PID: r.PID, Since: r.Since, Granted: g.Granted}.String()
	})
}

func FuzzParseMark(f *testing.F) {
	for _, s := range []string{"link-1", "name.a-b-7", "build-", "-", "link-18446744073709551615"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, ok := parseMark(s)
		if !ok {
			return
		}
		if again, ok := parseMark(m.String()); !ok || again != m || strings.ContainsAny(string(m.lock), "/\x00") {
			t.Errorf("%q gives %+v, which gives %+v", s, m, again)
		}
	})
}
