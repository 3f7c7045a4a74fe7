package pressure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Parse parses the content of a pressure file:
//
//	some avg10=0.12 avg60=0.50 avg300=1.02 total=123456
//	full avg10=0.00 avg60=0.21 avg300=0.44 total=65432
//
// Lines and fields it does not know are passed over. A line it knows that lacks
// a field, and a text that does not end with its line, are torn: that is an
// error, and nothing is known then.
func Parse(data []byte) (Resource, error) {
	var r Resource
	if !bytes.HasSuffix(data, []byte("\n")) {
		return r, errors.New("its end is missing: it was torn, or is no pressure file")
	}
	for line := range bytes.Lines(data) {
		word, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		var into **Level
		switch string(word) {
		case "some":
			into = &r.Some
		case "full":
			into = &r.Full
		default:
			continue
		}
		l, err := parseLevel(rest)
		if err != nil {
			return Resource{}, fmt.Errorf("line %q: %w", word, err)
		}
		*into = l
	}
	if r.Some == nil && r.Full == nil { // that of interrupts has only "full"
		return Resource{}, errors.New(`it has no line "some" or "full": it was torn, or is no pressure file`)
	}
	return r, nil
}

// parseLevel parses the fields of one line.
func parseLevel(fields []byte) (*Level, error) {
	var l Level
	missing := map[string]bool{"avg10": true, "avg60": true, "avg300": true, "total": true}
	for field := range bytes.FieldsSeq(fields) {
		key, value, _ := bytes.Cut(field, []byte("="))
		var err error
		switch string(key) {
		case "avg10":
			l.Avg10, err = percent(value)
		case "avg60":
			l.Avg60, err = percent(value)
		case "avg300":
			l.Avg300, err = percent(value)
		case "total":
			l.Total, err = microseconds(value)
		}
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", key, err)
		}
		delete(missing, string(key))
	}
	for _, key := range []string{"avg10", "avg60", "avg300", "total"} {
		if missing[key] {
			return nil, fmt.Errorf("field %q is missing", key)
		}
	}
	return &l, nil
}

// percent refuses what no share of time can be. It lets 100.04 pass: the
// kernel's fixed-point averages can round up.
func percent(text []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 101 {
		return 0, fmt.Errorf("%q is no percentage", text)
	}
	return v, nil
}

func microseconds(text []byte) (time.Duration, error) {
	v, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || v > math.MaxInt64/uint64(time.Microsecond) {
		return 0, fmt.Errorf("%q is no number of microseconds", text)
	}
	return time.Duration(v) * time.Microsecond, nil
}
