package reaper_test

import (
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

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
		{"another lane's own tools", all, func(w *world) {
			w.Family, w.Tools = []string{"ghc"}, map[string][]string{"kda2": {"cc", "collect2", "ld"}}
		}},
		{"another lane's own tool above them", all, func(w *world) {
			w.Tools = map[string][]string{"kda2": {"make"}}
			runs("/usr/bin/make", 100)(w)
		}},
		{"threads of the kernel", all, func(w *world) { w.set(func(it *reaper.Process) { it.Kernel = true }) }},
		{"a script that goes by a tool's name above them", all, func(w *world) {
			runs("/usr/bin/python3.11", 100)(w)
			w.know(100, func(f *fact) { f.Script = "build.py" })
		}},
		{"a script of which nobody knows what it runs above them", all, func(w *world) {
			runs("/usr/bin/python3.11", 100)(w)
			w.know(100, func(f *fact) { f.ScriptUnknown = true })
		}},
		{"such a script between them", nobody, func(w *world) {
			runs("/bin/sh", 101)(w)
			w.know(101, func(f *fact) { f.Script = "build.sh" })
		}},
		{"a younger one above an older one", []int{102}, func(w *world) { w.set(func(it *reaper.Process) { it.Start = 50 }, 102) }},
	}
}
