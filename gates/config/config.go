// Package config reads gpuci.toml: the gates of a workspace, and under it the
// settings of the machine and of the person.
//
// It reads strictly. An unknown key, a wrong type or a value that cannot be
// meant is a mistake, and Load gives every mistake of every file at once, each
// with its line, a caret, and what to write instead. What Load returns is
// complete: defaults are filled in, and every value knows where it came from.
//
// It opens nothing but the files it is given. Whether a patch, a directory or
// a program exists is for the one who uses it to find out; that a path stays
// inside the workspace is checked by its text alone, so symlinks are not
// followed.
package config

import (
	"slices"
	"time"
)

// FileName is the file that makes a directory a workspace.
const FileName = "gpuci.toml"

// Config is what the files say together, with defaults filled in.
type Config struct {
	Root      string // directory of the workspace file, absolute
	Workspace struct {
		Name string // default: the base name of Root
		Base string // branch that the others are held against; "" leaves it to what git says

		Fixtures []string // patterns of paths at which every file should be some fixture's
	}
	Build struct {
		Wait      time.Duration // longest wait for the link lock
		Timeout   time.Duration // time limit of a build
		Serialize string        // SerializeLink or SerializeBuild
	}
	Links        int    // links at a time here, at least 1
	MachineLinks int    // what the machine's own file says of them; 0 when it says nothing
	LockDir      string // absolute; "" leaves the choice to the lock's own rules
	Pressure     Pressure
	History      struct {
		TSV  string // file for git, relative to Root; "" for none
		Runs int    // directories of runs that are kept, with their logs
	}
	Bank  Bank     // comparisons, and what is decided by them
	Tools []string // [reaper] tools: programs that count as compilers and linkers beside the usual ones
	Gates []Gate   // as they stand in the file
	Notes []Note   // statements that expire, as they stand in the file
	CI    CI       // nights and landings
	Slurm Slurm    // the cluster that gates can be handed to

	Fixtures []Fixture   // committed files that a program makes
	Kernels  []KernelSet // device code, as it stands in the file
	Cards    []Card      // that this machine says it has

	GPU       GPU       // how gates come by a card
	Protected []Protect // rules for runs that are not to be disturbed, the machine's first

	origins map[string]setting
}

// Pressure says when to hold work back, and for how long.
type Pressure struct {
	IOFull struct {
		Long, Short int // percent; work is held back while both windows are over these
		Resume      int // percent; work goes on below this
	}
	Budget  time.Duration // the most a whole build may be held back
	MinFree int64         // bytes of memory that must be available
	Unknown string        // UnknownMark or UnknownRefuse: where the pressure cannot be told
}

// What [pressure] unknown can be.
const (
	UnknownMark   = "mark"
	UnknownRefuse = "refuse"
)

// What [build] serialize can be: links alone, or whole builds and the links in
// them.
const (
	SerializeLink  = "link"
	SerializeBuild = "build"
)

// The defaults. A link lock is worth half an hour of waiting, because one cold
// build of a large workspace links for that long.
const (
	defaultWait         = 30 * time.Minute
	defaultBuildTimeout = 40 * time.Minute
	defaultLinks        = 1
	defaultLong         = 40
	defaultShort        = 60
	defaultResume       = 25
	defaultBudget       = 5 * time.Minute
	defaultRuns         = 500 // some weeks of one lane, and hardly ever a gigabyte
)

func defaults() *Config {
	c := &Config{Links: defaultLinks, origins: make(map[string]setting)}
	c.Build.Wait = defaultWait
	c.Build.Timeout = defaultBuildTimeout
	c.Build.Serialize = SerializeLink
	c.Pressure.IOFull.Long = defaultLong
	c.Pressure.IOFull.Short = defaultShort
	c.Pressure.IOFull.Resume = defaultResume
	c.Pressure.Budget = defaultBudget
	c.Pressure.Unknown = UnknownMark
	c.History.Runs = defaultRuns
	c.GPU.Headroom = defaultHeadroom
	c.CI.Lanes = []string{everyLane}
	c.Bank = defaultBank()
	c.Slurm = defaultSlurm()
	return c
}

// Gate returns the gate of that name.
func (c *Config) Gate(name string) (*Gate, bool) {
	i := slices.IndexFunc(c.Gates, func(g Gate) bool { return g.Name == name })
	if i < 0 {
		return nil, false
	}
	return &c.Gates[i], true
}

// Near returns the names of gates that look like name, at most three, the
// nearest first.
func (c *Config) Near(name string) []string {
	names := make([]string, len(c.Gates))
	for i, g := range c.Gates {
		names[i] = g.Name
	}
	return NearOf(name, names)
}
