package gates

import (
	"time"

	"gpuci/gates/inputs"
	"gpuci/gates/metric"
	"gpuci/pressure"
	"gpuci/worktrees"
)

// Verdict is what came of one gate in one lane, and what it is bound to.
// Its JSON form is written to runs/<run-id>/verdict.json and printed by
// --json; fields are only ever added.
type Verdict struct {
	Type    string  `json:"type"` // "verdict"; "trial" where a fault was planted
	Schema  int     `json:"schema"`
	Run     string  `json:"run"`
	Gate    string  `json:"gate"`
	Outcome Outcome `json:"outcome"`
	Exit    int     `json:"exit"`
	Trial   string  `json:"trial,omitempty"`   // what was planted: not the gate's own verdict
	Partial bool    `json:"partial,omitempty"` // arguments were added: not the gate's own verdict

	Findings []Finding `json:"findings,omitempty"` // why it is not green
	Marks    []string  `json:"marks,omitempty"`    // reservations it carries
	Next     []string  `json:"next,omitempty"`     // what to do

	Tests        *Tests            `json:"tests,omitempty"`
	Bars         []metric.Result   `json:"bars,omitempty"`
	Witnesses    []WitnessResult   `json:"witnesses,omitempty"`
	Metrics      []MetricSummary   `json:"metrics,omitempty"`
	Compared     []Compared        `json:"compared,omitempty"` // with its base, for bars with source = "ab"
	Subject      string            `json:"subject,omitempty"`  // gates of one are read together
	Kernels      []KernelSum       `json:"kernels,omitempty"`  // sets that were compiled and checked
	Scope        []AxisScope       `json:"scope,omitempty"`    // what it covers, against what production uses
	Notes        []NoteState       `json:"notes,omitempty"`    // that are about it
	Steps        []Step            `json:"steps"`
	Trace        *Trace            `json:"trace,omitempty"`         // what the atlas counted; of several runs the last
	Falsified    *Falsified        `json:"falsified,omitempty"`     // of a gate with faults: whether it has shown that it can be red
	Repeat       *Repeat           `json:"repeat,omitempty"`        // of a gate that is run several times
	Command      *Ended            `json:"command,omitempty"`       // the command that decided
	Commands     []Ended           `json:"commands,omitempty"`      // all that were started, in order
	Used         Used              `json:"used"`                    // by all of them
	Links        *LinkSum          `json:"links,omitempty"`         // of build and run
	Sweep        *SweepSum         `json:"sweep,omitempty"`         // where anything had leaked in the lane
	Held         float64           `json:"held-seconds,omitempty"`  // by the pressure, before anything began; in no time limit
	Card         *CardUse          `json:"card,omitempty"`          // of a gate that had one, or several
	Owed         *Owed             `json:"owed,omitempty"`          // of a refused one that is to be run when what it was refused for is over
	Built        bool              `json:"built,omitempty"`         // of a refused one: what it runs was built
	Stall        *pressure.Summary `json:"stall,omitempty"`         // of the machine, from the beginning to the end
	StallUnknown string            `json:"stall-unknown,omitempty"` // why something of it is not known
	Beside       *Beside           `json:"beside,omitempty"`        // of a sample: what others did to the machine during its run
	Leftover     *Leftover         `json:"leftover,omitempty"`      // what a later gpuci did about what was left
	Bound        Bound             `json:"bound"`
	Outdated     bool              `json:"-"` // a finding is that a product is older than its source
	Unwritten    bool              `json:"-"` // a finding is that the run's own log or record is not whole, as on a full disk

	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	Dir     string    `json:"dir"` // logs and metrics of this run
	Log     string    `json:"log"`
}

// schema is the form of Verdict's JSON, for the history to import.
const schema = 1

// Finding is one reason, with the outcome it leads to by itself.
type Finding struct {
	Outcome Outcome `json:"outcome"`
	Text    string  `json:"text"`
}

// Tests is what the harness said it ran.
type Tests struct {
	Reader   string   `json:"reader"`
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	Ignored  int      `json:"ignored"`
	Measured int      `json:"measured,omitempty"`
	Filtered int      `json:"filtered,omitempty"`
	Suites   int      `json:"suites"`
	Names    []string `json:"failed-names,omitempty"`
}

// Ran is the number of tests that did something.
func (t Tests) Ran() int { return t.Passed + t.Failed + t.Measured }

// WitnessResult is a relation held against the counters of the output.
type WitnessResult struct {
	Name     string            `json:"name"`
	Holds    string            `json:"holds"`
	State    metric.State      `json:"state"`
	Matches  int               `json:"matches"`
	Counters map[string]string `json:"counters,omitempty"` // of the match that decided
	Why      string            `json:"why,omitempty"`
}

// MetricSummary is a metric that was read, judged or not.
type MetricSummary struct {
	Metric string          `json:"metric"`
	Count  int             `json:"count"`
	Low    metric.Sample   `json:"low"`
	High   metric.Sample   `json:"high"`
	Unit   string          `json:"unit,omitempty"`
	Series []metric.Series `json:"series,omitempty"` // by their labels; at most 2,000 of all metrics
}

