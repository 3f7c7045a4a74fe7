package buildlock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

const (
	// maxLinkLog bounds what is read of a journal, in bytes: a hundred thousand
	// links. Others than its owner may be able to write to it.
	maxLinkLog = 32 << 20
	// maxInner bounds how many journals of builds in builds are read.
	maxInner = 64
)

// ReadLinkLog reads what the shims of a build wrote, and those of builds in it.
// With the error that not everything could be read come the events that could.
// It wraps fs.ErrNotExist when there is no such file (any more).
func ReadLinkLog(path string) ([]LinkEvent, error) {
	events, err := readJournal(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("read links: the file that the shims write to is gone: %w", err)
	case err != nil:
		err = fmt.Errorf("read links: %w", err)
	}
	journals := []string{path}
	for i := 0; i < len(events); i++ { // which grows by what is found
		e := events[i]
		if e.Outcome != Inner || slices.Contains(journals, e.Log) || len(journals) > maxInner {
			continue
		}
		journals = append(journals, e.Log)
		inner, ierr := readJournal(e.Log)
		events = append(events, unknown(inner, events)...)
		// One that has ended has passed its links on, and may be tidied away.
		if ierr != nil && !errors.Is(ierr, fs.ErrNotExist) && err == nil {
			err = fmt.Errorf("read links of a build in this one: %w", ierr)
		}
	}
	return slices.DeleteFunc(events, func(e LinkEvent) bool { return e.Outcome == Inner }), err
}

// unknown picks the events that are not among the known ones: a build that ends
// passes its links on to the one that it is part of.
func unknown(events, known []LinkEvent) []LinkEvent {
	type key struct {
		time         int64
		pid          int
		ticket, what string
	}
	of := func(e LinkEvent) key { return key{e.Time.UnixNano(), e.PID, e.Ticket, e.Outcome + e.Log} }
	seen := make(map[key]bool, len(known))
	for _, e := range known {
		seen[of(e)] = true
	}
	return slices.DeleteFunc(events, func(e LinkEvent) bool { return seen[of(e)] })
}

// readJournal reads one file. It waits for nobody, whatever the path leads to.
func readJournal(path string) ([]LinkEvent, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxLinkLog+1))
	if err != nil {
		return nil, err
	}
	events, torn := parseJournal(data[:min(len(data), maxLinkLog)])
	switch {
	case len(data) > maxLinkLog:
		err = fmt.Errorf("%s is longer than %d MiB, and was not read to its end", path, maxLinkLog>>20)
	case torn > 0:
		err = fmt.Errorf("at least %d could not be written down: the disk of %s was full, or something else wrote there", torn, path)
	}
	return events, err
}

// parseJournal reads the lines of a journal, and counts those that were not
// written, or not whole: what is left of one stands before the next.
func parseJournal(data []byte) (events []LinkEvent, torn int) {
	for line := range bytes.Lines(data) {
		if at := bytes.LastIndex(line, []byte(`{"time":`)); at > 0 {
			line = line[at:]
			torn++
		}
		var e LinkEvent
		if json.Unmarshal(line, &e) == nil && e.Outcome != "" {
			events = append(events, e)
		} else if len(bytes.TrimSpace(line)) > 0 {
			torn++
		}
	}
	return events, torn
}
