package reaper_test

import (
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// conditions are those of the table, by kind: two of one kind are not tried
// together, since the later would undo the earlier.
func conditions() [][]condition {
	return [][]condition{ownerConditions(), parentConditions(), stateConditions(), nameConditions(), standingConditions(), terminalConditions(), livingConditions()}
}

// parentConditions are about what stands above the tree.
func parentConditions() []condition {
	all, nobody := tree(), []int(nil)
	return []condition{
		{"below this lane's cargo", all, func(w *world) { w.driver("/root/.cargo/bin/cargo", "/wt/kda") }},
		{"below another lane's cargo", all, func(w *world) { w.driver("/root/.cargo/bin/cargo", "/wt/kda2") }},
		{"below python build.py", all, func(w *world) { w.driver("/usr/bin/python3.11", "/wt/kda") }},
		{"below scons", all, func(w *world) { w.driver("/usr/bin/scons", "/") }},
		{"below a shell with job control", all, func(w *world) { w.put(76, 1, 76, "/bin/bash", "/wt/kda"); w.below(76, 76) }},
		{"below such a shell, from another session", nobody, func(w *world) { w.put(76, 1, 76, "/bin/bash", "/wt/kda"); w.below(76, 90) }},
		{"below systemd --user, which took it over", nobody, func(w *world) { w.below(70, 90) }},
		{"below systemd --user, leading its session", all, func(w *world) { w.below(70, 100) }},
		{"below tmux, which took it over", nobody, func(w *world) { w.put(75, 1, 75, "/usr/bin/tmux", "/"); w.below(75, 90) }},
		{"below tmux, in its session", all, func(w *world) { w.put(75, 1, 75, "/usr/bin/tmux", "/"); w.below(75, 75) }},
		{"below a pid that is reused", all, func(w *world) { w.put(300, 1, 300, "/usr/bin/tmux", "/"); w.below(300, 90) }},
		{"below one that is not seen", all, func(w *world) { w.below(60, 90) }},
		{"below pid 0", all, func(w *world) { w.below(0, 90) }},
		{"below a gpuci that took it over", all, func(w *world) { w.put(76, 1, 76, "/usr/bin/gpuci", "/"); w.below(76, 90) }},
		{"below a gpuci that was built anew", all, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/gpuci", "/")
			w.set(func(it *reaper.Process) { it.Exe.Deleted = true }, 76)
			w.below(76, 90)
		}},
		{"below one of which it is not known that it is a gpuci", nobody, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/gpuci", "/")
			w.set(func(it *reaper.Process) { it.Exe.Answer = proc.Unknown }, 76)
			w.below(76, 90)
		}},
		{"below one that is only called gpuci", nobody, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/tmux", "/")
			w.set(func(it *reaper.Process) { it.Comm = "gpuci" }, 76)
			w.below(76, 90)
		}},
		{"below one whose name begins like gpuci", nobody, func(w *world) { w.put(76, 1, 76, "/opt/gpuci/bin/gpuci-ci", "/"); w.below(76, 90) }},
		{"below one in gpuci's directory", nobody, func(w *world) { w.put(76, 1, 76, "/opt/gpuci/tmux", "/"); w.below(76, 90) }},
		{"below something that a gpuci started", all, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/gpuci", "/")
			w.put(77, 76, 77, "/usr/bin/tmux", "/")
			w.below(77, 90)
		}},
		{"below one that runs the program that we are", all, func(w *world) {
			w.put(76, 1, 76, "/opt/ci/check", "/")
			w.set(func(it *reaper.Process) { it.Exe.Path = "/opt/ci/check" }, 900)
			w.below(76, 90)
		}},
		{"below one that runs the program that we are, which is not known", nobody, func(w *world) {
			w.put(76, 1, 76, "/opt/ci/check", "/")
			w.set(func(it *reaper.Process) { it.Exe.Path, it.Exe.Answer = "/opt/ci/check", proc.Unknown }, 900)
			w.below(76, 90)
		}},
		{"in a container with gpuci as pid 1", all, func(w *world) { w.put(1, 0, 1, "/usr/bin/gpuci", "/wt/kda"); w.below(1, 90) }},
		{"in a container with cargo as pid 1", all, func(w *world) { w.put(1, 0, 1, "/root/.cargo/bin/cargo", "/wt/kda"); w.below(1, 1) }},
		{"in a container with pid 1 in no session we see", all, func(w *world) { w.put(1, 0, 0, "/bin/sh", "/"); w.below(1, 0) }},
		{"started by process 1 as a service", all, func(w *world) {
			w.below(1, 100)
			w.know(100, func(f *fact) { f.Unit = "run-r7.service" })
		}},
		{"leading its session below process 1, its unit not known", all, func(w *world) {
			w.below(1, 100)
			w.know(100, func(f *fact) { f.UnitUnknown = true })
		}},
		{"in a service, leading nothing", nobody, func(w *world) { w.know(100, func(f *fact) { f.Unit = "cron.service" }) }},
		{"in a unit that is not known, leading nothing", nobody, func(w *world) { w.know(100, func(f *fact) { f.UnitUnknown = true }) }},
		{"above ourselves", all, func(w *world) { w.set(func(it *reaper.Process) { it.PPID = 102 }, 800) }},
	}
}

