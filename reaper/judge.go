package reaper

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gpuci/reaper/proc"
)

// DefaultFloor is how old an orphan must be: whoever starts a tool and lets go
// of it on purpose has done with it by then.
const DefaultFloor = 2 * time.Second

// Rules are what can be set of the rule; the zero value is the usual one.
type Rules struct {
	Family []string // base names of programs; nil is DefaultFamily
	// Tools are more names, those of a lane: they count for its own trees alone.
	// nil is none.
	Tools        func(lane string) []string
	Floor        time.Duration      // DefaultFloor when 0
	TestBinaries bool               // orphaned test binaries of a target directory are leaked too
	Protected    func(Process) bool // somebody's long runs, never ended; nil is none
}

// ErrTorn says that a picture cannot be a whole one, so that nothing in it is
// leaked.
var ErrTorn = errors.New("the process table is not whole, and nothing is judged by it (is /proc mounted with hidepid? then root can look)")

// Judge says of every process that concerns the lanes whether it is leaked.
// wanted are the lanes whose leaked processes are meant; nil is none. The error
// is ErrTorn. The picture's facts are asked for as few processes as possible,
// and for their environment only where nothing else tells.
func Judge(p Picture, lanes []Lane, wanted func(lane string) bool, r Rules) (Judgement, error) {
	t, err := newTrial(p, lanes, wanted, r)
	if err != nil {
		return Judgement{}, err
	}
	t.trees()
	t.others()
	return t.judgement(), nil
}

// trial is one picture being judged.
type trial struct {
	Picture
	rules    Rules
	family   family                   // with what any lane adds to it
	familyOf func(lane string) family // without what other lanes add; nil where none adds any
	own      *owners
	wanted   func(string) bool

	tool   map[int]string // members and wrappers, and what they are
	script map[int]bool   // of these the wrappers
	below  map[int][]int  // children by their parent's pid; made when something is leaked
	above  map[int]bool   // ourselves and whoever is above us, pid 1 always
	home   proc.Namespaces
	homely bool // home is known

	runners  map[proc.Identity]bool // the gpucis of runs that go on, by pid and start
	lost     bool                   // there are runs that have lost their gpuci
	lostHere bool                   // and of these some of a lane that is wanted
	living   bool                   // there are runs that go on
	unwanted bool                   // there are runs of lanes that are not wanted: a cookie can spare

	said   map[int]*Judged
	seated map[int]bool   // see seats
	leaked []int          // tops that are leaked, spared or not
	spare  map[int]string // who is spared, and why
}

func newTrial(p Picture, lanes []Lane, wanted func(string) bool, r Rules) (*trial, error) {
	for _, pid := range []int{1, p.Self} {
		if _, ok := p.Processes[pid]; !ok {
			return nil, fmt.Errorf("judge %d processes: pid %d is not among them: %w", len(p.Processes), pid, ErrTorn)
		}
	}
	if r.Floor == 0 {
		r.Floor = DefaultFloor
	}
	if wanted == nil {
		wanted = func(string) bool { return false }
	}
	if p.Facts == nil {
		p.Facts = noFacts{}
	}
	t := &trial{
		Picture: p, rules: r, family: newFamily(r.Family), wanted: wanted,
		own:  &owners{lanes: lanes, facts: p.Facts, runs: p.Runs, seen: make(map[asked]owner)},
		tool: make(map[int]string), script: make(map[int]bool),
		above: map[int]bool{1: true}, said: make(map[int]*Judged), spare: make(map[int]string),
		runners: make(map[proc.Identity]bool),
	}
	t.adopt(lanes)
	t.home, t.homely = p.Facts.Namespaces(p.Self)
	for _, run := range p.Runs {
		if run.Lives && run.Gpuci.PID != 0 {
			t.runners[proc.Identity{PID: run.Gpuci.PID, Start: run.Gpuci.Start}] = true
		}
		here := run.Lane != "" && wanted(run.Lane)
		t.lost, t.living = t.lost || !run.Lives, t.living || run.Lives
		t.lostHere = t.lostHere || !run.Lives && here
		t.unwanted = t.unwanted || run.Lane != "" && !here
	}
	t.arrange()
	return t, nil
}

// adopt takes in what lanes add to the family.
func (t *trial) adopt(lanes []Lane) {
	if t.rules.Tools == nil {
		return
	}
	plain := t.family
	t.family = maps.Clone(plain)
	for _, l := range lanes {
		for _, name := range t.rules.Tools(l.Name) {
			t.family[name] = name != ""
		}
	}
	t.familyOf = func(lane string) family {
		f := maps.Clone(plain)
		for _, name := range t.rules.Tools(lane) {
			f[name] = name != ""
		}
		return f
	}
}

// arrange finds who is of the family, and who is above us.
func (t *trial) arrange() {
	for pid, p := range t.Processes {
		if tool := t.family.member(p); tool != "" {
			t.tool[pid] = tool
		} else if tool := t.family.wrapper(p); tool != "" {
			t.tool[pid], t.script[pid] = tool, true
		}
	}
	for p, ok := t.Processes[t.Self]; ok && !t.above[p.PID]; p, ok = t.Processes[p.PPID] {
		t.above[p.PID] = true
	}
}

// children are those of a parent's pid, by pid: what is said of a picture is
// always the same.
func (t *trial) children(pid int) []int {
	if t.below == nil {
		t.below = make(map[int][]int)
		for _, pid := range slices.Sorted(maps.Keys(t.Processes)) {
			parent := t.Processes[pid].PPID
			t.below[parent] = append(t.below[parent], pid)
		}
	}
	return t.below[pid]
}

// completer is what Facts of a picture are that reads some of each process only
// when it is asked for.
type completer interface {
	complete(p Process) Process
}

// whole is a process with all that its picture can tell of it.
func whole(f Facts, p Process) Process {
	if c, ok := f.(completer); ok {
		return c.complete(p)
	}
	return p
}

// noFacts knows nothing.
type noFacts struct{}

func (noFacts) Namespaces(int) (proc.Namespaces, bool) { return proc.Namespaces{}, false }
func (noFacts) Files(int) ([]string, bool)             { return nil, false }
func (noFacts) IgnoresHUP(int) (bool, bool)            { return false, false }
func (noFacts) Autogroup(int) (uint64, bool)           { return 0, false }
func (noFacts) Tracer(int) (int, bool)                 { return 0, false }
func (noFacts) Script(int) (string, bool)              { return "", false }
func (noFacts) Checkout(int, Lane) (string, bool)      { return "", false }
func (noFacts) Unit(int) (string, bool)                { return "", false }
func (noFacts) Leaf(int) (string, bool)                { return "", false }
func (noFacts) Cookie(int) ([]string, bool)            { return nil, false }
