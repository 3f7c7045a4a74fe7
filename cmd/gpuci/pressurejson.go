package main

import (
	"fmt"
	"math"

	"gpuci/buildlock"
	"gpuci/pressure"
)

// diagnosisLine is the diagnosis in `gpuci pressure --json`.
type diagnosisLine struct {
	Type   string           `json:"type"` // always "diagnosis"
	Cause  pressure.Cause   `json:"cause"`
	Causes []pressure.Cause `json:"causes"` // all that hold, the worst first
	Text   string           `json:"text"`
	Next   string           `json:"next,omitempty"`
}

// resourceLine is the pressure on one resource, in percent of the time. What is
// not known is left out. Its beginning is the line of `gpuci lock status`.
type resourceLine struct {
	pressureLine
	Seconds float64  `json:"seconds"`        // that some and full were measured over
	Now     *float64 `json:"some,omitempty"` // of those seconds
	NowFull *float64 `json:"full,omitempty"`
	Some60  *float64 `json:"some-avg60,omitempty"`
	Full60  *float64 `json:"full-avg60,omitempty"`
	Some300 *float64 `json:"some-avg300,omitempty"`
	Full300 *float64 `json:"full-avg300,omitempty"`
}

// memoryLine is what memory is used for, in bytes.
type memoryLine struct {
	Type      string `json:"type"` // always "memory"
	Total     int64  `json:"total-bytes,omitempty"`
	Available *int64 `json:"available-bytes,omitempty"`
	Dirty     *int64 `json:"dirty-bytes,omitempty"`
	Writeback *int64 `json:"writeback-bytes,omitempty"`
	Unknown   string `json:"unknown,omitempty"` // why nothing is known
}

// processLine is a process in D. Bytes a second are left out where they are not
// known.
type processLine struct {
	Type    string   `json:"type"` // always "process"
	PID     int      `json:"pid"`
	Name    string   `json:"name"`
	User    string   `json:"user,omitempty"`
	Kernel  bool     `json:"kernel,omitempty"` // a thread of the kernel
	InD     int      `json:"looks-in-d"`
	Looks   int      `json:"looks"`
	Lane    string   `json:"lane,omitempty"`
	Root    string   `json:"root,omitempty"` // of the lane
	Dir     string   `json:"dir,omitempty"`
	Where   string   `json:"where,omitempty"` // the same in words
	Age     float64  `json:"age-seconds,omitempty"`
	Read    *float64 `json:"read-bytes-per-second,omitempty"`
	Written *float64 `json:"written-bytes-per-second,omitempty"`
	Unknown string   `json:"io-unknown,omitempty"` // why those are not known
	CPU     float64  `json:"cpu-seconds"`
	Waits   string   `json:"waits-in,omitempty"`
	NotDisk bool     `json:"not-disk,omitempty"` // what it waits for is not the disk
}

// idleLine is a build that has had no CPU for minutes.
type idleLine struct {
	Type    string  `json:"type"` // always "idle-build"
	PID     int     `json:"pid"`
	Command string  `json:"command"`
	Lane    string  `json:"lane,omitempty"`
	Look    float64 `json:"look-seconds"`
	Used    float64 `json:"look-cpu-seconds"`
	Oldest  int     `json:"oldest-pid"` // of its links and compilers without CPU
	Name    string  `json:"oldest-name"`
	State   string  `json:"oldest-state"`
	Age     float64 `json:"oldest-age-seconds"`
	CPU     float64 `json:"oldest-cpu-seconds"`
	Waits   string  `json:"oldest-waits-in,omitempty"`
	Place   int     `json:"place,omitempty"` // in line for the link lock
	Text    string  `json:"text"`
}

// unseenLine is something that was not seen.
type unseenLine struct {
	Type string `json:"type"` // always "unseen"
	What string `json:"what"`
	Who  string `json:"who"` // can see it
}

// lookJSON prints a look for programs: every process, where the text has the
// first of each lane.
func (a *app) lookJSON(l pressureLook) error {
	d := l.diagnosis
	lines := []any{diagnosisLine{"diagnosis", d.Cause, d.Causes, d.Text, d.Next}}
	for _, r := range l.resources() {
		lines = append(lines, r.line(l.span.Length().Seconds()))
	}
	lines = append(lines, l.memoryLine())
	for _, s := range l.stuck {
		lines = append(lines, s.line(l.looks))
	}
	for _, s := range l.kernel {
		lines = append(lines, processLine{Type: "process", PID: s.PID, Name: s.Comm, Kernel: true, InD: s.inD, Looks: l.looks, CPU: s.cpu().Seconds()})
	}
	for _, b := range l.busy {
		lines = append(lines, b.line())
	}
	for _, b := range l.builds {
		lines = append(lines, b.line())
	}
	for _, u := range l.unseen {
		lines = append(lines, unseenLine{"unseen", u.what, u.who})
	}
	for _, line := range lines {
		if err := a.jsonLine(line); err != nil {
			return err
		}
	}
	return nil
}

// line is what is known of one resource.
func (r namedResource) line(seconds float64) resourceLine {
	out := resourceLine{pressureLine: pressureLine{Type: "pressure", Resource: r.name}, Seconds: round(seconds)}
	if r.read.Unknown != nil {
		out.Unknown = r.read.Unknown.Error()
	}
	if v := r.read.Some; v != nil {
		out.Some, out.Some60, out.Some300 = &v.Avg10, &v.Avg60, &v.Avg300
	}
	if v := r.read.Full; v != nil {
		out.Full, out.Full60, out.Full300 = &v.Avg10, &v.Avg60, &v.Avg300
	}
	out.Now, out.NowFull = percentOf(r.shares.Some), percentOf(r.shares.Full)
	return out
}

// percentOf is a share in percent, nil where it is not known.
func percentOf(s pressure.Share) *float64 {
	if !s.Known {
		return nil
	}
	v := round(s.Percent())
	return &v
}

// round keeps two digits behind the point.
func round(v float64) float64 { return math.Round(100*v) / 100 }

func (l pressureLook) memoryLine() memoryLine {
	if l.noMemory != nil {
		return memoryLine{Type: "memory", Unknown: l.noMemory.Error()}
	}
	m := l.memory
	return memoryLine{Type: "memory", Total: m.Total, Available: &m.Available, Dirty: &m.Dirty, Writeback: &m.Writeback}
}

func (s stuckProcess) line(looks int) processLine {
	out := processLine{
		Type: "process", PID: s.PID, Name: s.Comm, InD: s.inD, Looks: looks,
		Lane: s.where.lane.Name, Root: s.where.lane.Root, Dir: s.where.dir, Where: s.where.text(),
		Age: round(s.age.Seconds()), CPU: s.cpu().Seconds(), Unknown: s.noIO, Waits: s.waits, NotDisk: s.other,
	}
	if s.uid >= 0 {
		out.User = buildlock.UserName(s.uid)
	}
	if s.rates != nil {
		read, written := math.Round(s.rates.read), math.Round(s.rates.written)
		out.Read, out.Written = &read, &written
	}
	return out
}

func (b idleBuild) line() idleLine {
	return idleLine{
		Type: "idle-build", PID: b.top.PID, Command: b.command, Lane: b.lane, Look: round(b.look.Seconds()), Used: b.used.Seconds(),
		Oldest: b.oldest.PID, Name: b.oldest.Comm, State: fmt.Sprintf("%c", b.oldest.State), Age: round(b.age.Seconds()), CPU: b.cpu.Seconds(),
		Waits: b.waits, Place: b.place, Text: b.String(),
	}
}
