package reaper_test

import (
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// ownerConditions are about whose the tree is.
func ownerConditions() []condition {
	all, nobody := tree(), []int(nil)
	away := func(w *world) { w.stand("/root/.cargo/registry/src/cc-1.2") }
	deleted := func(w *world, path string) {
		w.set(func(it *reaper.Process) { it.Cwd.Path, it.Cwd.Deleted = path, true })
	}
	inner := reaper.Lane{Name: "inner", Root: "/wt/kda/wt/inner"}
	gone := reaper.Lane{Name: "gone", Root: "/wt/gone", Removed: true}
	git := func(dir string) func(f *fact) { return func(f *fact) { f.Checkout = dir } }
	return []condition{
		{"in a sibling whose name begins the same", all, func(w *world) { w.stand("/wt/kda2/src") }},
		{"in such a directory that is no lane", all, func(w *world) { w.stand("/wt/kda22") }},
		{"in an inner lane that is not wanted", all, func(w *world) { w.Lanes = append(w.Lanes, inner); w.stand(inner.Root) }},
		{"in an inner lane that is wanted", nobody, func(w *world) {
			w.Lanes = append([]reaper.Lane{inner}, w.Lanes...)
			w.Wanted = map[string]bool{"inner": true}
			w.stand(inner.Root + "/src")
		}},
		{"in the lane by a bind mount's path", all, func(w *world) { w.stand("/mnt/kda/src") }},
		{"in a removed lane", nobody, func(w *world) {
			w.Lanes, w.Wanted = append(w.Lanes, gone), map[string]bool{"gone": true}
			deleted(w, "/wt/gone/src")
		}},
		{"where a removed lane was, in what stands there now", all, func(w *world) {
			w.Lanes, w.Wanted = append(w.Lanes, gone), map[string]bool{"gone": true}
			w.stand("/wt/gone/src")
		}},
		{"in a deleted directory of the lane", nobody, func(w *world) { deleted(w, "/wt/kda/x") }},
		{"in a directory of the lane called x (deleted)", nobody, func(w *world) { w.stand("/wt/kda/x (deleted)") }},
		{"in another directory called kda (deleted)", all, func(w *world) { w.stand("/wt/kda (deleted)") }},
		{"in a clone inside the lane", all, func(w *world) { w.stand("/wt/kda/vendor/x/src"); w.know(100, git("/wt/kda/vendor/x")) }},
		{"in the lane, with its own .git above", nobody, func(w *world) { w.stand("/wt/kda/src"); w.know(100, git("/wt/kda")) }},
		{"in the lane, which has another repository's above", nobody, func(w *world) { w.stand("/wt/kda/src"); w.know(100, git("/wt")) }},
		{"in the lane, on a file system that does not answer", all, func(w *world) { w.know(100, func(f *fact) { f.CheckoutUnknown = true }) }},
		{"the last one in a clone", []int{102}, func(w *world) { w.know(102, git("/wt/kda/crates")) }},
		{"in another repository that builds into the same target", all, func(w *world) {
			w.stand("/src/other")
			for _, pid := range []int{100, 101, 102} {
				w.know(pid, func(f *fact) { f.Files, f.Checkout = []string{"/scratch/kda/a.o"}, "/src/other" })
			}
		}},
		{"its top alone there", all, func(w *world) {
			w.set(func(it *reaper.Process) { it.Cwd.Path = "/src/other" }, 100)
			w.know(100, git("/src/other"))
		}},
		{"inside the lane where a removed one was", all, func(w *world) {
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "old", Root: "/wt/kda/old", Removed: true})
			w.stand("/wt/kda/old/src")
		}},
		{"in a removed lane, where another repository is now", all, func(w *world) {
			w.Lanes, w.Wanted = append(w.Lanes, gone), map[string]bool{"gone": true}
			deleted(w, "/wt/gone/src")
			w.know(100, git("/wt/gone"))
		}},
		{"in a removed lane inside another repository", nobody, func(w *world) {
			w.Lanes, w.Wanted = append(w.Lanes, gone), map[string]bool{"gone": true}
			deleted(w, "/wt/gone/src")
			w.know(100, git("/wt"))
		}},
		{"in the lane, which is not known", all, func(w *world) { w.set(func(it *reaper.Process) { it.Cwd.Answer = proc.Unknown }) }},
		{"under ~/.cargo, for nobody", all, away},
		{"under ~/.cargo, with a file in the lane's target", nobody, func(w *world) {
			away(w)
			w.know(100, func(f *fact) { f.Files = []string{"/dev/null", "/scratch/kda/debug/build/cc/a.o"} })
		}},
		{"under ~/.cargo, with a file that is not known", all, func(w *world) {
			away(w)
			w.know(100, func(f *fact) { f.Files, f.FilesUnknown = []string{"/scratch/kda/debug/build/cc/a.o"}, true })
		}},
		{"under ~/.cargo, with files in two lanes' targets", all, func(w *world) {
			away(w)
			w.know(100, func(f *fact) { f.Files = []string{"/scratch/kda/a.o", "/wt/kda2/target/b.o"} })
		}},
		{"under ~/.cargo, with a file in a target of two lanes", all, func(w *world) {
			away(w)
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "third", Root: "/wt/third", Target: "/scratch/kda"})
			w.know(100, func(f *fact) { f.Files = []string{"/scratch/kda/a.o"} })
		}},
		{"under ~/.cargo, with a file beside the target", all, func(w *world) {
			away(w)
			w.know(100, func(f *fact) { f.Files = []string{"/scratch/kda2/a.o"} })
		}},
		{"the last one in another lane", []int{102}, func(w *world) { w.set(func(it *reaper.Process) { it.Cwd.Path = "/wt/kda2" }, 102) }},
		{"with a cookie of two lanes", all, func(w *world) {
			away(w)
			w.Runs = map[string]reaper.Run{"r": {Lane: "kda"}, "s": {Lane: "kda2"}}
			w.know(100, func(f *fact) { f.Cookie = []string{"r", "s"} })
		}},
		{"in the lane, with files in another lane's target", nobody, func(w *world) {
			for _, pid := range tree() {
				w.know(pid, func(f *fact) { f.Files = []string{"/wt/kda2/target/x"} })
			}
		}},
	}
}
