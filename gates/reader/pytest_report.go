package reader

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// pyEvent is a line of the plugin's report.
type pyEvent struct {
	Event string `json:"event"` // begin, test, end

	Name    string   `json:"name"` // of the test
	Sums    pySums   `json:"sums"`
	Failed  []string `json:"failed"`
	Missing int      `json:"missing"` // tests that were to run and did not end
}

// maxEvent bounds a line: twenty names and sums at most.
const maxEvent = 1 << 20

// readPyReport counts from a report; ok is false where pytest did not get as
// far as to begin a session, also because it did not take the plugin.
func readPyReport(file string) (c Counts, ok bool) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return c, false
	}
	if err != nil {
		c.contradict("the counts that pytest wrote cannot be read: %v", err)
		return c, true
	}
	defer func() { _ = f.Close() }()
	return countPyEvents(f)
}

func countPyEvents(r io.Reader) (c Counts, ok bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	open, begun, test := 0, false, ""
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
}
