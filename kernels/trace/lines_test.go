package trace

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The time of a line is that of its first byte.
func TestLineCutter(t *testing.T) {
	type line struct {
		text string
		at   int64
	}
	var got []line
	c := Cutter{Take: func(b []byte, came Came) { got = append(got, line{string(b), came.To.Unix()}) }}
	long := strings.Repeat("y", longLine)
	for i, part := range []string{"one\ntw", "o\r", "\rstep 3", "\r\n\nste", "p 4", "\n" + long + "more", "\nlast"} {
		c.Add([]byte(part), CameAt(time.Unix(int64(i), 0)))
	}
	c.End()
	want := []line{{"one", 0}, {"two", 0}, {"step 3", 2}, {"step 4", 3}, {long, 5}, {"last", 6}}
	if !slices.Equal(got, want) {
		t.Errorf("got %.300v", got)
	}
}
