package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpuci/ci"
	"gpuci/ci/executor"
)

// elsewhere is what shows gates that run on other machines: one line a change, or on a
// terminal one line that goes on changing, and, on request, their output.
type elsewhere struct {
	a    *app
	said map[string]string   // by gate: what was said last
	now  map[string]ci.Event // what is there, by gate
	left int                 // gates that are still to be handed over
}

func (a *app) elsewhere() *elsewhere {
	return &elsewhere{a: a, said: make(map[string]string), now: make(map[string]ci.Event)}
}

// watch says what has changed. What came of a gate is said elsewhere.
func (e *elsewhere) watch(ev ci.Event) {
	text := ev.String()
	key := ev.Lane + " " + ev.Gate
	if e.now[key], e.left = ev, ev.Left; ev.Status.Phase == executor.Done {
		delete(e.now, key)
	}
	if e.a.console.tty != nil {
		e.a.console.live(e.line())
		return
	}
	if ev.Status.Phase == executor.Done || e.said[key] == text {
		return
	}
	e.said[key] = text
	e.a.console.note(text)
}

// line is all that is there: how much runs and what, how much waits and why.
func (e *elsewhere) line() string {
	if len(e.now)+e.left == 0 {
		return ""
	}
	var running []string
	waits := make(map[string]int)
	for key, ev := range e.now {
		if ev.Status.Phase == executor.Running {
			running = append(running, key+" on "+ev.Status.Where)
		} else {
			waits[ev.Status.Why]++
		}
	}
	slices.Sort(running)
	parts := []string{fmt.Sprintf("%d running", len(running))}
	for _, why := range slices.Sorted(maps.Keys(waits)) {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%d pending (%s)", waits[why], why), " ()"))
	}
	if e.left > 0 {
		parts = append(parts, fmt.Sprintf("%d to come", e.left))
	}
	text := "gpuci: " + strings.Join(parts, ", ")
	if len(running) > 0 {
		text += ": " + strings.Join(running, ", ")
	}
	return text
}

// end takes the line away.
func (e *elsewhere) end() { e.a.console.live("") }

// whole shows the output of the only gate as it comes.
func (e *elsewhere) whole(executor.Task) io.Writer { return e.a.console }

// named shows the output of one gate of several, each line with its name.
func (e *elsewhere) named(t executor.Task) io.Writer {
	return &lines{to: e.a.console, name: printable(t.Head.Lane + " " + t.Gate.Name)}
}

// lines writes whole lines, with a name before each.
type lines struct {
	mu   sync.Mutex
	to   *console
	name string
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	at := bytes.LastIndexByte(l.rest, '\n')
	if at < 0 {
		return len(p), nil
	}
	l.put(l.rest[:at+1])
	l.rest = append([]byte(nil), l.rest[at+1:]...)
	return len(p), nil
}

// Close writes what has no end.
func (l *lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.put(append(l.rest, '\n'))
		l.rest = nil
	}
	return nil
}

func (l *lines) put(text []byte) {
	var b strings.Builder
	for line := range bytes.Lines(text) {
		b.WriteString(l.name + " | ")
		b.Write(line)
	}
	_, _ = l.to.Write([]byte(b.String()))
}
