package gates

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"

	"golang.org/x/sys/unix"
)

// KillRecord is a line of reaper.jsonl, which has every process that a sweep
// ended in a workspace.
type KillRecord struct {
	Type     string    `json:"type"` // always "kill"
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
	Took     float64   `json:"took-seconds"` // from SIGKILL until it was gone
	UID      int       `json:"uid"`          // whose it was
	By       int       `json:"by"`           // uid of who swept
}

// NewKillRecord says what was ended now.
func NewKillRecord(k reaper.Kill, run string) KillRecord {
	r := KillRecord{
		Type: "kill", Time: time.Now(), Run: run, PID: k.PID, Start: k.Start, Comm: k.Comm, Tool: k.Tool, Kind: string(k.Kind),
		Lane: k.Lane, Evidence: k.Evidence, Why: k.Why, Age: k.Age.Seconds(), CPU: k.CPU.Seconds(), Took: k.Took.Seconds(), UID: int(k.UID), By: os.Getuid(),
	}
	r.Boot, _ = proc.Real.BootID()
	if k.Cwd.Known() {
		r.Dir = k.Cwd.Path
	}
	if k.IO != nil {
		r.Read, r.Written = &k.IO.Fetched, &k.IO.Sent
	}
	return r
}

// Append writes the line to the end of the state directory's reaper.jsonl, in
// one write: lines of several sweeps do not mix.
func (r KillRecord) Append(state string) error {
	line, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(state, 0o755)
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(filepath.Join(state, "reaper.jsonl"), os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write down what was swept: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("write down what was swept: %s is no regular file", f.Name())
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write down what was swept: %w", err)
	}
	return nil
}

// leftoverKills are the lines of what was ended of a run whose gpuci was killed.
func leftoverKills(s startedRecord, ended []proc.Stat, by, of string) (list []KillRecord) {
	boot, _ := proc.Real.BootID()
	for _, p := range ended {
		r := KillRecord{
			Type: "kill", Time: time.Now(), Run: by, Boot: boot, PID: p.PID, Start: p.Start, Comm: p.Comm, Kind: string(reaper.Started),
			Lane: s.Lane, Why: of, Age: proc.Real.Age(p).Seconds(), CPU: proc.CPUTime(p.CPU).Seconds(), UID: os.Getuid(), By: os.Getuid(),
		}
		if s.UID != nil {
			r.UID = *s.UID
		}
		list = append(list, r)
	}
	return list
}
