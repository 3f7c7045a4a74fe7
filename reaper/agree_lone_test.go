package reaper_test

import "gpuci/reaper"

// loneConditions are tried alone only: most are about a tree whose first process
// is in no lane, and whatever takes a member away takes its word away; or about
// runs that are over, whose processes go also when they are no tools.
func loneConditions() []condition {
	first := func(w *world) { w.set(func(it *reaper.Process) { it.Cwd.Path = "/" }, 100) }
	cwd := func(w *world, path string, pid int) {
		w.set(func(it *reaper.Process) { it.Cwd.Path = path }, pid)
	}
	return []condition{
		{"the first one nowhere, the others in the lane", nil, first},
		{"the first one nowhere, only the last in the lane", nil, func(w *world) { first(w); cwd(w, "/", 101) }},
		{"the first one nowhere, the others in two lanes", tree(), func(w *world) { first(w); cwd(w, "/wt/kda2", 102) }},
		{"only the last one a tool with a file in the lane's target", nil, func(w *world) {
			w.stand("/")
			w.know(102, func(f *fact) { f.Files = []string{"/scratch/kda/x"} })
		}},
		{"in a leaf of the lane", nil, func(w *world) {
			w.stand("/root/.cargo/registry/src/cc-1.2")
			w.Runs = map[string]reaper.Run{"r": {Lane: "kda"}}
			w.know(100, func(f *fact) { f.Leaf = "r" })
		}},
		{"in the lane, with all else another lane's", nil, func(w *world) {
			w.Runs = map[string]reaper.Run{"s": {Lane: "kda2"}}
			for _, pid := range tree() {
				w.know(pid, func(f *fact) { f.Files, f.Leaf, f.Cookie = []string{"/wt/kda2/target/x"}, "s", []string{"s"} })
			}
		}},
		{"after its driver was killed, leading its session", nil, func(w *world) { w.below(1, 100) }},
		{"the middle one a zombie", []int{101}, func(w *world) { w.set(func(it *reaper.Process) { it.State = 'Z' }, 101) }},
		{"a zombie whose namespaces are not known", []int{101}, func(w *world) {
			w.set(func(it *reaper.Process) { it.State = 'Z' }, 101)
			w.know(101, func(f *fact) { f.NSUnknown = true })
		}},
		{"a zombie in another namespace", []int{101}, func(w *world) {
			w.set(func(it *reaper.Process) { it.State = 'Z' }, 101)
			w.know(101, func(f *fact) { f.NS.PID++ })
		}},
		{"another user's zombie", []int{101, 102}, func(w *world) {
			w.set(func(it *reaper.Process) { it.State, it.UID = 'Z', 0 }, 101)
		}},
		{"a protected zombie", []int{101, 102}, func(w *world) {
			w.set(func(it *reaper.Process) { it.State = 'Z' }, 101)
			w.Protected = map[int]bool{101: true}
		}},
		{"a thread of the kernel in between", []int{101, 102}, func(w *world) { w.set(func(it *reaper.Process) { it.Kernel = true }, 101) }},
		{"a gpuci at the end", []int{102}, func(w *world) {
			w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm = "/usr/bin/gpuci", "gpuci" }, 102)
		}},
		{"a gpuci there that stands in for a tool", nil, func(w *world) { w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm = "/usr/bin/gpuci", "ld" }, 102) }},
		{"a gpuci at the end of a script", []int{101, 102}, func(w *world) {
			w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm = "/usr/bin/make", "make" }, 101)
			w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm = "/usr/bin/gpuci", "gpuci" }, 102)
		}},
		{"a traced zombie in between", []int{101}, func(w *world) {
			w.set(func(it *reaper.Process) { it.State = 'Z' }, 101)
			w.know(101, func(f *fact) { f.TracerUnknown = true })
		}},
		{"this lane's own tools", nil, func(w *world) {
			w.Family, w.Tools = []string{"ghc"}, map[string][]string{"kda": {"cc", "collect2", "ld"}}
		}},
		{"protected", tree(), func(w *world) { w.Protected = map[int]bool{100: true} }},
		{"the middle one protected", []int{101, 102}, func(w *world) { w.Protected = map[int]bool{101: true} }},
		{"a leaked tree below what another one spares", []int{101, 102}, func(w *world) {
			w.set(func(it *reaper.Process) { it.Exe.Path, it.Cwd.Path = "/usr/bin/make", "/wt/kda2" }, 101)
			w.set(func(it *reaper.Process) { it.Session = 91 }, 102)
		}},
		{"parents in a circle", tree(), func(w *world) {
			w.set(func(it *reaper.Process) { it.Start = 100 })
			w.set(func(it *reaper.Process) { it.PPID = 102 }, 100)
		}},
		{"a lane and its removed predecessor", tree(), func(w *world) {
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "before", Root: "/wt/kda", Removed: true})
			w.Wanted["before"] = true
			w.set(func(it *reaper.Process) { it.Cwd.Deleted = true })
		}},
		{"a lane and its removed predecessor of one name", tree(), func(w *world) {
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "kda", Root: "/wt/kda", Removed: true})
			w.set(func(it *reaper.Process) { it.Cwd.Deleted = true })
		}},
		{"a lane without a root", tree(), func(w *world) { w.Lanes[0].Root = "" }},
		{"a lane that stands where a removed one was", nil, func(w *world) {
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "before", Root: "/wt/kda", Removed: true})
		}},
		{"a file in two lanes' targets, in a leaf of this one", tree(), func(w *world) {
			w.stand("/")
			w.Runs = map[string]reaper.Run{"over": {Lane: "kda"}}
			for _, pid := range tree() {
				w.know(pid, func(f *fact) { f.Files, f.Leaf = []string{"/scratch/kda/a", "/wt/kda2/target/b"}, "over" })
			}
		}},
		{"a file in a shared target inside this lane's", tree(), func(w *world) {
			w.stand("/")
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "a", Root: "/a", Target: "/scratch/kda/s"}, reaper.Lane{Name: "b", Root: "/b", Target: "/scratch/kda/s"})
			w.know(100, func(f *fact) { f.Files = []string{"/scratch/kda/s/x"} })
		}},
		{"a file in a removed lane's target inside this lane's", tree(), func(w *world) {
			w.stand("/")
			w.Lanes = append(w.Lanes, reaper.Lane{Name: "a", Root: "/a", Target: "/scratch/kda/s", Removed: true})
			w.know(100, func(f *fact) { f.Files = []string{"/scratch/kda/s/x"} })
		}},
		{"the lane named only by a process that is no tool", tree(), func(w *world) {
			w.stand("/")
			w.put(103, 102, 90, "/usr/bin/sleep", "/wt/kda")
		}},
	}
}
