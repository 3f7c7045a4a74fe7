//go:build linux

package main_test

// family follows the processes that descend from one, and the linkers among
// them. It is told events; what it has to look up it asks kernel for.
type family struct {
	kernel  kernel
	threads map[int]int    // of every descendant alive: its threads alive
	open    map[int]*open  // of every process that is a linker, or forked by one: its link
	blank   map[int]uint64 // processes that were gone before it could be seen what they ran: since when
	done    links
	unseen  links // blanks that may have been linkers
}

// open is a link that has not ended, with the number of its processes.
type open struct {
	link
	processes int
}

// kernel is what family looks up about a process.
type kernel interface {
	program(pid int) (base string, err error) // what it runs
	over(pid int) bool                        // it has ended, but for being buried
	now() uint64                              // on the clock of the events
}

// briefest is less than any linker takes from exec to exit, in nanoseconds: ld
// takes 3 ms for one object.
const briefest = 1e6

// prompt is how soon after an event a look at /proc still says something about
// the moment of the event, in nanoseconds. It is short beside any link.
const prompt = 2e6

func newFamily(root int, k kernel) *family {
	return &family{kernel: k, threads: map[int]int{root: 1}, open: make(map[int]*open), blank: make(map[int]uint64)}
}

func (f *family) see(e event) {
	switch _, ours := f.threads[e.pid]; {
	case e.kind == eventFork && e.pid != e.tid:
		if ours {
			f.threads[e.pid]++
		}
	case e.kind == eventFork:
		f.forked(e)
	case e.kind == eventExec && ours:
		f.execed(e)
	case e.kind == eventExit && ours:
		f.exited(e)
	}
}

// forked takes a child of ours in; it stays ours when its parent ends.
func (f *family) forked(e event) {
	if _, ours := f.threads[e.parent]; !ours {
		return
	}
	f.threads[e.pid] = 1
	if o := f.open[e.parent]; o != nil {
		f.open[e.pid] = o
		o.processes++
	}
}

func (f *family) execed(e event) {
	f.threads[e.pid] = 1 // exec ends the others
	f.fill(e.pid, e.at)
	base, err := f.kernel.program(e.pid)
	if err != nil {
		f.blank[e.pid] = e.at
	}
	o := f.open[e.pid]
	switch {
	case !isLinker(base) && o != nil && o.pid == e.pid: // as mold -run does
		f.forget(o)
	case !isLinker(base):
		f.leave(e.pid, e.at)
	case o != nil: // ld.lld becoming rust-lld is one link
		o.tool = base
	default:
		late := f.settle(e.at)
		f.open[e.pid] = &open{link: link{pid: e.pid, tool: base, start: e.at, late: late}, processes: 1}
	}
}

func (f *family) exited(e event) {
	if f.threads[e.pid]--; f.threads[e.pid] > 0 {
		return
	}
	delete(f.threads, e.pid)
	f.fill(e.pid, e.at)
	f.leave(e.pid, e.at)
}

// fill ends the time in which nobody knows what a process ran.
func (f *family) fill(pid int, at uint64) {
	if since, ok := f.blank[pid]; ok && at-since >= briefest {
		f.unseen = append(f.unseen, link{pid: pid, tool: "unseen", start: since, end: at})
	}
	delete(f.blank, pid)
}

// leave takes a process out of its link, which ends with its last one.
func (f *family) leave(pid int, at uint64) {
	o := f.open[pid]
	if o == nil {
		return
	}
	delete(f.open, pid)
	if o.processes--; o.processes == 0 {
		o.end = at
		f.done = append(f.done, o.link)
	}
}

// forget drops what has turned out to be no link: it became another program.
func (f *family) forget(o *open) {
	for pid, other := range f.open {
		if other == o {
			delete(f.open, pid)
		}
	}
}

// settle ends the links that had ended at that moment although their exit
// event came later. The kernel closes the files of a process, and wakes its
// parent, before it sends the event; on a busy machine another linker can start
// in between, by right. A look that comes late shows nothing and is not taken.
func (f *family) settle(at uint64) (late uint64) {
	if late = f.kernel.now() - at; late > prompt {
		return late
	}
	for pid := range f.open {
		if f.kernel.over(pid) {
			f.leave(pid, at)
		}
	}
	for i := len(f.done) - 1; i >= 0 && f.done[i].start < at && at < f.done[i].end; i-- {
		f.done[i].end = at
	}
	return late
}
