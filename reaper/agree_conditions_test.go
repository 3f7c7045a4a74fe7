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

// taken puts the tree below one that took it over, 76, and lets a run be that
// one's by pid and start.
func (w *world) taken(lives bool, start uint64) {
	w.put(76, 1, 76, "/opt/ci/check", "/")
	w.below(76, 90)
	w.Runs["taken"] = reaper.Run{Lives: lives, Gpuci: proc.Identity{PID: 76, Start: start}}
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
		{"leading its session where process 1 is not systemd", all, func(w *world) { w.below(1, 100); w.Systemd = false }},
		{"leading nothing where process 1 is not systemd", nobody, func(w *world) { w.Systemd = false }},
		{"below process 1, in a session from outside", all, func(w *world) { w.below(1, 0) }},
		{"below a driver that began its session only then", all, func(w *world) {
			w.driver("/usr/bin/python3.11", "/wt/kda")
			w.set(func(it *reaper.Process) { it.PPID = 1 }, 80)
			w.below(80, 90)
			w.know(80, func(f *fact) { f.Autogroup = 95 })
		}},
		{"below one that began its session who knows when", all, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/tmux", "/")
			w.below(76, 90)
			w.know(76, func(f *fact) { f.AutogroupUnknown = true })
		}},
		{"below one, in a session begun who knows when", all, func(w *world) {
			w.put(76, 1, 76, "/usr/bin/tmux", "/")
			w.below(76, 90)
			w.know(100, func(f *fact) { f.AutogroupUnknown = true })
		}},
		{"below one that leads no session", nobody, func(w *world) {
			w.put(76, 1, 50, "/usr/bin/python3.11", "/")
			w.below(76, 90)
			w.know(76, func(f *fact) { f.AutogroupUnknown = true })
		}},
		{"below systemd --user, which began its session who knows when", nobody, func(w *world) {
			w.below(70, 90)
			w.know(70, func(f *fact) { f.AutogroupUnknown = true })
		}},
		{"below the gpuci of a run that lives, under another name", all, func(w *world) { w.taken(true, 76) }},
		{"below the gpuci of a run that is over", nobody, func(w *world) { w.taken(false, 76) }},
		{"below one that has a gpuci's pid by now", nobody, func(w *world) { w.taken(true, 75) }},
		{"below a gpuci under another name, that gave it none", all, func(w *world) {
			w.taken(false, 76)
			w.know(100, func(f *fact) { f.Cookie = []string{"76-unnamed"} })
		}},
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
		{"traced", all, func(w *world) { w.know(100, func(f *fact) { f.Tracer = 800 }) }},
		{"traced from elsewhere", all, func(w *world) { w.know(100, func(f *fact) { f.Tracer = 4711 }) }},
		{"who knows whether traced", all, func(w *world) { w.know(100, func(f *fact) { f.TracerUnknown = true }) }},
		{"the last one traced", []int{102}, func(w *world) { w.know(102, func(f *fact) { f.Tracer = 800 }) }},
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
