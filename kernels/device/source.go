package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// ErrNoDriver says that this machine has no NVIDIA driver: no library, no
// nvidia-smi, no /proc/driver/nvidia and no device file.
var ErrNoDriver = errors.New("no NVIDIA driver on this machine (no libnvidia-ml.so.1, no nvidia-smi, no /proc/driver/nvidia, no /dev/nvidia*)")

// Options says how a driver is asked. The zero value works.
type Options struct {
	Around

	Program string        // what is started as the child, with argv[0] "gpuci-nvml"; "" is /proc/self/exe
	Library string        // NVML's library; "" is libnvidia-ml.so.1, as the loader finds it
	SMI     string        // "" is nvidia-smi, as PATH has it
	Env     []string      // of the child and of nvidia-smi; nil is ours
	First   time.Duration // how long the child may take for its first answer, 5 s when 0: a driver without persistence wakes its cards
	Next    time.Duration // and for each later one, 2 s when 0
	Ask     time.Duration // how long nvidia-smi may take, 5 s when 0
}

// RootVariable names the environment variable by which tests give a whole gpuci
// another Around.Root. Only cmd/gpuci reads it.
const RootVariable = "GPUCI_NVIDIA_ROOT"

const (
	sourceNVML = "nvml"
	sourceSMI  = "nvidia-smi"
	sourceProc = "/proc/driver/nvidia"
)

// Source answers looks. It is safe for use by many goroutines; they take turns.
type Source struct {
	o    Options
	turn chan struct{} // holds one token: whose turn it is

	child      *child
	answered   bool   // the child did, once
	absent     string // why there is no library to ask, for good
	capability map[string][2]int
	last       Raw // the last good one
	people     *people
	closed     bool
	unanswered atomic.Pointer[Raw] // the first question was not, and nobody has looked since
}

// Open finds a driver, and asks it for the first time, which begins NVML. The error
// wraps ErrNoDriver where there is none, or is ctx's; a driver that does not answer
// is none. Close it.
func Open(ctx context.Context, o Options) (*Source, error) {
	if slices.Contains(os.Environ(), inChild) {
		return nil, fmt.Errorf("look at the cards: this program was started as %s, and its main must call device.ServeNVML then", Child)
	}
	s := &Source{o: o, turn: make(chan struct{}, 1), people: newPeople()}
	raw, err := s.ask(ctx, ask{})
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	if raw.Failed != "" {
		s.unanswered.Store(&raw)
	}
	return s, nil
}

// stillSilent is how long the silence that Open met is an answer: who opens a source
// to look at once does not wait for the same driver twice.
const stillSilent = time.Second

// Look looks at all cards. The error is ErrNoDriver, or ctx's: a driver that does
// not answer is a Look with Silent, whose cards are Unknown.
func (s *Source) Look(ctx context.Context, mine Mine) (Look, error) {
	if raw := s.unanswered.Swap(nil); raw != nil && time.Since(raw.At) < stillSilent && ctx.Err() == nil {
		return s.judge(*raw, mine, ask{}), nil
	}
	return s.look(ctx, mine, ask{})
}

func (s *Source) look(ctx context.Context, mine Mine, q ask) (Look, error) {
	raw, err := s.ask(ctx, q)
	if err != nil {
		return Look{}, err
	}
	return s.judge(raw, mine, q), nil
}

func (s *Source) judge(raw Raw, mine Mine, q ask) Look {
	a := s.o.Around
	a.people, a.lists = s.people, q.Lists
	return Judge(raw, mine, a)
}

// again is how long Settled waits between two looks: what the driver lists of a
// process that has died goes within tens of milliseconds.
const again = 100 * time.Millisecond

// Settled looks again until one of some cards that were Passing is not any more, for
// patience at most.
func (s *Source) Settled(ctx context.Context, mine Mine, uuids []string, patience time.Duration) (Look, error) {
	for end := time.Now().Add(patience); ; {
		select {
		case <-time.After(min(again, time.Until(end))):
		case <-ctx.Done():
			return Look{}, ctx.Err()
		}
		l, err := s.Look(ctx, mine)
		settled := slices.ContainsFunc(uuids, func(uuid string) bool {
			c, _ := l.Find(uuid)
			return !c.Passing()
		})
		if err != nil || settled || !time.Now().Before(end) {
			return l, err
		}
	}
}

