package protected

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// mark is one line of a log that tells how far a run is.
type mark struct {
	done, total float64       // total 0: not told
	left        time.Duration // below 0: not told
	at          time.Time     // zero: not told
	unit        string
}

// parseMarks finds the lines of a log that fit a pattern, oldest first. Only what
// is ended by a line feed or a carriage return is a line: the last one may be half
// written, and so may the first be half there when cut is true. near is a time
// close to the end of the log, for lines that tell the hour only.
func parseMarks(data []byte, re *regexp.Regexp, cut bool, near time.Time) (out []mark) {
	end := bytes.LastIndexAny(data, "\r\n")
	if end < 0 {
		return nil
	}
	data = data[:end]
	if cut {
		begin := bytes.IndexAny(data, "\r\n")
		if begin < 0 {
			return nil
		}
		data = data[begin+1:]
	}
	for _, line := range bytes.FieldsFunc(data, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if m, ok := parseMark(string(line), re, near); ok {
			out = append(out, m)
		}
	}
	return out
}

// parseMark reads one line.
func parseMark(line string, re *regexp.Regexp, near time.Time) (m mark, ok bool) {
	found := re.FindStringSubmatch(line)
	if found == nil {
		return m, false
	}
	m.left, m.unit = -1, "step"
	for i, name := range re.SubexpNames() {
		text := strings.TrimSpace(found[i])
		if text == "" {
			continue
		}
		good := true
		switch name {
		case "done":
			m.done, good = parseCount(text)
			ok = ok || good
		case "total":
			m.total, good = parseCount(text)
		case "percent":
			m.done, good = parseCount(strings.TrimSuffix(text, "%"))
			m.total, m.unit, ok = 100, "%", ok || good
		case "eta":
			if m.left, good = parseLeft(text); !good { // "?", while it is not known
				m.left, good = -1, true
			}
			ok = ok || m.left >= 0
		case "unit":
			m.unit = clip(text)
		case "time":
			m.at = parseTime(text, near)
		}
		if !good {
			return m, false
		}
	}
	return m, ok
}

// maxCount bounds a count: above 2^53 steps are not told apart.
const maxCount = 1 << 53

// parseCount reads a number of steps: 41200, 41,200, 41_200, 41.2k, 3M.
func parseCount(text string) (float64, bool) {
	text = strings.NewReplacer(",", "", "_", "").Replace(text)
	factor := 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9} {
		if t, ok := strings.CutSuffix(text, suffix); ok {
			text, factor = strings.TrimSpace(t), f
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	v *= factor
	return v, err == nil && v >= 0 && v <= maxCount && strings.Trim(text, "0123456789.eE+") == ""
}

// days is how a time that is left may begin: "2-", "2 days, ", "2d ".
var days = regexp.MustCompile(`^(\d{1,4})(?:-| ?d(?:ays?)?[, ]+)(.*)$`)

// parseLeft reads a time that is left: 1:23:45, 12:34 (minutes), 2-03:00:00,
// 2 days, 3:00:00, 3h20m, 5400 (seconds).
func parseLeft(text string) (time.Duration, bool) {
	var sum float64 // seconds
	if f := days.FindStringSubmatch(text); f != nil {
		n, _ := strconv.Atoi(f[1])
		sum, text = float64(n)*86400, f[2]
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
		sum += d.Seconds()
	} else {
		parts := strings.Split(text, ":")
		if len(parts) > 3 {
			return 0, false
		}
		part := 0.0
		for _, p := range parts {
			v, err := strconv.ParseFloat(p, 64)
			if err != nil || !(v >= 0) || strings.Trim(p, "0123456789.") != "" {
				return 0, false
			}
			part = part*60 + v
		}
		sum += part
	}
	if !(sum >= 0) || math.IsInf(sum, 0) || sum > far.Seconds() {
		return 0, false
	}
	return time.Duration(sum * float64(time.Second)), true
}

// layouts are the times that logs carry, in this machine's zone where they name
// none. Those without a date are of the day that the log was written to.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05Z07:00", time.DateTime,
	"2006/01/02 15:04:05", "02/Jan/2006:15:04:05 -0700", time.ANSIC, "2006-01-02 15:04", "20060102 15:04:05",
	"01/02 15:04:05", time.Stamp, "0102 15:04:05", time.TimeOnly, "15:04",
}

// parseTime reads a time of a log, zero when it is none.
func parseTime(text string, near time.Time) time.Time {
	if v, err := strconv.ParseFloat(text, 64); err == nil && v > 1e9 && v < 1e11 { // seconds since 1970
		return time.UnixMicro(int64(v * 1e6))
	}
	text = strings.Replace(text, ",", ".", 1) // 14:02:11,345
	for _, layout := range layouts {
		at, err := time.ParseInLocation(layout, text, near.Location())
		if err == nil {
			return nearest(at, near)
		}
	}
	return time.Time{}
}

// nearest gives a time without a year, or without a date, those that make it the
// last one before near: a minute after it is still now, by another clock.
func nearest(at, near time.Time) time.Time {
	if at.Year() > 1 {
		return at
	}
	if at.YearDay() == 1 { // no date, or New Year's Day, which is wrong a year round and right on that day
		at = time.Date(near.Year(), near.Month(), near.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), near.Location())
		if at.After(near.Add(time.Minute)) {
			at = at.AddDate(0, 0, -1)
		}
		return at
	}
	at = time.Date(near.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), near.Location())
	if at.After(near.Add(time.Minute)) {
		at = at.AddDate(-1, 0, 0)
	}
	return at
}
