package reaper_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// world is a machine, the lanes on it, and what a sweep is asked to do there.
type world struct {
	Self         int
	UID          uint32
	Systemd      bool
	Processes    map[int]reaper.Process
	Facts        factBook
	Runs         map[string]reaper.Run
	Lanes        []reaper.Lane
	Wanted       map[string]bool
	Family       []string
	Tools        map[string][]string // nil: no function is given
	Floor        time.Duration
	TestBinaries bool
	Protected    map[int]bool // nil: no function is given
}

// fact is what one process's costly facts are. What is not known has a value
// all the same, as wrong as can be: nobody may use it.
type fact struct {
	NS         proc.Namespaces
	Files      []string
	HUP        bool
	Unit, Leaf string
	Cookie     []string
	Tracer     int
	Autogroup  uint64
	Script     string
	Checkout   string // the innermost directory with a .git

	NSUnknown, FilesUnknown, HUPUnknown, UnitUnknown, LeafUnknown, CookieUnknown bool
	TracerUnknown, AutogroupUnknown, ScriptUnknown, CheckoutUnknown              bool
}

// factBook is a reaper.Facts over a map. Of a process that is not in it nothing
// is known.
type factBook map[int]fact

func (b factBook) Namespaces(pid int) (proc.Namespaces, bool) {
	f, there := b[pid]
	return f.NS, there && !f.NSUnknown
}

func (b factBook) Files(pid int) ([]string, bool) {
	f, there := b[pid]
	return slices.Clone(f.Files), there && !f.FilesUnknown
}

func (b factBook) IgnoresHUP(pid int) (bool, bool) {
	f, there := b[pid]
	return f.HUP, there && !f.HUPUnknown
}

func (b factBook) Tracer(pid int) (int, bool) {
	f, there := b[pid]
	return f.Tracer, there && !f.TracerUnknown
}

func (b factBook) Autogroup(pid int) (uint64, bool) {
	f, there := b[pid]
	return f.Autogroup, there && !f.AutogroupUnknown
}

func (b factBook) Script(pid int) (string, bool) {
	f, there := b[pid]
	return f.Script, there && !f.ScriptUnknown
}

// Checkout leaves out what is not below a lane's root; of a removed lane's the
// root counts, and of no lane everything.
func (b factBook) Checkout(pid int, l reaper.Lane) (string, bool) {
	f, there := b[pid]
	below := strings.HasPrefix(f.Checkout, l.Root+"/") || l.Removed && f.Checkout == l.Root
	if l.Root != "" && !below {
		return "", there && !f.CheckoutUnknown
	}
	return f.Checkout, there && !f.CheckoutUnknown
}

func (b factBook) Unit(pid int) (string, bool) {
	f, there := b[pid]
	return f.Unit, there && !f.UnitUnknown
}

func (b factBook) Leaf(pid int) (string, bool) {
	f, there := b[pid]
	return f.Leaf, there && !f.LeafUnknown
}

func (b factBook) Cookie(pid int) ([]string, bool) {
	f, there := b[pid]
	return slices.Clone(f.Cookie), there && !f.CookieUnknown
}

func (w *world) picture() reaper.Picture {
	return reaper.Picture{Self: w.Self, UID: w.UID, Systemd: w.Systemd, Processes: w.Processes, Facts: w.Facts, Runs: w.Runs}
}

func (w *world) protected() func(reaper.Process) bool {
	if w.Protected == nil {
		return nil
	}
	return func(it reaper.Process) bool { return w.Protected[it.PID] }
}

// tools are those of a lane.
func (w *world) tools() func(lane string) []string {
	if w.Tools == nil {
		return nil
	}
	return func(lane string) []string { return w.Tools[lane] }
}

// reference is the reference's answer, without one clause or with all of them.
func (w *world) reference(without clause) ([]int, error) {
	return referenceLeaked(w.picture(), w.Lanes, w.Wanted, referenceOptions{
		Family: w.Family, Tools: w.Tools, Floor: w.Floor, TestBinaries: w.TestBinaries, Protected: w.protected(), without: without,
	})
}

// smaller are the worlds that have one thing less: a process, lane or run.
func (w *world) smaller(yield func(*world) bool) {
	for _, pid := range slices.Sorted(maps.Keys(w.Processes)) {
		less := *w
		less.Processes = maps.Clone(w.Processes)
		if delete(less.Processes, pid); !yield(&less) {
			return
		}
	}
	for i := range w.Lanes {
		less := *w
		less.Lanes = slices.Delete(slices.Clone(w.Lanes), i, i+1)
		if !yield(&less) {
			return
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.Runs)) {
		less := *w
		less.Runs = maps.Clone(w.Runs)
		if delete(less.Runs, id); !yield(&less) {
			return
		}
	}
}

// smallest takes things out of the world one by one for as long as what is
// said of it stays true.
func (w *world) smallest(still func(*world) bool) *world {
	for less := range w.smaller {
		if still(less) {
			return less.smallest(still)
		}
	}
	return w
}

// zeroField is a field in %#v's text that says nothing.
var zeroField = regexp.MustCompile(`\b\w+:(0|0x0|""|false|\w+[.\w]*\{\}|[\w.\[\]]+\(nil\)), |(, )?\b\w+:(0|0x0|""|false|\w+[.\w]*\{\}|[\w.\[\]]+\(nil\))(})`)

func literal(v any) string {
	text := fmt.Sprintf("%#v", v)
	text = strings.ReplaceAll(text, "reaper_test.", "")
	for old := ""; old != text; {
		old, text = text, zeroField.ReplaceAllString(text, "$4")
	}
	return strings.ReplaceAll(text, ", }", "}")
}

// String is the world as Go code, for a test of its own.
func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "&world{Self: %d, UID: %d, Systemd: %t, Floor: %d, TestBinaries: %t, Family: %#v, Tools: %#v,\n", w.Self, w.UID, w.Systemd, w.Floor, w.TestBinaries, w.Family, w.Tools)
	fmt.Fprintf(&b, "\tLanes: %s,\n\tWanted: %#v,\n\tRuns: %#v,\n\tProtected: %#v,\n", literal(w.Lanes), w.Wanted, w.Runs, w.Protected)
	b.WriteString("\tProcesses: map[int]reaper.Process{\n")
	pids := slices.Sorted(maps.Keys(w.Processes))
	for _, pid := range pids {
		fmt.Fprintf(&b, "\t\t%d: %s,\n", pid, literal(w.Processes[pid]))
	}
	b.WriteString("\t},\n\tFacts: factBook{\n")
	for _, pid := range pids {
		if f, there := w.Facts[pid]; there {
			fmt.Fprintf(&b, "\t\t%d: %s,\n", pid, literal(f))
		}
	}
	b.WriteString("\t}}")
	return b.String()
}
