package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// record is a line of a journal: a result, a kill, a falsification or a decision.
type record struct {
	result   *entry
	kill     *killEntry
	fault    *kept[Falsification]
	decision *kept[Decision]
}

// readLine decodes a line. Fields and types that are not known are for newer
// gpuci: the former are kept, the latter are an error.
func readLine(line []byte) (record, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return record{}, err
	}
	switch head.Type {
	case "result":
		e, err := readEntry(line)
		return record{result: &e}, err
	case "kill":
		e, err := readKillEntry(line)
		return record{kill: &e}, err
	case "falsification":
		e, err := readFalsified(line)
		return record{fault: &e}, err
	case "decision":
		e, err := readDecided(line)
		return record{decision: &e}, err
	}
	return record{}, fmt.Errorf("the type %q is not known", head.Type)
}

// readLines hands every whole line to each, without its end, and counts the
// bytes of them: a last line without an end is somebody's who is writing, or was
// killed. A line that is too long is handed over as nil. The slice is each's to
// keep.
func readLines(r io.Reader, each func([]byte) error) (consumed int64, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	var size int64
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if size <= maxLine+1 {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return consumed, nil
		case err != nil:
			return consumed, err
		}
		if line != nil {
			line = line[: len(line)-1 : len(line)-1]
		}
		if err := each(line); err != nil {
			return consumed, err
		}
		consumed, size, line = consumed+size, 0, nil
	}
}
