package reaper_test

import (
	"testing"

	"gpuci/reaper"
)

// runs says what is known of runs, next to what is there already: one that
// lives, one that is over, neither of them a lane's.
func (w *world) runs(alive bool) {
	more := map[string]reaper.Run{"on": {Lives: alive}, "over": {}}
	for id, run := range w.Runs {
		more[id] = run
	}
	w.Runs = more
}

// livingConditions are about runs that go on while their tools are orphans.
func livingConditions() []condition {
	of := func(edit func(f *fact)) func(w *world) {
		return func(w *world) { w.runs(true); w.know(100, edit) }
	}
	return []condition{
		{"in a living run's leaf", tree(), of(func(f *fact) { f.Leaf = "on" })},
		{"in its leaf, with a cookie of one that is over", tree(), of(func(f *fact) { f.Leaf, f.Cookie = "on", []string{"over"} })},
		{"with a living run's cookie", tree(), of(func(f *fact) { f.Cookie = []string{"on"} })},
		{"with its cookie and that of one that is over", tree(), of(func(f *fact) { f.Cookie = []string{"over", "on"} })},
		{"with its cookie, in the leaf of one that is over", tree(), of(func(f *fact) { f.Leaf, f.Cookie = "over", []string{"on"} })},
		{"with its cookie, in a leaf that is not known", tree(), of(func(f *fact) { f.Leaf, f.LeafUnknown, f.Cookie = "over", true, []string{"on"} })},
		{"with a cookie that is not known while a run lives", tree(), of(func(f *fact) { f.CookieUnknown = true })},
		{"with a script above it in a living run's leaf", tree(), func(w *world) {
			w.put(99, 1, 90, "/bin/sh", "/wt/kda")
			w.set(func(it *reaper.Process) { it.Comm = "cc" }, 99)
			w.set(func(it *reaper.Process) { it.PPID = 99 }, 100)
			w.runs(true)
			w.know(99, func(f *fact) { f.Leaf = "on" })
			w.know(100, func(f *fact) { f.Leaf = "on" })
		}},
	}
}

// TestLivingRuns is about the leaked tree again: what of a run does not keep it.
func TestLivingRuns(t *testing.T) {
	for name, change := range map[string]func(f *fact){
		"a leaf of a run that is over":                 func(f *fact) { f.Leaf = "over" },
		"a leaf of a run that nobody knows":            func(f *fact) { f.Leaf = "who" },
		"a living run's leaf, not known":               func(f *fact) { f.Leaf, f.LeafUnknown = "on", true },
		"a cookie of a run that is over":               func(f *fact) { f.Cookie = []string{"over"} },
		"a cookie of a run that nobody knows":          func(f *fact) { f.Cookie = []string{"who"} },
		"an empty cookie":                              func(f *fact) { f.Cookie = []string{} },
		"neither leaf nor cookie, and a run that goes": func(*fact) {},
	} {
		w := leakedTree()
		w.runs(true)
		w.know(100, change)
		same(t, name, w, tree())
	}
	for pid := 101; pid <= 102; pid++ {
		w := leakedTree()
		w.runs(true)
		w.know(pid, func(f *fact) { f.Leaf, f.Cookie = "on", []string{"on"} })
		same(t, "a living run below the first one", w, tree()[:pid-100])
	}
	w := leakedTree()
	w.runs(false)
	w.know(100, func(f *fact) { f.Cookie, f.CookieUnknown = []string{"on"}, true })
	same(t, "a cookie that is not known when no run lives", w, tree())
}

// TestLivingRunAboveAnother is about a tree that goes on with a leaked one in
// its midst: that one's first process is of no living run.
func TestLivingRunAboveAnother(t *testing.T) {
	w := leakedTree()
	w.runs(true)
	w.know(100, func(f *fact) { f.Leaf = "on" })
	w.set(func(it *reaper.Process) { it.Exe.Path = "/usr/bin/make" }, 101)
	same(t, "a build within the build", w, nil)
	w.set(func(it *reaper.Process) { it.Session = 91 }, 102)
	same(t, "a leaked one within the build", w, []int{102})
}

// asking is a factBook that remembers whose cookie was asked for.
type asking struct {
	factBook
	cookies map[int]bool
}

func (a asking) Cookie(pid int) ([]string, bool) {
	a.cookies[pid] = true
	return a.factBook.Cookie(pid)
}

// TestCookieAskedLast is about the package alone: an environment can block, and
// is read only where nothing else keeps a tree and a run lives.
func TestCookieAskedLast(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		asked  bool
	}{
		"a run lives":            {func(w *world) { w.runs(true) }, true},
		"none lives":             {func(w *world) { w.runs(false) }, false},
		"in a living one's leaf": {func(w *world) { w.runs(true); w.know(100, func(f *fact) { f.Leaf = "on" }) }, false},
		"below a build":          {func(w *world) { w.runs(true); w.driver("/usr/bin/make", "/wt/kda") }, false},
		"another lane's":         {func(w *world) { w.runs(true); w.stand("/wt/kda2") }, false},
		"young":                  {func(w *world) { w.runs(true); w.set(func(it *reaper.Process) { it.Age = 0 }) }, false},
		"another user's":         {func(w *world) { w.runs(true); w.set(func(it *reaper.Process) { it.UID = 0 }) }, false},
	} {
		w := leakedTree()
		c.change(w)
		p, facts := w.picture(), asking{w.Facts, map[int]bool{}}
		p.Facts = facts
		if _, err := reaper.Judge(p, w.Lanes, func(lane string) bool { return w.Wanted[lane] }, reaper.Rules{}); err != nil {
			t.Fatal(err)
		}
		for _, pid := range tree() {
			if facts.cookies[pid] != c.asked {
				t.Errorf("%s: the cookie of %d asked: %t", name, pid, facts.cookies[pid])
			}
		}
	}
}
