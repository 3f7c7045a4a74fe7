package buildlock

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// What a ticket is doing.
const (
	StateHolds = "holds" // has the lock
	StateWaits = "waits" // in line
	StateKept  = "kept"  // its process is gone, and others still have its file open
	StateVoid  = "void"  // declared void, and its file is still locked
)

// Entry is a live ticket.
type Entry struct {
	ID      string    `json:"ticket"`
	Number  uint64    `json:"number"`
	State   string    `json:"state"`
	PID     int       `json:"pid"`   // in the pid namespace of who made it
	Start   uint64    `json:"start"` // of that process, in clock ticks since boot
	UID     int       `json:"uid"`
	Lane    string    `json:"lane,omitempty"`
	Root    string    `json:"root,omitempty"` // of the lane
	Command string    `json:"command,omitempty"`
	Dir     string    `json:"dir,omitempty"`
	Build   string    `json:"build,omitempty"`
	Since   time.Time `json:"since"`             // when it took its place in line
	Granted time.Time `json:"granted,omitzero"`  // zero while it waits
	Held    string    `json:"held,omitempty"`    // why it waits though it is its turn (the pressure on this machine, a card that is busy), or what its holder says
	Looking bool      `json:"looking,omitempty"` // whether to hold it back is being found out
	Stopped bool      `json:"stopped,omitempty"` // by a signal (Ctrl-Z) or a debugger: it does not move on by itself
	Foreign bool      `json:"foreign,omitempty"` // made in another pid namespace: nothing is known of its process
	Keepers []Keeper  `json:"keepers,omitempty"` // of a kept one
	Unread  int       `json:"unread,omitempty"`  // processes that could not be looked at when keepers were sought
	Slots   int       `json:"slots,omitempty"`   // what it lowers the number of links to, 0 when it does not
	Cards   int       `json:"cards,omitempty"`   // of a card's lock: how many cards it waits for or took
	Among   int       `json:"among,omitempty"`   // of how many: while it waits, it stands in the line of each
	Void    *Voided   `json:"void,omitempty"`
}

// Keeper is a process that still has a ticket's file open.
type Keeper struct {
	PID   int    `json:"pid"`
	Comm  string `json:"comm"`
	State string `json:"state"` // R, S, D, …: proc_pid_stat(5)
	Cwd   string `json:"cwd,omitempty"`
}

// String names a holder for people.
func (e Entry) String() string {
	who := fmt.Sprintf("(pid %d %s", e.PID, UserName(e.UID))
	if e.Command != "" {
		who += ", " + e.Command
	}
	who += ")"
	switch {
	case e.Lane != "" && e.Root != "": // every repository has a lane main
		who = "lane " + e.Lane + " of " + e.Root + " " + who
	case e.Lane != "":
		who = "lane " + e.Lane + " " + who
	case e.Dir != "":
		who = e.Dir + " " + who
	}
	if since := cmp.Or(e.Granted, e.Since); !since.IsZero() {
		who += " since " + since.Local().Format("15:04:05")
	}
	return Printable(who + e.trouble())
}

// Printable is [proc.Printable], for those above who do not read processes themselves.
func Printable(s string) string { return proc.Printable(s) }

// trouble is what makes a ticket last.
func (e Entry) trouble() string {
	switch {
	case e.Foreign:
		return ", in another pid namespace"
	case e.Stopped:
		return ", stopped: fg, or kill -CONT, lets it go on"
	case e.State == StateKept:
	case e.Held != "" && e.State != StateVoid:
		return ", " + e.Held
	default:
		return ""
	}
	if len(e.Keepers) == 0 {
		return ", which is gone; still open in a process that cannot be seen from here"
	}
	var list []string
	for _, k := range e.Keepers {
		list = append(list, fmt.Sprintf("%s (pid %d, state %s)", k.Comm, k.PID, k.State))
	}
	return ", which is gone; still open in " + strings.Join(list, ", ")
}
