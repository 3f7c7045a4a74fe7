package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gpuci/pressure"
)

// pressureLimits are what `gpuci pressure wait` waits for.
type pressureLimits struct {
	ioFull, cpuSome, memoryFull percentFlag
	minFree                     sizeFlag
}

// levels is what is known at one moment.
type levels struct {
	reading  pressure.Reading
	span     pressure.Span // of the last second
	memory   pressure.Memory
	noMemory error
}

func levelsOf(before, after pressure.Reading) levels {
	l := levels{reading: after, span: pressure.Between(before, after)}
	l.memory, l.noMemory = pressure.ReadMemory(pressure.RealMemory)
	return l
}

// levelLimit is one limit on a share of time.
type levelLimit struct {
	name     string
	most     percentFlag
	resource func(pressure.Reading) pressure.Resource
	level    func(pressure.Resource) *pressure.Level
	share    func(pressure.Span) pressure.Share
}

// given are the limits on shares of time that there are.
func (l pressureLimits) given() (out []levelLimit) {
	some := func(r pressure.Resource) *pressure.Level { return r.Some }
	full := func(r pressure.Resource) *pressure.Level { return r.Full }
	for _, x := range []levelLimit{
		{"io full", l.ioFull, func(r pressure.Reading) pressure.Resource { return r.IO }, full, func(s pressure.Span) pressure.Share { return s.IO.Full }},
		{"cpu some", l.cpuSome, func(r pressure.Reading) pressure.Resource { return r.CPU }, some, func(s pressure.Span) pressure.Share { return s.CPU.Some }},
		{"memory full", l.memoryFull, func(r pressure.Reading) pressure.Resource { return r.Memory }, full, func(s pressure.Span) pressure.Share { return s.Memory.Full }},
	} {
		if x.most.given {
			out = append(out, x)
		}
	}
	return out
}

func (l pressureLimits) any() bool { return len(l.given()) > 0 || l.minFree.given }

// known is an error when a limit cannot be held against anything.
func (l pressureLimits) known(now levels) error {
	for _, x := range l.given() {
		r := x.resource(now.reading)
		switch {
		case r.Unknown != nil:
			return fmt.Errorf("%s cannot be told: %w", x.name, r.Unknown)
		case x.level(r) == nil:
			return fmt.Errorf("%s cannot be told: this kernel does not have it", x.name)
		}
	}
	if l.minFree.given && now.noMemory != nil {
		return fmt.Errorf("available memory cannot be told: %w", now.noMemory)
	}
	return nil
}

// over names the first limit that is not kept, "" when all are. averages says
// that the last 10 s count too. A second that cannot be told is not kept.
func (l pressureLimits) over(now levels, averages bool) string {
	for _, x := range l.given() {
		avg, last := x.level(x.resource(now.reading)).Avg10, x.share(now.span)
		if !last.Known || last.Percent() > x.most.value || averages && avg > x.most.value {
			return fmt.Sprintf("%s in the last second, %.0f%% over 10 s, at most %g%% is wanted", namedShare{x.name, last}, avg, x.most.value)
		}
	}
	if l.minFree.given && now.memory.Available < l.minFree.bytes {
		return fmt.Sprintf("%s of memory available, %s is wanted", pressure.Bytes(now.memory.Available), pressure.Bytes(l.minFree.bytes))
	}
	return ""
}

// text is what is wanted, and what is.
func (l pressureLimits) text(now levels) string {
	var parts []string
	for _, x := range l.given() {
		is := fmt.Sprintf("%.0f%% over 10 s", x.level(x.resource(now.reading)).Avg10)
		if last := x.share(now.span); last.Known {
			is = fmt.Sprintf("%.0f%% now, %s", last.Percent(), is)
		}
		parts = append(parts, fmt.Sprintf("%s of %g%% at most (%s)", x.name, x.most.value, is))
	}
	if l.minFree.given {
		parts = append(parts, fmt.Sprintf("%s of memory (%s available)", pressure.Bytes(l.minFree.bytes), pressure.Bytes(now.memory.Available)))
	}
	return strings.Join(parts, " and ")
}

// limitsLine are the limits in JSON.
type limitsLine struct {
	IOFull     *float64 `json:"io-full,omitempty"` // percent
	CPUSome    *float64 `json:"cpu-some,omitempty"`
	MemoryFull *float64 `json:"memory-full,omitempty"`
	MinFree    *int64   `json:"min-free-bytes,omitempty"`
}

func (l pressureLimits) line() limitsLine {
	out := limitsLine{IOFull: l.ioFull.pointer(), CPUSome: l.cpuSome.pointer(), MemoryFull: l.memoryFull.pointer()}
	if l.minFree.given {
		out.MinFree = &l.minFree.bytes
	}
	return out
}

// percentFlag is a share of time in percent.
type percentFlag struct {
	value float64
	given bool
}

// String is the value as a help text has it.
func (p *percentFlag) String() string {
	if !p.given {
		return ""
	}
	return strconv.FormatFloat(p.value, 'g', -1, 64)
}

// Type is what a help text calls the value.
func (p *percentFlag) Type() string { return "percent" }

// Set reads the value of the flag.
func (p *percentFlag) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 100 {
		return errors.New("write a share of time in percent, from 0 to 100")
	}
	p.value, p.given = v, true
	return nil
}

func (p percentFlag) pointer() *float64 {
	if !p.given {
		return nil
	}
	return &p.value
}
