package gates

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/gates/history"
)

// Unrun is a gate of which nothing came where it was sent: it is recorded as a run, so that
// the history knows that it was tried, and why there is no outcome.
type Unrun struct {
	Gate    string
	Config  string // SettingsID
	Subject string
	Partial bool

	Outcome Outcome // Refused or Broken
	Why     string
	Next    []string

	Lane, Branch, Root   string
	Commit, Tree, Change string // Change is the hash of what is not committed
	Host                 string // where it was lost; "" where that is not known
	Version              string // of gpuci
	Began, Ended         time.Time
	Log                  []byte // what it said until then; "run.log" of the run

	State   string // where runs are recorded
	History *Past
}

// RecordUnrun records it, and gives the verdict that says so.
func RecordUnrun(u Unrun) (Verdict, error) {
	if u.Outcome != Refused && u.Outcome != Broken {
		return Verdict{}, fmt.Errorf("record gate %s as lost: %q says something of the code", u.Gate, u.Outcome)
	}
	if u.Began.IsZero() {
		u.Began = time.Now()
	}
	v := Verdict{
		Type: kindOf(""), Schema: schema, Run: NewID(u.Began), Gate: u.Gate, Outcome: u.Outcome, Exit: u.Outcome.ExitCode(), Partial: u.Partial,
		Findings: []Finding{{u.Outcome, u.Why}}, Next: u.Next, Subject: u.Subject, Started: u.Began,
		Bound: Bound{Lane: u.Lane, Root: u.Root, Commit: u.Commit, Branch: u.Branch, Changes: u.Change, Tree: u.Tree, Config: u.Config, Host: u.Host, Gpuci: u.Version},
	}
	if u.Ended.After(u.Began) {
		v.Seconds = u.Ended.Sub(u.Began).Seconds()
	}
	v.Dir = filepath.Join(u.State, "runs", v.Run)
	if err := os.MkdirAll(v.Dir, 0o755); err != nil {
		return Verdict{}, fmt.Errorf("record gate %s as lost: %w", u.Gate, err)
	}
	var err error
	if len(u.Log) > 0 {
		v.Log = filepath.Join(v.Dir, "run.log")
		err = os.WriteFile(v.Log, u.Log, 0o644)
	}
	data, merr := history.Marshal(v)
	if err = errors.Join(err, merr); err == nil {
		data, err = json.MarshalIndent(json.RawMessage(data), "", "  ")
	}
	if err == nil {
		err = WriteWhole(filepath.Join(v.Dir, "verdict.json"), append(data, '\n'), 0o644)
	}
	if err == nil {
		err = keepVerdict(u.History, &v)
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("record gate %s as lost: %w", u.Gate, err)
	}
	return v, nil
}
