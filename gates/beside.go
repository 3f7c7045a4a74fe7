package gates

import (
	"fmt"

	"gpuci/pressure"
)

// Beside is what others did to the machine during the run of a sample. Shares are
// from 0 to 1; one that is not known is nil.
type Beside struct {
	IOFull     *float64 `json:"io-full,omitempty"`     // nothing on the machine moved for want of the disk
	OwnIOFull  *float64 `json:"own-io-full,omitempty"` // nothing of the run itself did
	MemoryFull *float64 `json:"memory-full,omitempty"`
	OthersCPU  *float64 `json:"others-cpu,omitempty"` // of all processors, used by anything but the run
}

// foreignMemory is the share of a run in which the whole machine waited for memory
// that says so: times of a machine that swaps are times of its disk.
const foreignMemory = 0.05

// Stalled says why the times of such a run are not its own, "" where nothing says
// so. Other work on the processors is none of it: that is always there, and what the
// comparison of samples taken in turn is for.
func (b *Beside) Stalled() string {
	if b == nil {
		return ""
	}
	if b.IOFull != nil {
		own, part := 0.0, "a part that is not known" // without a cgroup: then it is nobody's, and thrown out
		if b.OwnIOFull != nil {
			own, part = *b.OwnIOFull, fmt.Sprintf("%.0f%%", 100**b.OwnIOFull)
		}
		if *b.IOFull > own+foreignStall {
			return fmt.Sprintf("io full %.0f%%, of that %s in the run itself", 100**b.IOFull, part)
		}
	}
	if b.MemoryFull != nil && *b.MemoryFull > foreignMemory {
		return fmt.Sprintf("memory full %.0f%%", 100**b.MemoryFull)
	}
	return ""
}

// lookBeside takes it down, of a sample; run is the whole of it in one step.
func (f *flow) lookBeside(run pressure.Timeline) {
	if !f.opt.Sample {
		return
	}
	mean := func(e *pressure.Extent) *float64 {
		if e == nil {
			return nil
		}
		return &e.Mean
	}
	s := run.Summary()
	f.v.Beside = &Beside{IOFull: mean(s.IOFull), MemoryFull: mean(s.MemoryFull), OthersCPU: mean(s.OthersCPU)}
	if waited, ok := f.pressure.ownStall(); ok && s.Seconds > 0 {
		own := min(1, waited.Seconds()/s.Seconds)
		f.v.Beside.OwnIOFull = &own
	}
}
