package main

import (
	"gpuci/buildlock"
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// suspectLine is a judged process in JSON, one line each. What is not known is
// left out. Its type says what the line is: "process" of a list, "event" of a
// watch; of a sweep "leaked" and "young" (a dry run would end it, now or if it
// gets old enough), "survivor", "chain" and "spared" (let be for what it says).
// The lines of what a sweep has ended are gates.KillRecord, as in reaper.jsonl.
type suspectLine struct {
	Type     string      `json:"type"` // process, event, leaked, young, survivor, chain or spared
	PID      int         `json:"pid"`
	PPID     int         `json:"ppid"`
	Start    uint64      `json:"start"` // ticks since boot, a hundred a second
	Top      int         `json:"top"`   // pid of the topmost of its tree
	Kind     reaper.Kind `json:"kind"`
	Tool     string      `json:"tool,omitempty"` // of the family
	Comm     string      `json:"comm"`
	User     string      `json:"user,omitempty"`
	State    string      `json:"state"`       // the letter of ps(1)
	Age      float64     `json:"age-seconds"` // since its start
	CPU      float64     `json:"cpu-seconds"` // its own, and of children that it has waited for
	Lane     string      `json:"lane,omitempty"`
	Root     string      `json:"root,omitempty"`     // of the lane
	Evidence string      `json:"evidence,omitempty"` // cwd, exe, open file, leaf or cookie
	Dir      string      `json:"dir,omitempty"`      // the working directory
	Removed  bool        `json:"dir-removed,omitempty"`
	Exe      string      `json:"exe,omitempty"`
	Leaked   bool        `json:"leaked"`
	Young    bool        `json:"young,omitempty"` // leaked but for its age
	Why      string      `json:"why"`
}

// line is what is said of a process.
func (g ground) line(kind string, j reaper.Judged) suspectLine {
	out := suspectLine{
		Type: kind, PID: j.PID, PPID: j.PPID, Start: j.Start, Top: j.Top, Kind: j.Kind, Tool: j.Tool, Comm: j.Comm,
		State: string(j.State), Age: round(j.Age.Seconds()), CPU: proc.CPUTime(j.CPU + j.Waited).Seconds(), Lane: j.Lane, Root: g.root(j.Lane), Evidence: j.Evidence,
		Leaked: j.Leaked, Young: j.Young, Why: j.Why,
	}
	if j.UIDKnown {
		out.User = buildlock.UserName(int(j.UID))
	}
	if j.Cwd.Known() {
		out.Dir, out.Removed = j.Cwd.Path, j.Cwd.Deleted
	}
	if j.Exe.Known() {
		out.Exe = j.Exe.Path
	}
	return out
}

// listedLine is a process in `gpuci reaper list --json`, with what it has read
// from storage and sent there so far.
type listedLine struct {
	suspectLine
	Depth   int     `json:"depth"` // below the top
	Pending bool    `json:"sigkill-pending,omitempty"`
	Read    *uint64 `json:"read-bytes,omitempty"`
	Written *uint64 `json:"written-bytes,omitempty"`
	Unknown string  `json:"io-unknown,omitempty"` // why those are not known
}

// listLine closes a list.
type listLine struct {
	Type      string   `json:"type"` // always "list"
	Processes int      `json:"processes"`
	Leaked    int      `json:"leaked-processes"`
	NotListed int      `json:"not-listed"` // of lanes that were not asked for
	Lanes     []string `json:"lanes"`      // that were
}

// listJSON prints a look for programs.
func (a *app) listJSON(l reaperLook) error {
	var lines []any
	for _, t := range l.trees {
		for _, s := range t {
			line := listedLine{suspectLine: l.line("process", s.Judged), Depth: s.depth, Pending: s.dying, Unknown: s.noIO}
			if s.io != nil {
				line.Read, line.Written = &s.io.Fetched, &s.io.Sent
			}
			lines = append(lines, line)
		}
	}
	for _, u := range l.unseen {
		lines = append(lines, unseenLine{"unseen", u.what, u.who})
	}
	lines = append(lines, l.elsewhereLines(l.leaks)...)
	end := listLine{Type: "list", NotListed: l.others, Lanes: []string{}}
	end.Processes, end.Leaked = l.count()
	for _, t := range l.lanes {
		if l.meant[t.Name] {
			end.Lanes = append(end.Lanes, t.Name)
		}
	}
	return a.jsonLines(append(lines, end))
}

// jsonLines writes JSON lines to stdout.
func (a *app) jsonLines(lines []any) error {
	for _, line := range lines {
		if err := a.jsonLine(line); err != nil {
			return err
		}
	}
	return nil
}
