package buildlock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// Who is what a ticket says of the one who queues, beyond the process.
type Who struct {
	Lane    string // the lane's name, "" where there is none
	Root    string // the lane's directory, since names recur from repository to repository
	Command string // the build's command, for people
	Dir     string // the working directory
	Build   string // id of the build or run it belongs to
}

// record is the content of a ticket: one JSON line when it is made, then one
// whenever it is held back, and one when it is granted. It informs; the lock
// decides.
type record struct {
	PID    int       `json:"pid"`
	Start  uint64    `json:"start"`
	BootID string    `json:"boot"`
	PIDNS  uint64    `json:"pidns"` // pids of another namespace name nobody here
	UID    int       `json:"uid"`
	Lane   string    `json:"lane,omitempty"`
	Root   string    `json:"root,omitempty"`
	Cmd    string    `json:"command,omitempty"`
	Dir    string    `json:"dir,omitempty"`
	Build  string    `json:"build,omitempty"`
	Slots  int       `json:"slots,omitempty"` // what it lowers the number of links to
	Cards  int       `json:"cards,omitempty"` // how many cards it needs, of a card's ticket
	Among  int       `json:"among,omitempty"` // of how many that will do: each of them has a ticket like this
	Since  time.Time `json:"since"`
}

// granted is what became of a ticket since: the last line that says it.
type granted struct {
	Granted time.Time `json:"granted,omitzero"`
	Held    string    `json:"held,omitempty"`    // why it is held back though it is its turn
	Looking bool      `json:"looking,omitempty"` // whether it is to be is being found out
}

// waits says that the pressure is waited for.
func (g granted) waits() bool { return g.Granted.IsZero() && (g.Held != "" || g.Looking) }

func newRecord(w Who) (record, error) {
	id, err := proc.Real.Identity(os.Getpid())
	if err != nil {
		return record{}, fmt.Errorf("say who we are: %w", err)
	}
	ns, _ := proc.Real.Namespaces(os.Getpid()) // 0 where /proc does not tell
	return record{
		PID: id.PID, Start: id.Start, BootID: id.BootID, PIDNS: ns.PID, UID: os.Getuid(),
		Lane: Clip(w.Lane), Root: Clip(w.Root), Cmd: Clip(w.Command), Dir: w.Dir, Build: Clip(w.Build), Since: time.Now(),
	}, nil
}

// maxText bounds what a ticket says, in bytes: enough to know a build again. A
// command line can be megabytes, and what a build's processes inherit of it
// counts against their argument lists.
const maxText = 200

// Clip shortens a text of a Who.
func Clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…" // not in the middle of a character
}

func (r record) identity() proc.Identity {
	return proc.Identity{PID: r.PID, Start: r.Start, BootID: r.BootID}
}

// made says whether a process is the one whose ticket it is.
func (r record) made(s proc.Stat) bool { return s.PID == r.PID && s.Start == r.Start }

// parseRecord reads a ticket's content as far as it can be read: a line that
// was torn, or that somebody else wrote, says nothing.
func parseRecord(data []byte) (r record, g granted) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	_ = json.Unmarshal(first, &r)
	for line := range bytes.Lines(rest) {
		var next granted
		if json.Unmarshal(line, &next) == nil {
			g = next
		}
	}
	return r, g
}
