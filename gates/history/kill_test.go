package history

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kills is how often a writer is killed: in the long form, 25 times as often.
func kills() int {
	if os.Getenv("GPUCI_SOAK") == "1" {
		return 500
	}
	return 20
}

// What a writer said that it kept is there after SIGKILL, wherever it struck:
// in a commit, while the database is made, opened, or its log written back.
func TestKilled(t *testing.T) {
	st := newStage(t)
	kept := make(map[string]bool)
	for i := range kills() {
		if i%10 == 0 { // while it is made
			for _, name := range []string{"history.db", "history.db-wal", "history.db-shm"} {
				_ = os.Remove(st.path(name))
			}
			clear(kept)
		}
		each := []int{1, 3, 1000}[i%3] // results for each time it is opened
		c := start(t, command(t, "record", st.dir, fmt.Sprint("run", i), "0", strconv.Itoa(each)))
		for range i * 7 % 40 {
			kept[c.line(t)] = true
		}
		_ = c.Process.Kill()
		lines, _ := c.rest()
		for _, id := range lines {
			kept[id] = true
		}
		s := st.open()
		have := st.runs(s, Query{})
		slices.Sort(have)
		for id := range kept {
			if _, ok := slices.BinarySearch(have, id); !ok {
				t.Errorf("%d: %s was kept and is gone", i, id)
			}
		}
		st.close(s)
		if t.Failed() {
			break
		}
		st.sound()
	}
	if len(kept) < 20 || len(st.notes) > 0 {
		t.Errorf("%d were kept; notes %q", len(kept), st.notes)
	}
}

// Eight write at once, from the making of the database on, and one reads: it
// never fails, and what it saw does not go away.
func TestMany(t *testing.T) {
	st := newStage(t)
	const writers, count = 8, 25
	var list []*child
	for i := range writers {
		list = append(list, start(t, command(t, "record", st.dir, fmt.Sprint("w", i), strconv.Itoa(count), strconv.Itoa(1+i%4*8))))
	}
	ended := make(chan error, writers)
	for _, c := range list {
		go func() {
			lines, err := c.rest()
			if said := c.err.String(); err == nil && (len(lines) != count || said != "") {
				err = fmt.Errorf("%d of %d: %s", len(lines), count, said)
			} else if err != nil {
				err = fmt.Errorf("%w: %s", err, said)
			}
			ended <- err
		}()
	}
	for last, left, reads := 0, writers, 0; left > 0; reads++ {
		s := st.open()
		n, err := s.Count(t.Context(), Query{})
		if err != nil || n["green"] < last {
			t.Errorf("%d after %d, %v", n["green"], last, err)
		}
		last = len(st.runs(s, Query{}))
		st.close(s)
		select {
		case err := <-ended:
			left--
			if err != nil {
				t.Error(err)
			}
		default:
		}
	}
	s := st.open()
	if n := len(st.runs(s, Query{})); n != writers*count {
		t.Errorf("%d of %d", n, writers*count)
	}
	st.close(s)
	st.sound()
	if entries, _ := os.ReadDir(st.path("journal")); len(entries) > 0 || len(st.notes) > 0 {
		t.Errorf("journals %v, notes %s", entries, strings.Join(st.notes, "; "))
	}
}

// One Store serves several goroutines.
func TestGoroutines(t *testing.T) {
	st := newStage(t)
	s := st.open()
	done := make(chan error)
	for i := range 4 {
		go func() {
			var err error
			for k := 0; k < 10 && err == nil; k++ {
				if err = s.Record(t.Context(), result(fmt.Sprintf("g%d-%d", i, k))); err == nil {
					_, err = s.Latest(t.Context())
				}
				for _, e := range s.Results(t.Context(), Query{Limit: 3}) {
					if e != nil {
						err = e
					}
				}
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := len(st.runs(s, Query{})); n != 40 {
		t.Error(n)
	}
}
