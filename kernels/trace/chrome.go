package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// chromeTrace is the JSON object that Chrome's and Perfetto's viewers read: "Trace Event
// Format", of Google's catapult.
type chromeTrace struct {
	Events []chromeEvent  `json:"traceEvents"`
	Unit   string         `json:"displayTimeUnit"`
	Other  map[string]any `json:"otherData"`
	named  map[[2]int]bool
	flows  uint64 // numbers of arrows and of ranges that have been given
}

// chromeEvent is one: X has a beginning and a length, B and E are the ends of one that is
// nested in its track, b and e of one that is not, s and f those of an arrow, i is a mark,
// and M names a track.
type chromeEvent struct {
	Name string         `json:"name,omitempty"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	TS   *micros        `json:"ts,omitempty"`
	Dur  *micros        `json:"dur,omitempty"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	ID   *uint64        `json:"id,omitempty"`
	BP   string         `json:"bp,omitempty"` // e: the arrow ends in what encloses it
	S    string         `json:"s,omitempty"`  // t: the mark is of its track
	Args map[string]any `json:"args,omitempty"`
}

// micros are nanoseconds that are written as microseconds.
type micros time.Duration

// MarshalJSON writes three places, so that no nanosecond is lost.
func (m micros) MarshalJSON() ([]byte, error) {
	sign, n := "", int64(m)
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Appendf(nil, "%s%d.%03d", sign, n/1000, n%1000), nil
}

func microsOf(d time.Duration) *micros {
	m := micros(d)
	return &m
}

func (t *chromeTrace) add(e chromeEvent) { t.Events = append(t.Events, e) }

func (t *chromeTrace) process(pid, place int, name string) {
	t.add(chromeEvent{Name: "process_name", Ph: "M", PID: pid, Args: map[string]any{"name": name}})
	t.add(chromeEvent{Name: "process_sort_index", Ph: "M", PID: pid, Args: map[string]any{"sort_index": place}})
}

// thread names a track, once.
func (t *chromeTrace) thread(pid, tid int, name string) {
	if t.named == nil {
		t.named = map[[2]int]bool{}
	}
	if t.named[[2]int{pid, tid}] {
		return
	}
	t.named[[2]int{pid, tid}] = true
	t.add(chromeEvent{Name: "thread_name", Ph: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}})
	t.add(chromeEvent{Name: "thread_sort_index", Ph: "M", PID: pid, TID: tid, Args: map[string]any{"sort_index": tid}})
}

// settle has all times count from the first one, in their order.
func (t *chromeTrace) settle() {
	first := time.Duration(0)
	for i, seen := 0, false; i < len(t.Events); i++ {
		if ts := t.Events[i].TS; ts != nil && (!seen || time.Duration(*ts) < first) {
			first, seen = time.Duration(*ts), true
		}
	}
	for i := range t.Events {
		if ts := t.Events[i].TS; ts != nil {
			t.Events[i].TS = microsOf(time.Duration(*ts) - first)
		}
	}
	slices.SortStableFunc(t.Events, func(a, b chromeEvent) int { return cmp.Compare(a.time(), b.time()) })
	t.Unit = "ns"
}

func (e *chromeEvent) time() micros {
	if e.TS == nil {
		return -1 // names come first
	}
	return *e.TS
}

// timelineBegins is how the file of a timeline does.
const timelineBegins = `{"displayTimeUnit":"ns","otherData":`

// write writes an event a line.
func (t *chromeTrace) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	other, err := json.Marshal(t.Other)
	_, _ = b.WriteString(timelineBegins + string(other) + `,"traceEvents":[` + "\n") // Flush has its error
	for i := range t.Events {
		line, one := json.Marshal(&t.Events[i])
		err = errors.Join(err, one)
		if i < len(t.Events)-1 {
			line = append(line, ',')
		}
		_, _ = b.Write(append(line, '\n'))
	}
	_, _ = b.WriteString("]}\n")
	return errors.Join(err, b.Flush())
}
