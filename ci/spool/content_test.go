package spool

import (
	"os"
	"path/filepath"
	"testing"
)

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
