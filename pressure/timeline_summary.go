package pressure

// Extent is what a timeline knows of one share, 0 to 1.
type Extent struct {
	Seconds float64 `json:"seconds"` // for how long it was known
	Mean    float64 `json:"mean"`    // over that time
	Peak    float64 `json:"peak"`    // of the highest step
}

// Summary is a timeline in a few numbers. What was never known is nil.
type Summary struct {
	Seconds    float64 `json:"seconds"` // of the whole timeline, waits and all
	IOFull     *Extent `json:"io-full,omitempty"`
	IOSome     *Extent `json:"io-some,omitempty"`
	CPUSome    *Extent `json:"cpu-some,omitempty"`
	MemoryFull *Extent `json:"memory-full,omitempty"`
	OwnIOFull  *Extent `json:"own-io-full,omitempty"`
	OthersCPU  *Extent `json:"others-cpu,omitempty"` // of the machine's processors, used by anything but the command
}

// Summary sums a timeline up: means weighted by the lengths of the steps, and
// the highest steps.
func (t Timeline) Summary() Summary {
	s := Summary{
		IOFull:     t.extent(func(p Point) Share { return p.IO.Full }),
		IOSome:     t.extent(func(p Point) Share { return p.IO.Some }),
		CPUSome:    t.extent(func(p Point) Share { return p.CPU.Some }),
		MemoryFull: t.extent(func(p Point) Share { return p.Memory.Full }),
		OwnIOFull:  t.extent(func(p Point) Share { return p.OwnIO.Full }),
		OthersCPU:  t.extent(othersCPU),
	}
	for _, p := range t {
		s.Seconds += max(0, p.Length.Seconds())
	}
	s.Seconds = round(s.Seconds)
	return s
}

// othersCPU is not below 0: the two are counted by different clocks.
func othersCPU(p Point) Share {
	return Share{max(0, p.Busy.Value-p.OwnCPU.Value), p.Busy.Known && p.OwnCPU.Known}
}

// extent passes over steps without a length. One that is too short to mean
// something, such as the last, is no peak unless there are only such.
func (t Timeline) extent(of func(Point) Share) *Extent {
	var e Extent
	var sum, short float64
	long := false
	for _, p := range t {
		share := of(p)
		if !share.Known || p.Length <= 0 {
			continue
		}
		e.Seconds += p.Length.Seconds()
		sum += share.Value * p.Length.Seconds()
		if p.Length < shortest {
			short = max(short, share.Value)
			continue
		}
		long = true
		e.Peak = max(e.Peak, share.Value)
	}
	if e.Seconds == 0 {
		return nil
	}
	if !long {
		e.Peak = short
	}
	return &Extent{round(e.Seconds), round(sum / e.Seconds), round(e.Peak)}
}
