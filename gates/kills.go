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

// KillRecord is a line of reaper.jsonl, which has every SIGKILL that a sweep sent
// in a workspace, written when it is known what came of it: the process is gone,
// or it is Left at the end of the sweep. What becomes of such a one afterwards
// no sweep need see; one that does see it go has a line with Earlier.
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
	Took     float64   `json:"took-seconds"`      // from SIGKILL until it was gone; of one that is left, until the end of the sweep
	Left     bool      `json:"left,omitempty"`    // it was still there at the end of the sweep
	Earlier  bool      `json:"earlier,omitempty"` // it had its SIGKILL when the sweep came, which sent none; took-seconds is from then
	UID      int       `json:"uid"`               // whose it was
	By       int       `json:"by"`                // uid of who swept
}

// NewKillRecord says what was ended now.
func NewKillRecord(k reaper.Kill, run string) KillRecord {
	r := KillRecord{
		Type: "kill", Time: time.Now(), Run: run, PID: k.PID, Start: k.Start, Comm: k.Comm, Tool: k.Tool, Kind: string(k.Kind),
		Lane: k.Lane, Evidence: k.Evidence, Why: k.Why, Age: k.Age.Seconds(), CPU: k.CPU.Seconds(), Took: k.Took.Seconds(), Earlier: k.Earlier, UID: int(k.UID), By: os.Getuid(),
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

// NewLeftRecord says what was sent SIGKILL and is still there.
func NewLeftRecord(k reaper.Kill, run string) KillRecord {
	r := NewKillRecord(k, run)
	r.Left = true
	return r
}

// Append writes the line to the end of the state directory's reaper.jsonl, in
// one write: lines of several sweeps do not mix. A last line there that somebody
// was killed over, or that a full disk cut, is ended first. What has the name
// and is no file of its own, such as a symbolic link or a FIFO, is not written
// to.
func (r KillRecord) Append(state string) error {
	line, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(state, 0o755)
	}
	var f *os.File
	if err == nil {
		f, err = openKills(filepath.Join(state, "reaper.jsonl"))
	}
	if err != nil {
		return fmt.Errorf("write down what was swept: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write down what was swept: %w", err)
	}
	return nil
}

// openKills opens the file for one more line.
func openKills(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file (move it away)", path) // opening a device can do something
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file (move it away)", path)
	}
	if err == nil && info.Size() > 0 {
		err = endLine(f, info.Size())
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// endLine ends the last line of a file of some size, if it is torn.
func endLine(f *os.File, size int64) error {
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err := f.Write([]byte{'\n'})
	return err
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
