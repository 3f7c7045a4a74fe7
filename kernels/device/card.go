package device

import (
	"fmt"
	"time"
)

// State is what a card is. The zero value is Unknown.
type State uint8

// The three answers. Unknown is never treated as quiet.
const (
	Unknown State = iota
	Quiet         // nobody but us is on it
	Busy          // somebody else is
)

func (s State) String() string {
	switch s {
	case Quiet:
		return "quiet"
	case Busy:
		return "busy"
	}
	return "unknown"
}

// MarshalText writes the word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads it; a word that it does not know is Unknown.
func (s *State) UnmarshalText(text []byte) error {
	*s = map[string]State{"quiet": Quiet, "busy": Busy}[string(text)]
	return nil
}

// Card is one GPU, or one instance of a GPU that is cut into instances (MIG);
// such a GPU is no card itself.
type Card struct {
	UUID     string  `json:"uuid"`               // "GPU-…" or "MIG-…"
	Parent   string  `json:"parent,omitempty"`   // UUID of the GPU of a MIG instance
	Instance string  `json:"instance,omitempty"` // "gi 1 ci 0" of a MIG instance
	Name     string  `json:"name"`               // the model: "NVIDIA H200"
	Index    int     `json:"index"`              // NVML's, which goes by PCI address; of the parent for an instance
	Minor    int     `json:"minor"`              // of the device file: /dev/nvidia0 is 0; -1 where it is not told
	Bus      string  `json:"bus"`                // PCI address, 00000000:18:00.0
	Major    int     `json:"major"`              // compute capability
	MinorCC  int     `json:"minor-cc"`
	Driver   string  `json:"driver"`            // 580.159.04
	CUDA     string  `json:"cuda"`              // newest CUDA that the driver runs: 13.0
	Memory   Reading `json:"memory"`            // bytes, all of it
	Reserved Reading `json:"reserved,omitzero"` // bytes that the driver keeps; 615 MiB of an H200
	Used     Reading `json:"used,omitzero"`     // bytes beside Reserved
	Free     Reading `json:"free,omitzero"`     // bytes
}

// SM is the compute capability as in sm_90; 0 where it is not known.
func (c Card) SM() int { return c.Major*10 + c.MinorCC }

// Label is what people call the card: "NVIDIA H200 0 (GPU-1234abcd…)".
func (c Card) Label() string {
	id := c.UUID
	if len(id) > 12 {
		id = id[:12] + "…"
	}
	return fmt.Sprintf("%s %d (%s)", c.Name, c.Index, id)
}

// Kind is what a process does on a card: "compute", "graphics", "mps", or several
// of them joined by "+".
type Kind string

// Process is one process on a card, as the driver lists it and /proc knows it.
type Process struct {
	PID     int       `json:"pid"`
	Start   uint64    `json:"start,omitempty"` // ticks since boot; 0 where /proc has no such process
	UID     int       `json:"uid"`             // -1 where not known
	User    string    `json:"user,omitempty"`  // name, or the number where it has none
	Command string    `json:"command,omitempty"`
	Cwd     string    `json:"cwd,omitempty"`
	Memory  Reading   `json:"memory,omitzero"` // bytes on this card
	Kind    Kind      `json:"kind,omitempty"`
	Since   time.Time `json:"since,omitzero"` // when it was started

	// Valid: /proc has it, its number is one that this kernel gives, and nothing
	// says that it is another process than the driver's. Of a process whose open
	// files are ours to see it has the card's device file open.
	Valid bool   `json:"valid"`
	Holds bool   `json:"holds,omitempty"` // was seen to have the device file open
	Why   string `json:"why,omitempty"`   // why it is not Valid
}

// Sample is what a card did at one moment.
type Sample struct {
	Util        Reading  `json:"util,omitzero"`     // percent of the last second or so in which a kernel ran
	MemoryUtil  Reading  `json:"mem-util,omitzero"` // percent in which memory was read or written
	Used        Reading  `json:"used,omitzero"`     // bytes
	Free        Reading  `json:"free,omitzero"`     // bytes
	SM          Reading  `json:"sm,omitzero"`       // MHz
	SMMax       Reading  `json:"sm-max,omitzero"`
	Mem         Reading  `json:"mem,omitzero"` // MHz
	MemMax      Reading  `json:"mem-max,omitzero"`
	Temperature Reading  `json:"temperature,omitzero"` // °C
	Power       Reading  `json:"power,omitzero"`       // mW
	Throttle    []string `json:"throttle,omitempty"`   // why the clocks are not higher: "power cap", "hot"; not "idle"
}

// Seen is a card with what is on it.
type Seen struct {
	Card
	State    State     `json:"state"`
	Foreign  []Process `json:"foreign,omitempty"` // on it, and not ours; some may not be Valid
	Own      []Process `json:"own,omitempty"`
	Why      string    `json:"why"` // one line for people: what makes the state
	Evidence []string  `json:"evidence,omitempty"`
	Sample   Sample    `json:"sample"`

	// Unowned are the bytes in use that no listed process has; not known where a
	// process's memory is not told.
	Unowned Reading `json:"unowned,omitzero"`

	// Ours says of a card that a Watch tells of that it is Unknown for nothing but what our
	// own processes left: one that has ended is listed still, or its memory is in use.
	Ours bool `json:"-"`

	cause cause // of Unknown
}

// Vanished says whether the card is Unknown for nothing but processes that
// /proc no longer has: it may be that they have just died, and are listed for a
// moment still. Look again.
func (s Seen) Vanished() bool { return s.State == Unknown && len(s.Foreign) > 0 && s.onlyGone() }

// Passing says whether the card is Unknown for nothing that looking again may not
// settle: it has Vanished processes alone, memory without an owner, which may be that
// of a context that is being taken down, or did something in the last second.
func (s Seen) Passing() bool {
	return s.Vanished() || s.State == Unknown && (s.cause == causeMemory || s.cause == causeHidden)
}

// Look is one look at all cards of the machine.
type Look struct {
	At     time.Time `json:"at"`
	Source string    `json:"source"` // "nvml", "nvidia-smi"; "/proc/driver/nvidia" where neither answered
	Driver string    `json:"driver,omitempty"`
	CUDA   string    `json:"cuda,omitempty"`
	Cards  []Seen    `json:"cards"`

	// Silent says why the driver gave no answer; the cards, as far as they are
	// known, are Unknown then. "" when it did.
	Silent string `json:"silent,omitempty"`
	Raw    Raw    `json:"-"` // what was judged
	quick  bool   // who has device files open was not looked for
}

// Find is the card of a UUID.
func (l Look) Find(uuid string) (Seen, bool) {
	for _, c := range l.Cards {
		if c.UUID == uuid {
			return c, true
		}
	}
	return Seen{}, false
}
