package pressure

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxTimeline bounds what is read of a timeline, in bytes: three days of steps
// of a second.
const maxTimeline = 64 << 20

// ReadTimeline reads a file with a point on each line, as Record's points are
// written. A last line that was torn is passed over: the writer was killed, or
// is at work. Any other line that is none is an error, which names it; the
// points before it are returned too.
func ReadTimeline(path string) (Timeline, error) {
	data, err := readUpTo(path, maxTimeline+1)
	if err != nil {
		return nil, err
	}
	if len(data) > maxTimeline {
		return nil, fmt.Errorf("read %s: it is longer than %d MiB, which no run writes: it is no timeline", path, maxTimeline>>20)
	}
	var t Timeline
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			return t, fmt.Errorf("read %s: line %d: %w", path, n, err)
		}
		t = append(t, p)
	}
	return t, nil
}
