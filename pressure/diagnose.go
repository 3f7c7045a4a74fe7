package pressure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Cause is what a machine is short of.
type Cause string

// The causes, and what there is without one.
const (
	DiskSaturated Cause = "disk-saturated"
	MemoryThrash  Cause = "memory thrash"
	CPUBound      Cause = "CPU-bound"
	Quiet         Cause = "quiet"
	Unknown       Cause = "unknown"
)

// Percent of a second and more from which a resource is the cause. They are far
// apart from what a working machine shows: a lone compiler on an idle disk keeps
// IO full below 5, the stalls this is made for are over 60.
const (
	diskLimit   = 20 // full: for a fifth of the time nothing moved at all
	diskSome    = 60 // some, with many in D: full stays low while somebody else computes
	memoryLimit = 10 // full: reclaim never costs a healthy machine that much
	memorySome  = 30
	cpuLimit    = 50 // some: on average somebody waited for a processor half the time
)

// Waiter is a group of processes that wait for the disk, in words: who they
// are, where they belong, and how many.
type Waiter struct {
	Name  string // "ld.mold"
	Where string // "lane kda-adjoint"
	Count int
	Link  bool // it is a compiler or a linker
}

// Diagnosis is the cause of a stall, in words.
type Diagnosis struct {
	Cause  Cause
	Causes []Cause // all that hold, the worst first; Quiet or Unknown alone
	Text   string  // one sentence with the numbers
	Next   string  // what to do about it; "" for nothing
}

// Diagnose names what a machine is short of in a span of about a second. The
// reading is the one at its end; memory may be nil; inD are the processes that
// wait for the disk, as far as the caller can see.
//
// Memory comes before the disk: what thrashes reads its own pages back, and the
// disk is busy because of that.
func Diagnose(s Span, r Reading, m *Memory, inD []Waiter) Diagnosis {
	d := Diagnosis{Causes: causes(s, count(inD))}
	d.Cause = d.Causes[0]
	d.Text = fmt.Sprintf("%s: %s", joined(d.Causes), numbers(s))
	switch d.Cause {
	case DiskSaturated:
		d.Text += waiting(inD)
		d.Next = diskAdvice(m, inD)
	case MemoryThrash:
		d.Text += freeText(m)
		d.Next = "end or move what uses the memory; more jobs at once make it worse"
	case CPUBound:
		d.Next = "fewer jobs at once (-j) finish sooner than these do together"
	case Quiet:
		d.Text += easing(r)
	case Unknown:
		d.Text += "; " + unknown(r)
		if !s.IO.Full.Known && !s.CPU.Some.Known && !s.Memory.Full.Known {
			d.Text = "unknown: " + unknown(r)
			d.Next = "boot with psi=1 on a kernel with CONFIG_PSI"
		}
	}
	return d
}

func causes(s Span, inD int) []Cause {
	var out []Cause
	if s.Memory.Full.Percent() >= memoryLimit || s.Memory.Some.Percent() >= memorySome {
		out = append(out, MemoryThrash)
	}
	if s.IO.Full.Percent() >= diskLimit || s.IO.Some.Percent() >= diskSome && inD >= manyWriters {
		out = append(out, DiskSaturated)
	}
	if s.CPU.Some.Percent() >= cpuLimit {
		out = append(out, CPUBound)
	}
	switch {
	case len(out) > 0:
		return out
	case !s.IO.Full.Known || !s.CPU.Some.Known || !s.Memory.Full.Known:
		return []Cause{Unknown} // none of what is known is the cause
	}
	return []Cause{Quiet}
}

func joined(list []Cause) string {
	var words []string
	for _, c := range list {
		words = append(words, string(c))
	}
	return strings.Join(words, " and ")
}

// numbers are those that the cause was found by.
func numbers(s Span) string {
	var parts []string
	add := func(name string, v Share) {
		if v.Known {
			parts = append(parts, fmt.Sprintf("%s %.0f%%", name, v.Percent()))
		} else {
			parts = append(parts, name+" unknown")
		}
	}
	add("io full", s.IO.Full)
	if s.IO.Full.Percent() < diskLimit && s.IO.Some.Percent() >= diskSome {
		add("some", s.IO.Some)
	}
	add("memory full", s.Memory.Full)
	if s.Memory.Full.Percent() < memoryLimit && s.Memory.Some.Percent() >= memorySome {
		add("some", s.Memory.Some)
	}
	add("cpu some", s.CPU.Some)
	return strings.Join(parts, ", ")
}

// maxWaiters is how many groups a sentence names.
const maxWaiters = 3

// waiting names who waits for the disk, the largest groups first.
func waiting(inD []Waiter) string {
	if len(inD) == 0 {
		return "; no process is seen waiting for it: what was written before goes to the disk now, or the one who writes cannot be seen"
	}
	list := slices.Clone(inD)
	slices.SortStableFunc(list, func(a, b Waiter) int { return cmp.Compare(b.Count, a.Count) })
	var names []string
	rest := 0
	for i, w := range list {
		if i >= maxWaiters {
			rest += w.Count
			continue
		}
		names = append(names, fmt.Sprintf("%d %s (%s)", w.Count, w.Name, w.Where))
	}
	if rest > 0 {
		names = append(names, fmt.Sprintf("%d others", rest))
	}
	return "; waiting for it: " + strings.Join(names, ", ")
}

// manyWriters is from how many waiting processes on the disk serves none of
// them well.
const manyWriters = 4

func diskAdvice(m *Memory, inD []Waiter) string {
	switch {
	case links(inD) >= manyWriters:
		return "start builds by gpuci build (or after eval \"$(gpuci env)\"), so that one link at a time writes; gpuci lock status names those that do not"
	case m != nil && m.Dirty+m.Writeback > m.Total/10:
		return fmt.Sprintf("%s wait in memory to be written: gpuci pressure wait --io-full 25 returns when the disk breathes", Bytes(m.Dirty+m.Writeback))
	}
	text := "gpuci pressure wait --io-full 25 returns when the disk breathes"
	if name := largest(inD); name != "" {
		text += "; whose " + name + " is, may know how long it takes"
	}
	return text
}

// links are the compilers and linkers among them.
func links(list []Waiter) (n int) {
	for _, w := range list {
		if w.Link {
			n += w.Count
		}
	}
	return n
}

// largest is the name of the largest group that is no compiler or linker.
func largest(list []Waiter) (name string) {
	n := 0
	for _, w := range list {
		if !w.Link && w.Count > n {
			name, n = w.Name, w.Count
		}
	}
	return name
}

func count(list []Waiter) (n int) {
	for _, w := range list {
		n += w.Count
	}
	return n
}

func freeText(m *Memory) string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("; %s of %s available", Bytes(m.Available), Bytes(m.Total))
}

// easing says that a stall has just ended: the averages still show it.
func easing(r Reading) string {
	if r.IO.Full != nil && r.IO.Full.Avg10 >= diskLimit {
		return fmt.Sprintf("; io full was %.0f%% over the last 10 s", r.IO.Full.Avg10)
	}
	return ""
}

// unknown is why nothing is known.
func unknown(r Reading) string {
	for _, x := range []Resource{r.IO, r.CPU, r.Memory} {
		if x.Unknown != nil {
			return x.Unknown.Error()
		}
	}
	return "a kernel before Linux 5.13, or one that was not looked at twice"
}

// Bytes is a size for people, in binary units.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
