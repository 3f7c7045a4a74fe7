package gates

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"gpuci/buildlock/links"
	"gpuci/pressure"
	"gpuci/reaper/proc"

	"golang.org/x/sys/unix"
)

// timeline is the pressure during a gate, on disk in pressure.jsonl and here. It
// follows the command that runs now.
type timeline struct {
	file *os.File
	stop context.CancelFunc
	done chan error // why the pressure was not known, nil when it was

	mu     sync.Mutex
	points pressure.Timeline
	child  *proc.Process
	used   time.Duration // by the commands before it
	fault  error

	stalled    time.Duration // in which all of a run's commands waited for the disk at once
	stallKnown bool
	links      *links.Watch
}

// pressureFile is the name of a timeline in the directory of a run or a build.
const pressureFile = "pressure.jsonl"

// recordPressure begins to take the pressure down.
func (f *flow) recordPressure() {
	if f.opt.Pressure == nil {
		return
	}
	file, err := f.rec.create(pressureFile)
	if err != nil {
		f.mark("the pressure cannot be written down: " + err.Error())
	}
	f.pressure = startTimeline(f.opt.Pressure.Rule.Root, file)
}

// startTimeline takes the pressure down from now on, into a file if there is one.
func startTimeline(root string, file *os.File) *timeline {
	ctx, stop := context.WithCancel(context.Background())
	t := &timeline{file: file, stop: stop, done: make(chan error, 1)}
	go func() {
		t.done <- pressure.Record(ctx, pressure.RecordOptions{
			Root: root, Leaf: t.leaf, CPU: t.cpu, Waits: t.waits, Sink: t.add,
		})
	}()
	return t
}

// follow says which command runs now.
func (t *timeline) follow(p *proc.Process) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.child = p
}

// leaveOff says that it has ended, while what it used can still be asked.
func (t *timeline) leaveOff(p *proc.Process) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	u := p.Usage()
	t.used += u.CPU
	t.stalled, t.stallKnown = t.stalled+u.Stalled, t.stallKnown && u.StallKnown
	t.child = nil
}

// endChild is leaveOff of the one that is followed.
func (t *timeline) endChild() {
	t.mu.Lock()
	p := t.child
	t.mu.Unlock()
	if p != nil {
		t.leaveOff(p)
	}
}

func (t *timeline) leaf() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.child == nil {
		return ""
	}
	return t.child.Leaf()
}

func (t *timeline) cpu() (time.Duration, error) {
	if t == nil {
		return 0, errors.New("the pressure is not taken down")
	}
	t.mu.Lock()
	child, used := t.child, t.used
	t.mu.Unlock()
	if child == nil {
		return used + ownCPU(), nil
	}
	now, err := child.CPU()
	return used + now + ownCPU(), err
}

// ownCPU is the processor time that this gpuci itself has used: what a run
// prints costs us something, and is not somebody else's work.
func ownCPU() time.Duration {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// queue says whose links are waited for.
func (t *timeline) queue(w *links.Watch) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.links = w
	}
}

func (t *timeline) waits() bool {
	t.mu.Lock()
	w := t.links
	t.mu.Unlock()
	return w.Queueing()
}

func (t *timeline) add(p pressure.Point) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.points = append(t.points, p)
	if t.file == nil || t.fault != nil {
		return
	}
	line, err := json.Marshal(p)
	if err == nil {
		_, err = t.file.Write(append(line, '\n'))
	}
	t.fault = err
}

// diagnosis is that of the last step.
func (t *timeline) diagnosis() (pressure.Diagnosis, bool) {
	if t == nil {
		return pressure.Diagnosis{}, false
	}
	t.mu.Lock()
	if len(t.points) == 0 {
		t.mu.Unlock()
		return pressure.Diagnosis{}, false
	}
	p := t.points[len(t.points)-1]
	t.mu.Unlock()
	return pressure.Diagnose(pressure.Span{From: p.Time.Add(-p.Length), To: p.Time, CPU: p.CPU, IO: p.IO, Memory: p.Memory}, pressure.Reading{}, nil, Waiters()), true
}

// beginRun says that the commands from here on are those of the run.
func (t *timeline) beginRun() {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stalled, t.stallKnown = 0, true
	}
}

// ownStall is how long all of a run's commands waited for the disk at once, by
// their own cgroups.
func (t *timeline) ownStall() (time.Duration, bool) {
	if t == nil {
		return 0, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stalled, t.stallKnown
}

// endPressure closes the timeline and puts its sum into the verdict. A run is
// judged by its own numbers: a timeline that could not be written makes no
// green broken.
func (f *flow) endPressure() {
	if f.pressure == nil {
		return
	}
	s, unknown, fault := f.pressure.end()
	f.v.Stall = &s
	if unknown != nil {
		f.v.StallUnknown = unknown.Error()
	}
	if fault != nil {
		f.mark("the pressure could not be written down whole: " + fault.Error())
	}
}

// end closes the timeline. unknown is why something of it is not known, fault
// why it is not written down whole.
func (t *timeline) end() (sum pressure.Summary, unknown, fault error) {
	t.stop()
	unknown = <-t.done
	if t.file != nil {
		if err := t.file.Close(); t.fault == nil {
			t.fault = err
		}
	}
	return t.points.Summary(), unknown, t.fault
}