// Close ends the child.
func (s *Source) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.closed = true
	s.drop()
	return nil
}

func (s *Source) drop() {
	if s.child != nil {
		s.child.end()
		s.child = nil
	}
}

// ask puts one question, by NVML or else by nvidia-smi. An error says that there is
// no driver, or is ctx's; that a driver is silent stands in the Raw.
func (s *Source) ask(ctx context.Context, q ask) (Raw, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return Raw{}, ctx.Err()
	}
	if s.closed {
		return Raw{}, errors.New("look at the cards: the source is closed")
	}
	if err := ctx.Err(); err != nil {
		return Raw{}, err
	}
	raw, why, err := s.nvml(ctx, q)
	if err == nil && raw.Source == "" {
		raw, err = s.byHand(ctx, why)
	}
	if err == nil && raw.Failed == "" {
		s.last = raw
	} else if err == nil && len(raw.Cards) == 0 {
		raw.Cards = s.remembered()
	}
	return raw, err
}

// nvml asks the child. Without an answer why says what a look by other means must
// say beside: there is no library, or the child dies of it.
func (s *Source) nvml(ctx context.Context, q ask) (raw Raw, why string, err error) {
	if s.absent != "" {
		return raw, s.absent, nil
	}
	t, err := s.question(ctx, q)
	switch {
	case ctx.Err() != nil:
		return raw, "", ctx.Err()
	case errors.Is(err, errHung):
		s.drop()
		return silent(err.Error()), "", nil // nvidia-smi would hang in the same driver
	case err != nil:
		s.drop()
		return raw, err.Error(), nil
	case t.Absent != "":
		s.absent = t.Absent
		s.drop()
		return raw, s.absent, nil
	case t.Raw.Failed != "" && !s.traces():
		return raw, "", fmt.Errorf("%w: its library is here, and says: %s", ErrNoDriver, t.Raw.Failed)
	}
	return t.Raw, "", nil
}

func (s *Source) question(ctx context.Context, q ask) (told, error) {
	limit := cmp.Or(s.o.Next, 2*time.Second)
	if s.child == nil {
		c, err := startChild(s.o)
		if err != nil {
			return told{}, err
		}
		s.child, s.answered = c, false
	}
	if !s.answered {
		limit, q.Library = cmp.Or(s.o.First, 5*time.Second), s.o.Library
	}
	t, err := s.child.ask(ctx, q, limit)
	s.answered = s.answered || err == nil
	return t, err
}

// byHand asks nvidia-smi, which is what is left.
func (s *Source) byHand(ctx context.Context, why string) (Raw, error) {
	raw, err := s.askSMI(ctx)
	switch {
	case err == nil:
		return raw, nil
	case ctx.Err() != nil:
		return raw, ctx.Err()
	case errors.Is(err, errNoSMI) && !s.traces():
		return raw, fmt.Errorf("%w (%s)", ErrNoDriver, why)
	}
	return silent(fmt.Sprintf("%s; and by nvidia-smi: %s", why, err)), nil
}

func silent(why string) Raw { return Raw{At: time.Now(), Source: sourceProc, Failed: why} }

// traces says whether there are signs of a driver in the kernel.
func (s *Source) traces() bool {
	if _, err := os.Stat(s.o.path("proc/driver/nvidia")); err == nil {
		return true
	}
	found, _ := filepath.Glob(s.o.path("dev/nvidia*"))
	return len(found) > 0
}

// remembered are the cards of a driver that is silent: those of its last answer, or
// the addresses that the kernel lists. What the kernel has to say of each is not
// read, since that can hang in the same driver.
func (s *Source) remembered() (cards []RawCard) {
	for _, c := range s.last.Cards {
		c.Processes, c.Samples, c.Now, c.Errors = nil, nil, RawSample{}, nil
		cards = append(cards, c)
	}
	if len(cards) > 0 {
		return cards
	}
	entries, _ := os.ReadDir(s.o.path("proc/driver/nvidia/gpus"))
	for i, e := range entries {
		cards = append(cards, RawCard{Index: i, Bus: e.Name()})
	}
	return cards
}

// path is a path of the machine, below Root.
func (a Around) path(name string) string { return filepath.Join("/", a.Root, name) }
