package config

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Slurm says how gates are handed to a cluster.
type Slurm struct {
	Shared  string // directory that the nodes see under the same path, absolute; "": none, and nothing can be handed over
	Scratch string // of a node, for checkouts, absolute; "" is a job's temporary directory

	Partition, Account, QOS, Constraint string // as sbatch has them; "" leaves it to Slurm

	GRES     string        // what a gate asks for that needs cards; CardsWord stands for how many
	InFlight int           // jobs that are with Slurm at once
	Wait     time.Duration // the most that a job waits there to begin
	Margin   time.Duration // of a job's time limit, beside the gate's own limits
	Attempts int           // how often Slurm may begin a job
	Options  []string      // of sbatch, one "--option" or "--option=value" each
}

// GateSlurm is what one gate asks of a cluster.
type GateSlurm struct {
	Partition, Constraint string   // in place of those of [slurm]
	Options               []string // beside those of [slurm]
	Memory                int64    // bytes; 0 leaves it to Slurm
	CPUs                  int      // 0 leaves it to Slurm
	Carry                 string   // CarrySources or CarryBundle
}

// What [gate.slurm] carry can be.
const (
	CarrySources = "sources" // the node builds
	CarryBundle  = "bundle"  // what was built here goes along, as gpuci kernels bundle makes it
)

// CardsWord stands in gres for the number of cards.
const CardsWord = "{cards}"

// The defaults. Half an hour in line for a node's link lock, five minutes for it to
// breathe, and ten for a checkout are no part of a gate's limits, but of a job's.
const (
	defaultGRES        = "gpu:" + CardsWord
	defaultInFlight    = 50
	defaultSlurmWait   = 12 * time.Hour
	defaultSlurmMargin = 45 * time.Minute
	defaultAttempts    = 3
	maxInFlight        = 10_000 // slurmctld takes no more jobs than this, unless it is told to (MaxJobCount)
	maxAttempts        = 100
	maxCPUs            = 4096
)

func defaultSlurm() Slurm {
	return Slurm{GRES: defaultGRES, InFlight: defaultInFlight, Wait: defaultSlurmWait, Margin: defaultSlurmMargin, Attempts: defaultAttempts}
}

// SaysSlurm says whether a file says anything of a cluster.
func (c *Config) SaysSlurm() bool {
	for key := range c.origins {
		if strings.HasPrefix(key, "slurm.") {
			return true
		}
	}
	return false
}

// slurm reads [slurm].
func (l *layer) slurm(f *fields) {
	t := f.sub("slurm", "[slurm] above its lines")
	if t == nil {
		return
	}
	s := &l.config.Slurm
	t.directory("shared", `"/shared/gpuci"`, &s.Shared)
	t.directory("scratch", `"/scratch/gpuci"`, &s.Scratch)
	t.title("partition", `"gpu"`, &s.Partition)
	t.title("account", `"kernels"`, &s.Account)
	t.title("qos", `"normal"`, &s.QOS)
	t.title("constraint", `"h200"`, &s.Constraint)
	t.gres(&s.GRES)
	t.whole("in-flight", 1, maxInFlight, &s.InFlight)
	t.duration("wait", 1, &s.Wait)
	t.duration("margin", 0, &s.Margin)
	t.whole("attempts", 1, maxAttempts, &s.Attempts)
	t.slurmOptions(&s.Options)
	t.done()
}

// slurm reads [gate.slurm].
func (f *fields) slurm(g *Gate) {
	t := f.sub("slurm", "[gate.slurm] above its lines")
	if t == nil {
		return
	}
	s := &GateSlurm{Carry: CarrySources}
	t.title("partition", `"gpu"`, &s.Partition)
	t.title("constraint", `"h200"`, &s.Constraint)
	t.slurmOptions(&s.Options)
	if e := t.size("memory", &s.Memory); e != nil && s.Memory < 1<<20 {
		t.bad(e, `write memory = "16GiB"`, "must be at least 1MiB")
	}
	if t.table.get("cpus") != nil {
		s.CPUs = 8 // an example
	}
	t.whole("cpus", 1, maxCPUs, &s.CPUs)
	carry := t.choice("carry", &s.Carry, `write carry = "sources" (the node builds) or "bundle" (what was built here goes along)`, CarrySources, CarryBundle)
	if s.Carry == CarryBundle && slices.ContainsFunc(g.Bars, func(b Bar) bool { return b.AB != nil }) {
		t.bad(carry, `leave it out: the node builds the lane and its base; or give the bar to a gate of its own`, "could never be green: a bar of it has source = %q, and where nothing is built there is no base", SourceAB)
	}
	t.done()
	g.Slurm = s
}

// directory reads the path of a directory, of this machine or another.
func (f *fields) directory(key, example string, into *string) {
	if f.absolute(key, example, into) != nil {
		*into = filepath.Clean(*into)
	}
}

func (f *fields) gres(into *string) {
	var s string
	switch e := f.text("gres", `"`+defaultGRES+`"`, &s); {
	case e == nil:
	case !strings.Contains(s, CardsWord):
		f.bad(e, `write gres = "`+defaultGRES+`", or with a type "gpu:h200:{cards}"`, "has no %s for the number of cards: %s", CardsWord, quoted(s))
	default:
		*into = s
	}
}

// ownOptions are those of sbatch's that gpuci gives itself, or that would have a job be
// another one than the one it follows.
var ownOptions = []string{
	"array", "chdir", "clusters", "dependency", "error", "export", "export-file", "get-user-env", "gid", "help", "ignore-pbs", "input", "job-name",
	"jobid", "no-requeue", "open-mode", "output", "parsable", "requeue", "test-only", "uid", "usage", "version", "wait", "wrap",
}

// slurmOptions reads options of sbatch's. What they mean is for sbatch to say.
func (f *fields) slurmOptions(into *[]string) {
	const example = `options = ["--nodelist=n[1-4]"]`
	e, items := f.texts("options", `["--nodelist=n[1-4]"]`)
	if e == nil {
		return
	}
	var all []string
	for _, item := range items {
		name, long := strings.CutPrefix(item.text, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case strings.Contains(item.text, "\x00"):
			f.add(item.span, "write "+example, "%q in %s has a NUL byte in it", e.key, f.label)
		case !long || !isWord(name):
			f.add(item.span, "write "+example+`, each option with two dashes and its value after =`, "%q in %s has no such option: %s", e.key, f.label, quoted(item.text))
		case isOwnOption(name):
			f.add(item.span, "leave it out", "%q in %s cannot have --%s, which gpuci gives itself, or which it cannot follow a job with", e.key, f.label, name)
		default:
			all = append(all, item.text)
		}
	}
	*into = all
}

// isOwnOption knows abbreviations too, which sbatch takes as long as they mean one option.
func isOwnOption(name string) bool {
	return slices.ContainsFunc(ownOptions, func(own string) bool { return strings.HasPrefix(own, name) })
}
