package reaper_test

import (
	"testing"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// stray is a machine with one orphan, 500, and its child, 501, from a program
// in lane kda's target directory.
func stray(program string) *world {
	w := leakedTree()
	for _, pid := range tree() {
		delete(w.Processes, pid)
	}
	w.put(500, 1, 90, "/scratch/kda/"+program, "/wt/kda")
	w.put(501, 500, 90, "/usr/bin/sleep", "/wt/kda")
	w.Runs = map[string]reaper.Run{"dead": {Lane: "kda"}, "alive": {Lane: "kda", Lives: true}, "other": {Lane: "kda2"}}
	w.TestBinaries = true
	return w
}

// inTwoLanes puts the orphan where lane kda and its removed predecessor both
// count.
func inTwoLanes(w *world) {
	w.Lanes = append(w.Lanes, reaper.Lane{Name: "before", Root: "/wt/kda", Removed: true})
	w.Wanted["before"] = true
	w.set(func(it *reaper.Process) { it.Cwd.Deleted = true }, 500)
}

// TestStrays is about orphans that are no tools.
func TestStrays(t *testing.T) {
	const binary = "debug/deps/adjoint-0123456789abcdef"
	both, none := []int{500, 501}, []int(nil)
	is := func(edit func(it *reaper.Process)) func(w *world) { return func(w *world) { w.set(edit, 500) } }
	has := func(edit func(f *fact)) func(w *world) { return func(w *world) { w.know(500, edit) } }
	nothing := func(*world) {}
	asked := func(on bool, more func(w *world)) func(w *world) {
		return func(w *world) { w.TestBinaries = on; more(w) }
	}
	for _, c := range []struct {
		name, program string
		change        func(w *world)
		want          []int
	}{
		{"a test binary", binary, nothing, both},
		{"a test binary, not asked for", binary, asked(false, nothing), none},
		{"a test binary for a target", "x86_64-unknown-linux-gnu/" + binary, nothing, both},
		{"three directories above deps", "a/b/" + binary, nothing, none},
		{"no directory above deps", "deps/adjoint-0123456789abcdef", nothing, none},
		{"capital digits", "debug/deps/adjoint-0123456789ABCDEF", nothing, none},
		{"15 digits", "debug/deps/adjoint-0123456789abcde", nothing, none},
		{"17 digits", "debug/deps/adjoint-0123456789abcdef0", nothing, none},
		{"no name", "debug/deps/-0123456789abcdef", nothing, none},
		{"below deps", "debug/deps/x/adjoint-0123456789abcdef", nothing, none},
		{"a trainer from target/release", "release/train", nothing, none},
		{"a trainer with nohup", "release/train", has(func(f *fact) { f.HUP = true }), none},
		{"a trainer with setsid", "release/train", is(func(it *reaper.Process) { it.Session = 500 }), none},
		{"of a dead run, started by process 1 as a service", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf, f.Unit = "dead", "nightly.service" })
			w.set(func(it *reaper.Process) { it.Session = 500 }, 500)
		}, none},
		{"of a dead run, leading its session in no service", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.set(func(it *reaper.Process) { it.Session = 500 }, 500)
		}, both},
		{"a test binary in a service, leading nothing", binary, has(func(f *fact) { f.Unit = "cron.service" }), both},
		{"a test binary with nohup", binary, has(func(f *fact) { f.HUP = true }), none},
		{"a test binary of which that is not known", binary, has(func(f *fact) { f.HUPUnknown = true }), none},
		{"a test binary with setsid", binary, is(func(it *reaper.Process) { it.Session = 500 }), none},
		{"a protected test binary", binary, func(w *world) { w.Protected = map[int]bool{500: true} }, none},
		{"a protected one below a test binary", binary, func(w *world) { w.Protected = map[int]bool{501: true} }, []int{500}},
		{"a test binary below cargo", binary, func(w *world) {
			w.put(80, 800, 90, "/root/.cargo/bin/cargo", "/wt/kda")
			w.set(func(it *reaper.Process) { it.PPID = 80 }, 500)
		}, none},
		{"a test binary, started in another lane", binary, is(func(it *reaper.Process) { it.Cwd.Path = "/wt/kda2" }), none},
		{"a test binary, started nowhere", binary, is(func(it *reaper.Process) { it.Cwd.Path = "/" }), both},
		{"another lane's, started here", binary, is(func(it *reaper.Process) { it.Exe.Path = "/wt/kda2/target/" + binary }), none},
		{"a test binary in a shared target", binary, func(w *world) { w.Lanes[1].Target = w.Lanes[0].Target }, none},
		{"a test binary that is not known", binary, is(func(it *reaper.Process) { it.Exe.Answer = proc.Unknown }), none},
		{"a test binary that was built anew", binary, is(func(it *reaper.Process) { it.Exe.Deleted = true }), both},
		{"a stopped trainer of a dead run", "release/train", has(func(f *fact) { f.Leaf = "dead" }), both},
		{"a test binary below a gpuci", binary, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/gpuci", "/")
			w.set(func(it *reaper.Process) { it.PPID = 76 }, 500)
		}, none},
		{"a test binary below a subreaper", binary, is(func(it *reaper.Process) { it.PPID = 70 }), both},
		{"a test binary in a living run's leaf", binary, has(func(f *fact) { f.Leaf = "alive" }), none},
		{"a test binary in another lane's living run's leaf", binary, func(w *world) {
			w.Runs["other"] = reaper.Run{Lane: "kda2", Lives: true}
			w.know(500, func(f *fact) { f.Leaf = "other" })
		}, none},
		{"a test binary in a living run's leaf that is not known", binary, has(func(f *fact) { f.Leaf, f.LeafUnknown = "alive", true }), both},
		{"a test binary in an unknown run's leaf", binary, has(func(f *fact) { f.Leaf = "who" }), both},
		{"a test binary with a living run's cookie", binary, has(func(f *fact) { f.Cookie = []string{"alive"} }), none},
		{"a test binary with its cookie and a dead run's", binary, has(func(f *fact) { f.Cookie = []string{"dead", "alive"} }), none},
		{"a test binary with an unknown run's cookie", binary, has(func(f *fact) { f.Cookie = []string{"who"} }), both},
		{"a test binary with a cookie that is not known while a run lives", binary, has(func(f *fact) { f.CookieUnknown = true }), none},
		{"a test binary with such a cookie while none lives", binary, func(w *world) {
			delete(w.Runs, "alive")
			w.know(500, func(f *fact) { f.CookieUnknown = true })
		}, both},
		{"a test binary above what is in a living run's leaf", binary, func(w *world) { w.know(501, func(f *fact) { f.Leaf = "alive" }) }, []int{500}},
		{"a test binary in a work tree that is no lane", binary, func(w *world) {
			w.set(func(it *reaper.Process) { it.Cwd.Path = "/src/other" }, 500)
			w.know(500, func(f *fact) { f.Checkout = "/src/other" })
		}, none},
		{"of a dead run, leading its session where process 1 is not systemd", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.set(func(it *reaper.Process) { it.Session = 500 }, 500)
			w.Systemd = false
		}, both},
		{"of a dead run by its cookie, leading its session there", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Cookie = []string{"dead"} })
			w.set(func(it *reaper.Process) { it.Session = 500 }, 500)
			w.Systemd = false
		}, both},
		{"of an unknown run by its cookie, leading its session there", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Cookie = []string{"dead", "who"} })
			w.set(func(it *reaper.Process) { it.Session = 500 }, 500)
			w.Systemd = false
		}, none},
		{"a test binary in two lanes by its cwd", binary, inTwoLanes, both},
		{"such a one of a dead run", binary, func(w *world) {
			inTwoLanes(w)
			w.know(500, func(f *fact) { f.Leaf = "dead" })
		}, none},
		{"such a one out of a target that is not wanted", binary, func(w *world) {
			inTwoLanes(w)
			w.Wanted = map[string]bool{"kda2": true, "before": true}
		}, none},
		{"of a dead run, below a gpuci", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.put(76, 1, 76, "/usr/bin/gpuci", "/")
			w.set(func(it *reaper.Process) { it.PPID = 76 }, 500)
		}, none},
		{"in a dead run's leaf with a living one's cookie", "x", has(func(f *fact) { f.Leaf, f.Cookie = "dead", []string{"alive"} }), none},
		{"in a dead run's leaf with a cookie not known", "x", has(func(f *fact) { f.Leaf, f.CookieUnknown = "dead", true }), none},
		{"in a dead run's leaf with a cookie not known while none lives", "x", func(w *world) {
			delete(w.Runs, "alive")
			w.know(500, func(f *fact) { f.Leaf, f.CookieUnknown = "dead", true })
		}, both},
		{"in a dead run's leaf", "x", asked(false, has(func(f *fact) { f.Leaf = "dead" })), both},
		{"in a living run's leaf", "x", has(func(f *fact) { f.Leaf = "alive" }), none},
		{"in an unknown run's leaf", "x", has(func(f *fact) { f.Leaf = "who" }), none},
		{"in a living run's leaf with a dead one's cookie", "x", has(func(f *fact) { f.Leaf, f.Cookie = "alive", []string{"dead"} }), none},
		{"in a leaf that is not known, with a dead run's cookie", "x", has(func(f *fact) { f.Leaf, f.LeafUnknown, f.Cookie = "alive", true, []string{"dead"} }), both},
		{"with a dead run's cookie", "x", has(func(f *fact) { f.Cookie = []string{"dead"} }), both},
		{"with a dead run's and a living one's", "x", has(func(f *fact) { f.Cookie = []string{"dead", "alive"} }), none},
		{"with a dead run's and an unknown one's", "x", has(func(f *fact) { f.Cookie = []string{"dead", "who"} }), none},
		{"with a cookie that is not known", "x", has(func(f *fact) { f.Cookie, f.CookieUnknown = []string{"dead"}, true }), none},
		{"with an empty cookie", "x", has(func(f *fact) { f.Cookie = []string{} }), none},
		{"of a dead run, in another lane", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.set(func(it *reaper.Process) { it.Cwd.Path = "/wt/kda2" }, 500)
		}, none},
		{"of a dead run, protected", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.Protected = map[int]bool{500: true}
		}, none},
		{"of a dead run, a script called ld and no tool", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm = "/bin/sh", "ld" }, 500)
		}, none},
		{"of a dead run, a zombie with a child", "x", func(w *world) {
			w.know(500, func(f *fact) { f.Leaf = "dead" })
			w.set(func(it *reaper.Process) { it.State = 'Z' }, 500)
		}, none},
	} {
		w := stray(c.program)
		c.change(w)
		same(t, c.name, w, c.want)
	}
}
