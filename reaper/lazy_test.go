package reaper

import (
	"slices"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// spy knows what maps say, and writes down what it was asked.
type spy struct {
	noFacts
	leaves  map[int]string
	cookies map[int][]string
	asked   []int // for an environment
	homes   []int // for namespaces
}

func (s *spy) Namespaces(pid int) (proc.Namespaces, bool) {
	s.homes = append(s.homes, pid)
	return proc.Namespaces{Mount: 1, PID: 2}, true
}

func (s *spy) Tracer(int) (int, bool) { return 0, true }

func (s *spy) Checkout(int, Lane) (string, bool) { return "", true }

func (s *spy) Leaf(pid int) (string, bool) { return s.leaves[pid], true }

func (s *spy) Cookie(pid int) ([]string, bool) {
	s.asked = append(s.asked, pid)
	return s.cookies[pid], true
}

// What costs is asked of nobody whom something cheaper tells about.
func TestWhoIsAsked(t *testing.T) {
	one := func(pid, ppid int, comm, cwd string) Process {
		return Process{
			Stat: proc.Stat{PID: pid, PPID: ppid, Session: 100 + pid, Comm: comm, State: 'S', Start: uint64(pid), Threads: 1},
			Age:  time.Hour, UIDKnown: true,
			Exe: proc.Place{Answer: proc.Known, Path: "/usr/bin/" + comm}, Cwd: proc.Place{Answer: proc.Known, Path: cwd},
		}
	}
	const self, leaked, living, lost, daemon, elsewhere = 50, 51, 52, 53, 54, 55
	p := Picture{Self: self, Processes: make(map[int]Process)}
	for _, one := range []Process{
		one(1, 0, "init", "/"), one(self, 1, "gpuci", "/"), one(leaked, 1, "ld", "/wt/kda"), one(living, self, "ld", "/wt/kda"),
		one(lost, 1, "train", "/"), one(daemon, 1, "cron", "/"), one(elsewhere, 1, "vim", "/wt/main"),
	} {
		p.Processes[one.PID] = one
	}
	living2 := p.Processes[living]
	living2.Session = p.Processes[self].Session
	p.Processes[living] = living2
	lanes := []Lane{{Name: "kda", Root: "/wt/kda"}, {Name: "main", Root: "/wt/main"}}
	for _, c := range []struct {
		name         string
		runs         map[string]Run
		asked, homes []int
		victims      []int
	}{
		{"no runs", nil, nil, []int{self, leaked}, []int{leaked}},
		{"none is lost", map[string]Run{"r": {Lane: "kda", Lives: true}}, []int{leaked}, []int{self, leaked}, []int{leaked}},
		{"another lane's is lost", map[string]Run{"r": {Lane: "main"}}, nil, []int{self, leaked, lost, daemon, elsewhere}, []int{leaked}},
		{"one is lost", map[string]Run{"r": {Lane: "kda"}}, []int{lost, daemon}, []int{self, leaked, lost, daemon, elsewhere}, []int{leaked, lost}},
	} {
		s := &spy{cookies: map[int][]string{lost: {"r"}}}
		p.Facts, p.Runs = s, c.runs
		j, err := Judge(p, lanes, only("kda"), Rules{})
		if err != nil {
			t.Fatal(err)
		}
		var victims []int
		for _, v := range j.Victims() {
			victims = append(victims, v.PID)
		}
		asked, homes := distinct(s.asked), distinct(s.homes)
		if !slices.Equal(asked, c.asked) || !slices.Equal(homes, c.homes) || !slices.Equal(victims, c.victims) {
			t.Errorf("%s: environments of %d, namespaces of %d, victims %d; want %d, %d, %d", c.name, asked, homes, victims, c.asked, c.homes, c.victims)
		}
	}
	s := &spy{leaves: map[int]string{lost: "r"}}
	p.Facts = s
	if j, err := Judge(p, lanes, only("kda"), Rules{}); err != nil || len(j.Victims()) != 2 || slices.Contains(s.asked, lost) {
		t.Errorf("in a leaf: %+v, %v, environments of %d", j.Victims(), err, s.asked)
	}
}

func distinct(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}
