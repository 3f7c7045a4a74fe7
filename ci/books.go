package ci

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates"
)

// books are the nights of a repository, STATE/ci: a directory each, and two files
// that name the last night that began and the last that was reported. Which is the
// last is not left to the clock, which may have been set.
type books struct{ dir string }

const (
	lastBegun    = "last"
	lastRun      = "last-run" // of some lanes
	lastReported = "reported"
	reportName   = "report.json"
	keptNights   = 60 // two months of them, a few MiB
)

// nightForm is what the name of a night looks like.
var nightForm = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$`)

// name reads one of the two files; "" where it names nothing.
func (b books) name(file string) string {
	data, err := os.ReadFile(filepath.Join(b.dir, file))
	if name := strings.TrimSpace(string(data)); err == nil && nightForm.MatchString(name) {
		return name
	}
	return ""
}

// setName makes one of them name a night. The file appears whole or not at all.
func (b books) setName(file, night string) error {
	return gates.WriteWhole(filepath.Join(b.dir, file), []byte(night+"\n"), 0o600)
}

func (b books) night(name string) string { return filepath.Join(b.dir, name) }

// unfinished gives a night that did not end: the one that is named, else the last one of
// all lanes, or of some.
func (b books) unfinished(nightly bool, name string) (string, error) {
	last := lastRun
	if nightly {
		last = lastBegun
	}
	if name != "" && !nightForm.MatchString(name) {
		return "", fmt.Errorf("%w: %q is no id of a night", ErrNoNight, name)
	}
	if name = cmp.Or(name, b.name(last)); name == "" {
		return "", fmt.Errorf("%w: no night of this repository has begun", ErrNoNight)
	}
	lines, _, err := readJournal(b.night(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: the journal of night %s is gone", ErrNoNight, name)
	case err != nil:
		return "", fmt.Errorf("resume night %s: %w", name, err)
	case len(lines) == 0 || lines[0].Plan == nil:
		return "", fmt.Errorf("%w: night %s was killed before it had a plan", ErrNoNight, name)
	case lines[0].Plan.Hand || lines[0].Plan.Nightly != nightly:
		return "", fmt.Errorf("%w: %s is no night of this kind", ErrNoNight, name)
	case slices.ContainsFunc(lines, func(l line) bool { return l.Type == ended }):
		return "", fmt.Errorf("%w: night %s has ended", ErrNoNight, name)
	}
	return name, nil
}

// ErrNoNight says that there is none to resume.
var ErrNoNight = errors.New("there is nothing to resume")

// report reads what a night came to; the zero report where that is not there.
func (b books) report(name string) (r Report) {
	if name == "" {
		return r
	}
	data, err := os.ReadFile(filepath.Join(b.night(name), reportName))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return Report{}
	}
	return r
}

// keep writes a report down, as the one that the next night is held against.
func (b books) keep(r Report) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = gates.WriteWhole(filepath.Join(b.night(r.Night), reportName), append(data, '\n'), 0o600)
	}
	if err == nil && r.Nightly {
		err = b.setName(lastReported, r.Night)
	}
	if err != nil {
		return fmt.Errorf("keep the night's report: %w", err)
	}
	return nil
}

// prune removes the oldest nights beyond those that are kept.
func (b books) prune() {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return
	}
	away := b.away()
	var names []string
	for _, e := range entries { // in the order of their names, which begin with the time
		if e.IsDir() && nightForm.MatchString(e.Name()) && e.Name() != b.name(lastBegun) && e.Name() != b.name(lastReported) && !slices.Contains(away, e.Name()) {
			names = append(names, e.Name())
		}
	}
	for _, name := range names[:max(0, len(names)-keptNights)] {
		_ = os.RemoveAll(b.night(name))
	}
}
