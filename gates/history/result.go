package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Result is what came of one gate in one lane, and what that is bound to. It is
// kept as JSON; fields are only ever added.
type Result struct {
	Run     string    `json:"run"` // its id, unique
	Gate    string    `json:"gate"`
	Lane    string    `json:"lane"`
	Root    string    `json:"root,omitempty"` // directory of gpuci.toml
	Outcome string    `json:"outcome"`
	Exit    int       `json:"exit"`
	Partial bool      `json:"partial,omitempty"` // not the gate's own verdict: arguments were added
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	Owed    *Owed     `json:"owed,omitempty"`  // of one that was refused: the measurement is to be taken yet
	Built   bool      `json:"built,omitempty"` // of one that was refused: after its build

	Commit  string `json:"commit,omitempty"` // "" where the lane was not looked at
	Branch  string `json:"branch,omitempty"`
	Changes string `json:"changes,omitempty"` // hash of what was not committed, "" for nothing
	Tree    string `json:"tree,omitempty"`    // id of the lane's content, "" unknown
	Config  string `json:"config,omitempty"`  // hash of the gate's settings

	Profile string `json:"profile,omitempty"`
	Backend string `json:"backend,omitempty"`
	Card    string `json:"card,omitempty"`
	Driver  string `json:"driver,omitempty"`
	Host    string `json:"host,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Gpuci   string `json:"gpuci,omitempty"`
	UID     int    `json:"uid"` // who recorded it; set by the store

	Marks    []string  `json:"marks,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Repeat   *Repeat   `json:"repeat,omitempty"`
	Tests    *Tests    `json:"tests,omitempty"`
	Metrics  []Metric  `json:"metrics,omitempty"`
	Scope    []Scope   `json:"scope,omitempty"`
	Notes    []Note    `json:"notes,omitempty"`
	Tools    []Tool    `json:"tools,omitempty"`
	Products []Product `json:"products,omitempty"`
	Used     *Used     `json:"used,omitempty"`
	Stall    *Stall    `json:"stall,omitempty"`
	Links    *Links    `json:"links,omitempty"`
	Held     float64   `json:"held-seconds,omitempty"` // by pressure, before anything began
	Dir      string    `json:"dir,omitempty"`          // of the run, with its logs

	Revision int `json:"revision,omitempty"` // how often it was amended; set by the store
}

// Finding is one reason for an outcome, with the outcome it leads to by itself.
type Finding struct {
	Outcome string `json:"outcome"`
	Text    string `json:"text"`
}

// Repeat is what came of a gate that was run several times in one go.
type Repeat struct {
	Times    int `json:"times"`
	Unstable []struct {
		Kind string `json:"kind"`
		Text string `json:"text"`
		Runs []int  `json:"runs,omitempty"` // those that were not like most
	} `json:"unstable,omitempty"`
}

// Tests is what the harness said it ran.
type Tests struct {
	Reader   string `json:"reader"`
	Passed   int    `json:"passed"`
	Failed   int    `json:"failed"`
	Ignored  int    `json:"ignored"`
	Measured int    `json:"measured,omitempty"`
	Filtered int    `json:"filtered,omitempty"`
	Suites   int    `json:"suites"`
}

// Scope is what a gate covers on one axis.
type Scope struct {
	Axis    string   `json:"axis"`
	State   string   `json:"state"` // whether that was shown, or is claimed
	Covered []string `json:"covered,omitempty"`
}

// Note is what a run made of a statement that expires.
type Note struct {
	ID         string `json:"id"`
	Stale      bool   `json:"stale"`
	Prediction string `json:"prediction,omitempty"`
	Fell       []struct {
		Condition string `json:"condition"`
		Why       string `json:"why"`
	} `json:"fell,omitempty"`
}

// Tool is a program that the gate's commands name.
type Tool struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Version string `json:"version,omitempty"`
}

// Product is a file that the gate was judged by.
type Product struct {
	Path    string    `json:"path"`
	SHA256  string    `json:"sha256"`
	BuildID string    `json:"build-id,omitempty"`
	Bytes   int64     `json:"bytes"`
	Built   time.Time `json:"built,omitzero"`
	Lane    string    `json:"lane,omitempty"` // that built it
}

// Used is what the gate's commands used with all that they started.
type Used struct {
	CPU      float64 `json:"cpu-seconds"`
	Read     int64   `json:"read-bytes"` // from storage
	Written  int64   `json:"written-bytes"`
	Switches int64   `json:"context-switches,omitempty"`
	MaxRSS   int64   `json:"max-rss-bytes,omitempty"`     // of the largest process
	Peak     int64   `json:"memory-peak-bytes,omitempty"` // of all together
}

// Stall is for what share of the time, 0 to 1, tasks of the machine waited
// while the gate ran. What was never known is nil, and is not 0.
type Stall struct {
	IOFull     *Extent `json:"io-full,omitempty"`
	IOSome     *Extent `json:"io-some,omitempty"`
	CPUSome    *Extent `json:"cpu-some,omitempty"`
	MemoryFull *Extent `json:"memory-full,omitempty"`
	OwnIOFull  *Extent `json:"own-io-full,omitempty"` // of the gate's own cgroup
}

// Extent is one share of the time, 0 to 1.
type Extent struct {
	Mean float64 `json:"mean"`
	Peak float64 `json:"peak"` // of the highest step
}

// Links is what became of the gate's links; times are seconds.
type Links struct {
	Ticketed int     `json:"ticketed"`
	Past     int     `json:"past,omitempty"` // came past the shims
	Unknown  int     `json:"ticket-unknown,omitempty"`
	NotRun   int     `json:"not-run,omitempty"`
	Waited   float64 `json:"waited-seconds"`
	Longest  float64 `json:"longest-seconds"`
	Queued   float64 `json:"queued-seconds"`
	Lock     float64 `json:"build-lock-seconds"`
}

// entry is a result as it is stored: what the columns are made of, and the JSON
// that is kept. The JSON of a journal is kept as it came, with what a newer
// gpuci may have written into it.
type entry struct {
	Result
	body []byte
}

// typed is a result as a line of a journal.
type typed struct {
	Type string `json:"type"`
	*Result
}

// newEntry encodes a result. It is read back, so that the columns hold what
// JSON holds: a byte that is not UTF-8 becomes U+FFFD in both. A metric that is no
// number has no place among numbers and is left out.
func newEntry(r Result) (entry, error) {
	r.Metrics = slices.DeleteFunc(merged(r.Metrics), func(m Metric) bool { return !m.finite() })
	body, err := Marshal(typed{"result", &r})
	if err != nil {
		return entry{}, err
	}
	return readEntry(body)
}

// readEntry decodes a result; body is kept, not copied.
func readEntry(body []byte) (entry, error) {
	e := entry{body: body}
	if len(body) > maxLine {
		return e, fmt.Errorf("it has %d bytes as JSON, of at most %d", len(body), maxLine)
	}
	if err := json.Unmarshal(body, &e.Result); err != nil {
		return e, err
	}
	if e.Run == "" || e.Gate == "" {
		return e, errors.New("it has no run id, or no gate")
	}
	return e, nil
}
