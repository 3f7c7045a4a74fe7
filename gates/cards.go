package gates

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gpuci/buildlock/shim"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
	"gpuci/worktrees"
)

// Cards is how gates come by the cards of this machine. It holds the connection to
// the driver, which the first look opens: to be handed on as a pointer, and closed.
type Cards struct {
	Driver   device.Options   // how the driver is asked
	LockDir  string           // where the locks and reservations are; "" is the machine's directory
	Marks    string           // $GPUCI_TICKETS: what is held above us
	State    string           // directory for what was seen of protected runs; "" for none
	Rules    []protected.Rule // of [[protect]]
	Allowed  []string         // those that gates may use, by UUID or index as nvidia-smi -L has it; nil: all
	Harmless []string         // more programs that may have a card open
	Headroom int64            // bytes that stay free beside a gate that shares a card
	Choice   string           // of who asks: "0", "GPU-1234,GPU-5678"; "" leaves it to Visible
	Visible  *string          // $CUDA_VISIBLE_DEVICES; nil where it is not set
	Order    string           // $CUDA_DEVICE_ORDER
	Wait     time.Duration    // the most that a gate waits for cards; 0: it is refused at once
	Person   bool             // it is not for a gate, but for a person: his own reservations do not keep him off
	Share    bool             // gates whose numbers do not mind may share a card, as share-gpu in gpuci.toml

	// Asked is a look that was taken just now, and that the driver did not answer. It
	// spares a gate the seconds of a second one.
	Asked device.Look

	// LaneOf says in which lane a directory is, "" for none. It may be nil.
	LaneOf func(dir string) string

	mu  sync.Mutex
	src *device.Source
}

// CardsOf are the cards as a configuration has them, in the environment of this
// process; lanes name the processes that are found on them.
func CardsOf(cfg *config.Config, lockDir string, lanes []worktrees.Lane) *Cards {
	c := &Cards{
		LockDir: lockDir, Marks: os.Getenv(shim.TicketsVar), State: filepath.Join(xdgState(), "gpuci", "protected"),
		Order: os.Getenv("CUDA_DEVICE_ORDER"), Allowed: cfg.GPU.Cards, Harmless: cfg.GPU.Harmless, Headroom: cfg.GPU.Headroom, Wait: cfg.GPU.Wait,
		LaneOf: func(dir string) string { return laneAt(lanes, dir) },
	}
	if v, ok := os.LookupEnv(visibleVar); ok {
		c.Visible = &v
	}
	for _, p := range cfg.Protected {
		c.Rules = append(c.Rules, protected.Rule{
			Name: p.Name, Command: p.Command, Cwd: p.CWD, User: p.User, PIDFile: p.PIDFile, Unit: p.Unit,
			Cards: p.Cards, Log: p.Log, Progress: p.Progress, Share: p.Share,
		})
	}
	return c
}

// visibleVar is how CUDA is told which cards there are.
const visibleVar = "CUDA_VISIBLE_DEVICES"

// laneAt is the name of the innermost lane that a directory is in.
func laneAt(lanes []worktrees.Lane, dir string) (name string) {
	longest := 0
	for _, l := range lanes {
		rel, err := filepath.Rel(l.Root, dir)
		if err == nil && filepath.IsLocal(rel) && len(l.Root) > longest {
			name, longest = l.Name, len(l.Root)
		}
	}
	return name
}

// source opens the driver, once.
func (c *Cards) source(ctx context.Context) (*device.Source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.src != nil {
		return c.src, nil
	}
	o := c.Driver
	o.Harmless = slices.Concat(o.Harmless, c.Harmless)
	src, err := device.Open(ctx, o)
	if err == nil {
		c.src = src
	}
	return src, err
}

// stillSilent is how long a driver that did not answer is taken to be silent still.
const stillSilent = 2 * time.Second

// Look looks at the cards alone: what is on them, not who may have them. The error is
// device.ErrNoDriver, or ctx's.
func (c *Cards) Look(ctx context.Context) (device.Look, error) {
	if c.Asked.Silent != "" && time.Since(c.Asked.At) < stillSilent {
		return c.Asked, nil
	}
	src, err := c.source(ctx)
	if err != nil {
		return device.Look{}, err
	}
	return src.Look(ctx, nil)
}

// Close lets go of the driver, until it is asked again.
func (c *Cards) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.src == nil {
		return nil
	}
	src := c.src
	c.src = nil
	return src.Close()
}

// chosen is the choice of who asks.
func (c *Cards) chosen() device.Choice {
	switch {
	case c.Choice != "":
		return device.ParseChoice(c.Choice, c.Order, "--gpu")
	case c.Visible != nil:
		return device.ParseChoice(*c.Visible, c.Order, visibleVar)
	}
	return device.Choice{}
}

// Candidates are the cards of a look that may serve, however busy they are, the
// first choice first. The error wraps device.ErrNoCard where there are too few.
func (c *Cards) Candidates(look device.Look, need config.CardNeed) ([]device.Seen, error) {
	list, err := device.Choose(look, device.Need{Count: need.Count, VRAM: uint64(need.VRAM), SM: need.SM}, c.chosen())
	if err != nil || c.Allowed == nil {
		return list, err
	}
	// Indices there are those of nvidia-smi, whatever CUDA makes of them.
	allowed, err := device.Choose(look, device.Need{}, device.Choice{Set: true, List: c.Allowed, Order: "PCI_BUS_ID", From: "cards in [gpu] of the machine's file"})
	if err != nil {
		return nil, wrongAllowed{err}
	}
	list = slices.DeleteFunc(list, func(s device.Seen) bool {
		return !slices.ContainsFunc(allowed, func(a device.Seen) bool { return a.UUID == s.UUID })
	})
	if len(list) < max(need.Count, 1) {
		return nil, noneAllowed{c.Allowed}
	}
	return list, nil
}

// wrongAllowed says that the machine's file names cards that are not here.
type wrongAllowed struct{ error }

func (e wrongAllowed) Unwrap() error { return e.error }

// noneAllowed says that the machine's file leaves too few cards.
type noneAllowed struct{ allowed []string }

func (e noneAllowed) Error() string {
	return "no card here can serve: the machine's file leaves gates too few (cards in [gpu]: " + few(e.allowed) + ")"
}

func (e noneAllowed) Unwrap() error { return device.ErrNoCard }