// Ended is how a command ended.
type Ended struct {
	Step    string   `json:"step"`             // build or run
	Repeat  int      `json:"repeat,omitempty"` // which of the runs, where there are several
	Argv    []string `json:"argv"`
	Exit    int      `json:"exit"`
	Signal  string   `json:"signal,omitempty"`
	Seconds float64  `json:"seconds"`
	Used
	Supervised string   `json:"supervised,omitempty"` // cgroup: nothing gets out; session: see README for what does
	NoCgroup   string   `json:"no-cgroup,omitempty"`  // why it was the latter
	Escaped    []string `json:"escaped,omitempty"`    // outlived the command and were ended
	Survivors  []string `json:"survivors,omitempty"`  // could not be ended
	Left       []string `json:"left,omitempty"`       // daemons that may stay
}

// Used is what commands used with all that they started.
type Used struct {
	CPU      float64 `json:"cpu-seconds"`                 // in a cgroup of all, else of those that were waited for
	Read     int64   `json:"read-bytes"`                  // from storage, of those that were waited for
	Written  int64   `json:"written-bytes"`               // the same
	Switches int64   `json:"context-switches"`            // the same
	MaxRSS   int64   `json:"max-rss-bytes,omitempty"`     // of the largest single process; left out when no larger than gpuci itself
	Peak     int64   `json:"memory-peak-bytes,omitempty"` // of all together with their file pages; where the cgroup has a memory controller
}

// add adds up what commands used one after the other.
func (u *Used) add(v Used) {
	u.CPU += v.CPU
	u.Read += v.Read
	u.Written += v.Written
	u.Switches += v.Switches
	u.MaxRSS = max(u.MaxRSS, v.MaxRSS)
	u.Peak = max(u.Peak, v.Peak)
}

// Leftover is what the next gpuci found of a run whose own was killed, or that
// could not end everything.
type Leftover struct {
	At        time.Time `json:"at"`
	By        string    `json:"by"`                  // the run that came upon it
	Ended     []string  `json:"ended,omitempty"`     // is gone now
	Left      []string  `json:"left,omitempty"`      // daemons that may stay
	Survivors []string  `json:"survivors,omitempty"` // could not be ended
	Unknown   []string  `json:"unknown,omitempty"`   // did not let itself be asked whether it belongs to the run
}

// Bound is what the verdict holds for. A change to any of it makes the
// verdict a statement about the past.
type Bound struct {
	Unread   bool            `json:"unread,omitempty"` // the lane was not looked at: stopped or refused before
	Lane     string          `json:"lane"`
	Root     string          `json:"root"`
	Commit   string          `json:"commit,omitempty"`
	Branch   string          `json:"branch,omitempty"`
	Changes  string          `json:"changes,omitempty"` // hash of what is not committed
	Changed  []string        `json:"changed,omitempty"` // the first of those paths
	Tree     string          `json:"tree,omitempty"`    // id of all that is in the lane, as a commit of it would have; "" where git could not say
	Bundle   string          `json:"bundle,omitempty"`  // id of the archive that it was run from; commit, changes and tree are what that was made of
	Config   string          `json:"config"`            // hash of this gate's settings
	Products []Product       `json:"products,omitempty"`
	Profile  string          `json:"profile,omitempty"`
	Backend  string          `json:"backend,omitempty"`
	Tools    []Tool          `json:"tools,omitempty"`
	Card     string          `json:"card,omitempty"`  // model of the cards it had: "NVIDIA H200", "2 x NVIDIA H200"; with ", shared" behind it a series of its own
	Cards    []string        `json:"cards,omitempty"` // their UUIDs
	Driver   string          `json:"driver,omitempty"`
	Host     string          `json:"host"`
	Kernel   string          `json:"kernel"`
	Gpuci    string          `json:"gpuci"`
	state    worktrees.State // as read before the build
}

// Product is a file the gate was judged by. Its path is from the directory of
// gpuci.toml where it is below it.
type Product struct {
	inputs.Product
	Lane string `json:"lane,omitempty"` // that it belongs to, where one does
}

// Tool is a program the gate's commands name.
type Tool struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Version string `json:"version,omitempty"`
}

// StepState says what became of a step of the pipeline.
type StepState string

// A step is done, failed (the pipeline ended there), not needed by this gate, not
// reached, done elsewhere by who made the bundle, or absent: this version of gpuci does
// not have it.
const (
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	StepNone    StepState = "not needed"
	StepSkipped StepState = "not reached"
	StepBundled StepState = "bundled"
	StepAbsent  StepState = "absent"
)

// Step is one step of the pipeline as it went.
type Step struct {
	Name    string    `json:"name"`
	State   StepState `json:"state"`
	Seconds float64   `json:"seconds,omitempty"`
}
