package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gpuci/pressure"
)

// pressureLimits are what `gpuci pressure wait` waits for.
type pressureLimits struct {
	ioFull, ioSome, cpuSome, memoryFull, memorySome percentFlag

	minFree sizeFlag
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
		{"io some", l.ioSome, func(r pressure.Reading) pressure.Resource { return r.IO }, some, func(s pressure.Span) pressure.Share { return s.IO.Some }},
		{"cpu some", l.cpuSome, func(r pressure.Reading) pressure.Resource { return r.CPU }, some, func(s pressure.Span) pressure.Share { return s.CPU.Some }},
		{"memory full", l.memoryFull, func(r pressure.Reading) pressure.Resource { return r.Memory }, full, func(s pressure.Span) pressure.Share { return s.Memory.Full }},
		{"memory some", l.memorySome, func(r pressure.Reading) pressure.Resource { return r.Memory }, some, func(s pressure.Span) pressure.Share { return s.Memory.Some }},
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
			return fmt.Sprintf("%s %s in the last second, %s over 10 s, at most %g%% is wanted", x.name, x.beside(last), x.besideLevel(avg), x.most.value)
		}
	}
	if l.minFree.given && now.memory.Available < l.minFree.bytes {
		return fmt.Sprintf("%s of memory available, %s is wanted", pressure.Bytes(now.memory.Available), pressure.Bytes(l.minFree.bytes))
	}
	return ""
}

// beside is a share in words, beside the limit.
func (x levelLimit) beside(s pressure.Share) string {
	if !s.Known {
		return "unknown"
	}
	return x.besideLevel(s.Percent())
}

// besideLevel is a value in percent, with as many digits as it takes to see on
// which side of the limit it is.
func (x levelLimit) besideLevel(v float64) string {
	for digits := 0; digits < 4; digits++ {
		text := strconv.FormatFloat(v, 'f', digits, 64)
		if is, err := strconv.ParseFloat(text, 64); err == nil && cmp.Compare(is, x.most.value) == cmp.Compare(v, x.most.value) {
			return text + "%"
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64) + "%"
}

// text is what is wanted, and what is. averages says that the last 10 s count
// too. Of the first moment on nothing is measured yet.
func (l pressureLimits) text(now levels, averages bool) string {
	var parts []string
	for _, x := range l.given() {
		is := "a first second is being measured"
		if last := x.share(now.span); last.Known || now.span.Length() > 0 {
			is = x.beside(last) + " in the last second"
		}
		if averages {
			is = x.besideLevel(x.level(x.resource(now.reading)).Avg10) + " over 10 s; " + is
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
	IOSome     *float64 `json:"io-some,omitempty"`
	CPUSome    *float64 `json:"cpu-some,omitempty"`
	MemoryFull *float64 `json:"memory-full,omitempty"`
	MemorySome *float64 `json:"memory-some,omitempty"`
	MinFree    *int64   `json:"min-free-bytes,omitempty"`
}

func (l pressureLimits) line() limitsLine {
	out := limitsLine{
		IOFull: l.ioFull.pointer(), IOSome: l.ioSome.pointer(), CPUSome: l.cpuSome.pointer(),
		MemoryFull: l.memoryFull.pointer(), MemorySome: l.memorySome.pointer(),
	}
	if l.minFree.given {
		out.MinFree = &l.minFree.bytes
	}
	return out
}
