package reader

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// pyEvent is a line of the plugin's report.
type pyEvent struct {
	Event string `json:"event"` // begin, test, counted, ignored, module, end

	Name    string   `json:"name"` // of the test
	File    string   `json:"file"` // of a module, by its real path; one for each directory
	Sums    pySums   `json:"sums"`
	Failed  []string `json:"failed"`
	Missing int      `json:"missing"` // tests that were to run and did not end
	Dropped int      `json:"dropped"` // tests that were collected, and then neither selected nor deselected
	Gone    []string `json:"gone"`    // the first of these
}

// maxEvent bounds a line: twenty names and sums at most.
const maxEvent = 1 << 20

// readPyReport counts from a report; ok is false where pytest did not get as
// far as to begin a session, also because it did not take the plugin.
//
// lane says of a directory which other lane it is in, "" for none.
func readPyReport(file string, lane func(dir string) string) (c Counts, ok bool) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return c, false
	}
	if err != nil {
		c.contradict("the counts that pytest wrote cannot be read: %v", err)
		return c, true
	}
	defer func() { _ = f.Close() }()
	return countPyEvents(f, lane)
}

func countPyEvents(r io.Reader, lane func(dir string) string) (c Counts, ok bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	open, begun, test := 0, false, ""
	foreign := make(map[string]bool)
	for lines.Scan() {
		var e pyEvent
		err := json.Unmarshal(lines.Bytes(), &e)
		if err == nil && e.Sums.negative() {
			err = errors.New("a sum is below zero")
		}
		if err != nil {
			c.contradict("the counts that pytest wrote are damaged: %v", err)
			return c, true
		}
		switch e.Event {
		case "begin":
			open, begun = open+1, true
		case "test":
			test = e.Name
		case "counted", "ignored":
			c.roll(e.Name[:min(len(e.Name), maxName)], e.Event == "counted")
		case "module":
			if other := lane(filepath.Dir(e.File)); other != "" && !foreign[other] {
				foreign[other] = true
				c.contradict("the tests ran another lane's module: %.200s, of lane %.80s: this Python has that lane installed (pip install -e); give each lane an environment of its own, or set PYTHONPATH in [gate.env]", e.File, other)
			}
		case "end":
			open--
			e.count(&c)
		}
	}
	if err := lines.Err(); err != nil {
		c.contradict("the counts that pytest wrote are damaged: %v", err)
	}
	if !begun {
		return Counts{}, false
	}
	if open != 0 {
		during := ""
		if test != "" {
			during = fmt.Sprintf(" (the last one to begin was %.200s)", test)
		}
		c.contradict("a session of pytest began and never ended%s: a test ended the whole process, or it was stopped; run it with -v to see which", during)
	}
	return c, true
}

func (s pySums) negative() bool {
	return min(s.Passed, s.Failed, s.Errors, s.Skipped, s.XFailed, s.XPassed, s.Deselected, s.Rerun) < 0
}

func (e pyEvent) count(c *Counts) {
	var names nameList
	for _, name := range e.Failed {
		names.add([]byte(name))
	}
	e.Sums.count(c, names)
	if e.Missing > 0 && e.Sums.bad() == 0 {
		c.contradict("pytest ended before %s that it had selected: look for an exit (pytest.exit, --maxfail), and for a plugin that drops tests", count(e.Missing, "test"))
	}
	if e.Dropped > 0 && e.Sums.bad() == 0 {
		c.contradict("pytest collected %s that nobody ran or deselected, such as %.200s: a conftest.py or a plugin takes them out of the list (pytest_collection_modifyitems); let it call config.hook.pytest_deselected(items=…), as -k does, and they count as filtered out", count(e.Dropped, "test"), strings.Join(e.Gone, ", "))
	}
}