// stateConditions are about the states of the three.
func stateConditions() []condition {
	all, nobody := tree(), []int(nil)
	state := func(s byte, threads int, pids ...int) func(w *world) {
		return func(w *world) {
			w.set(func(it *reaper.Process) { it.State, it.Threads = s, threads }, pids...)
		}
	}
	return []condition{
		{"stopped", nobody, state('T', 1)},
		{"in D", nobody, state('D', 1)},
		{"one thread in D, the first one ended", nobody, state('Z', 2)},
		{"the first one a zombie", all, state('Z', 1, 100)},
		{"the last one a zombie", []int{102}, state('Z', 1, 102)},
		{"all being reaped", all, state('X', 1)},
	}
}

// nameConditions are about what makes members.
func nameConditions() []condition {
	all, nobody := tree(), []int(nil)
	called := func(name string) func(w *world) {
		return func(w *world) { w.set(func(it *reaper.Process) { it.Comm = name }) }
	}
	runs := func(exe string, pids ...int) func(w *world) {
		return func(w *world) { w.set(func(it *reaper.Process) { it.Exe.Path = exe }, pids...) }
	}
	return []condition{
		{"a comm that lies", nobody, called("innocent")},
		{"other programs that are called ld", all, func(w *world) { runs("/usr/bin/sleep")(w); called("ld")(w) }},
		{"scripts called ld and no tool", all, func(w *world) { runs("/usr/bin/bash")(w); called("ld")(w) }},
		{"a script called cc above the tools", nobody, runs("/usr/bin/python3.11", 100)},
		{"a script called collect2 between the tools", nobody, runs("/bin/sh", 101)},
		{"a script not called like a tool above them", all, func(w *world) {
			runs("/bin/sh", 100)(w)
			w.set(func(it *reaper.Process) { it.Comm = "build.sh" }, 100)
		}},
		{"a version", nobody, runs("/usr/bin/clang++-22.1", 100)},
		{"a prefix", nobody, runs("/usr/bin/x86_64-linux-gnu-gcc-12", 100)},
		{"a prefix of two parts", nobody, runs("/usr/bin/armv7hl-linux-gcc", 100)},
		{"a prefix of four parts", nobody, runs("/usr/bin/aarch64-unknown-linux-gnu-gcc-12", 100)},
		{"words that are no architecture", all, runs("/usr/bin/run-me-as")},
		{"a family of its own, with none of them", all, func(w *world) { w.Family = []string{"ghc"} }},
		{"programs that are not known", all, func(w *world) { w.set(func(it *reaper.Process) { it.Exe.Answer = proc.Unknown }) }},
		{"threads of the kernel", all, func(w *world) { w.set(func(it *reaper.Process) { it.Kernel = true }) }},
		{"a younger one above an older one", []int{102}, func(w *world) { w.set(func(it *reaper.Process) { it.Start = 50 }, 102) }},
	}
}

// standingConditions are about users, namespaces and age.
func standingConditions() []condition {
	all, nobody := tree(), []int(nil)
	return []condition{
		{"another user's", all, func(w *world) { w.set(func(it *reaper.Process) { it.UID = 0 }) }},
		{"nobody knows whose user's", all, func(w *world) { w.set(func(it *reaper.Process) { it.UIDKnown = false }) }},
		{"the middle one another user's", []int{101, 102}, func(w *world) { w.set(func(it *reaper.Process) { it.UID = 0 }, 101) }},
		{"in another mount namespace", all, func(w *world) { w.know(100, func(f *fact) { f.NS.Mount++ }) }},
		{"in another pid namespace", all, func(w *world) { w.know(100, func(f *fact) { f.NS.PID++ }) }},
		{"in a namespace that is not known", all, func(w *world) { w.know(100, func(f *fact) { f.NSUnknown = true }) }},
		{"we in one that is not known", all, func(w *world) { w.know(900, func(f *fact) { f.NSUnknown = true }) }},
		{"the last one in another namespace", []int{102}, func(w *world) { w.know(102, func(f *fact) { f.NS.PID++ }) }},
		{"young", all, func(w *world) { w.set(func(it *reaper.Process) { it.Age = 2*time.Second - 1 }) }},
		{"just old enough", nobody, func(w *world) { w.set(func(it *reaper.Process) { it.Age = 2 * time.Second }) }},
		{"old, but for a higher floor", all, func(w *world) { w.Floor = time.Hour }},
		{"not wanted", all, func(w *world) { w.Wanted = nil }},
	}
}

// terminalConditions are about somebody who may be sitting there.
func terminalConditions() []condition {
	all, nobody := tree(), []int(nil)
	terminal := func(group int, pids ...int) func(w *world) {
		return func(w *world) {
			w.set(func(it *reaper.Process) { it.TTY, it.PGRP, it.TPGID = 34816, 95, group }, pids...)
		}
	}
	return []condition{
		{"in a terminal's foreground", all, terminal(95)},
		{"in a terminal's background", nobody, terminal(96)},
		{"in that of a terminal that has no foreground", nobody, terminal(-1)},
		{"the last one in a terminal's foreground", []int{102}, terminal(95, 102)},
		{"the last one leading a session on a terminal", []int{102}, func(w *world) {
			terminal(96, 102)(w)
			w.set(func(it *reaper.Process) { it.Session = 102 }, 102)
		}},
		{"a shell in a terminal below", nobody, func(w *world) {
			w.put(103, 102, 103, "/bin/bash", "/wt/kda")
			terminal(95, 103)(w)
			w.put(104, 103, 103, "/usr/bin/vi", "/wt/kda")
		}},
	}
}
