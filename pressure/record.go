package pressure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// RecordOptions are those of Record; only Sink must be given.
type RecordOptions struct {
	Root  string        // the directory of pressure files; "" is Real
	Every time.Duration // of a step; 1s when 0

	// Leaf is the cgroup v2 directory of the command that runs now, "" for none.
	// A step is known of it when it is the same at both ends. May be nil.
	Leaf func() string
	// CPU is what the commands used so far. May be nil.
	CPU func() (time.Duration, error)
	// Waits says whether the command waits, at the end of a step. May be nil.
	Waits func() bool
	// Sink takes each step, from the goroutine that called Record.
	Sink func(Point)

	stat string // the file of processor times; /proc/stat when ""
}

// Record gives Sink a step of a timeline every Every until ctx ends, and one
// at the end. What is not known at a step is unknown in it. It returns the first
// reason why the pressure of the machine, or of a leaf that was there, was not
// known; nil when all was.
func Record(ctx context.Context, o RecordOptions) error {
	if o.Root == "" {
		o.Root = Real
	}
	if o.Every <= 0 {
		o.Every = time.Second
	}
	if o.stat == "" {
		o.stat = "/proc/stat"
	}
	if ctx.Err() != nil {
		return nil
	}
	ticks := time.NewTicker(o.Every)
	defer ticks.Stop()
	before := o.look()
	why := before.why()
	for {
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
		now := o.look()
		if why == nil {
			why = now.why()
		}
		o.Sink(o.step(before, now))
		before = now
		if ctx.Err() != nil {
			return why
		}
	}
}

// stand is all that is known at one end of a step.
type stand struct {
	reading    Reading
	leaf       string
	own        Reading
	cpu        time.Duration
	cpuUnknown error
	processors processors
	procsErr   error
}

func (o RecordOptions) look() stand {
	s := stand{reading: Read(o.Root), cpuUnknown: errors.ErrUnsupported}
	s.processors, s.procsErr = readProcessors(o.stat)
	if o.Leaf != nil {
		s.leaf = o.Leaf()
	}
	if s.leaf != "" {
		s.own = ReadCgroup(s.leaf)
	}
	if o.CPU != nil {
		s.cpu, s.cpuUnknown = o.CPU()
	}
	return s
}

// why is the reason why some pressure is unknown. A leaf that has gone is none:
// its command has ended.
func (s stand) why() error {
	if err := s.reading.nothing(); err != nil {
		return err
	}
	if err := s.reading.unknown(); err != nil {
		return err
	}
	if s.leaf == "" || s.own.IO.Unknown == nil {
		return nil
	}
	if _, err := os.Stat(s.leaf); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("the command's own pressure: %w", s.own.IO.Unknown)
}

func (o RecordOptions) step(before, now stand) Point {
	span := Between(before.reading, now.reading)
	p := Point{
		Time: span.To, Length: span.Length(), CPU: span.CPU, IO: span.IO, Memory: span.Memory,
		Busy: busy(before, now), OwnCPU: ownCPU(before, now),
		Waiting: o.Waits != nil && o.Waits(),
	}
	if now.leaf != "" && now.leaf == before.leaf {
		p.OwnIO = Between(before.own, now.own).IO
	}
	return p
}

func busy(before, now stand) Share {
	if before.procsErr != nil || now.procsErr != nil {
		return Share{}
	}
	return now.processors.busySince(before.processors)
}

// ownCPU is not known where the sum went back: a process was not seen again.
func ownCPU(before, now stand) Share {
	wall := now.reading.Time.Sub(before.reading.Time)
	if before.cpuUnknown != nil || now.cpuUnknown != nil || now.procsErr != nil || now.cpu < before.cpu || wall <= 0 {
		return Share{}
	}
	all := float64(wall) * float64(now.processors.count)
	return Share{min(1, float64(now.cpu-before.cpu)/all), true}
}
