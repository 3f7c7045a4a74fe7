package history

import (
	"fmt"
	"os"
	"testing"
)

// The log does not grow with the history, whether one Store records everything
// or each result has its own, and while others read.
func TestFold(t *testing.T) {
	st := newStage(t)
	other := st.open()
	longest := int64(0)
	size := func() int64 {
		info, err := os.Stat(st.path("history.db-wal"))
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, info.Size())
		return info.Size()
	}
	for i := range 60 {
		s := st.open()
		st.record(s, result(fmt.Sprint("r", i)))
		if ids := st.runs(other, Query{Limit: 1}); len(ids) != 1 {
			t.Fatalf("%q", ids)
		}
		st.close(s)
		size()
	}
	if longest < usualLog/2 || longest > 2*usualLog {
		t.Errorf("the log had up to %d bytes, of %d", longest, usualLog)
	}
	st.close(other)
	s := st.open()
	for i := range 300 {
		st.record(s, result(fmt.Sprint("m", i)))
		size()
	}
	if longest < maxLog/2 || longest > 2*maxLog {
		t.Errorf("the log had up to %d bytes, of %d", longest, maxLog)
	}
	st.close(s)
	if n := size(); n > usualLog {
		t.Errorf("it has %d bytes", n)
	}
	st.sound()
}
