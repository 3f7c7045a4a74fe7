package history

import (
	"encoding/json"
	"errors"
	"time"
)

// Kill is a process that a sweep ended. One process is (boot, pid, start): two
// sweeps that both saw it end count it once. Lines written before the boot was
// have none; they are taken for any kill with the same pid and start.
type Kill struct {
	Time     time.Time `json:"time"`
	Run      string    `json:"run,omitempty"` // the gate's that swept, "" by hand
	Boot     string    `json:"boot,omitempty"`
	PID      int       `json:"pid"`
	Start    uint64    `json:"start"` // ticks since boot
	Comm     string    `json:"comm"`
	Tool     string    `json:"tool,omitempty"`
	Kind     string    `json:"kind"`
	Lane     string    `json:"lane,omitempty"`
	Evidence string    `json:"evidence,omitempty"`
	Why      string    `json:"why"`
	Dir      string    `json:"dir,omitempty"`
	Age      float64   `json:"age-seconds"`
	CPU      float64   `json:"cpu-seconds"`
	Read     *uint64   `json:"read-bytes,omitempty"` // from storage; nil where that was not ours to read
	Written  *uint64   `json:"written-bytes,omitempty"`
	Took     float64   `json:"took-seconds"`   // from SIGKILL until it was gone; of one that is left, until the end of the sweep
	Left     bool      `json:"left,omitempty"` // it was still there at the end of the sweep
	UID      int       `json:"uid"`            // whose it was
	By       int       `json:"by"`             // uid of who swept; set by the store
}

// killEntry is a kill as it is stored.
type killEntry struct {
	Kill
	body []byte
}

type typedKill struct {
	Type string `json:"type"`
	*Kill
}

func newKillEntry(k Kill) (killEntry, error) {
	body, err := json.Marshal(typedKill{"kill", &k})
	if err != nil {
		return killEntry{}, err
	}
	return readKillEntry(body)
}

func readKillEntry(body []byte) (killEntry, error) {
	e := killEntry{body: body}
	if err := json.Unmarshal(body, &e.Kill); err != nil {
		return e, err
	}
	if e.PID <= 0 || e.Time.IsZero() {
		return e, errors.New("it has no pid, or no time")
	}
	return e, nil
}
