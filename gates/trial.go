package gates

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"gpuci/gates/history"
)

// trialType is that of a verdict which is none of the gate's own outcomes.
const trialType = "trial"

// kindOf is the type of a verdict.
func kindOf(trial string) string {
	if trial != "" {
		return trialType
	}
	return "verdict"
}

// keepTrials adds the runs in whose directories stands what falsifications read,
// the last of each gate in each lane.
func keepTrials(store *history.Store, keep map[string]bool) {
	const most = 1000 // that are looked at: of any gate worth it the last is among them
	list, err := store.Falsifications(context.Background(), history.Query{Limit: most})
	if err != nil {
		return
	}
	have := make(map[[2]string]bool)
	for _, one := range list {
		if of := [2]string{one.Gate, one.Lane}; !have[of] {
			have[of], keep[one.Run] = true, true
		}
	}
}

// isTrial says whether a run's directory is of a trial, which the history does not
// have.
func isTrial(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "verdict.json"))
	var v struct {
		Type string `json:"type"`
	}
	return err == nil && json.Unmarshal(data, &v) == nil && v.Type == trialType
}
