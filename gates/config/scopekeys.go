package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ShownWord is what covered is where the gate's own output says it.
const ShownWord = "shown"

// maxRange bounds a range: production that uses more places than this on one axis
// is better named by the ones that matter.
const maxRange = 4096

// readAxis reads what is covered of one dimension, and what production uses.
func (f *fields) readAxis() Axis {
	var a Axis
	e := f.table.get("covered")
	switch word := e != nil && e.value.kind == isString; {
	case word && e.value.text == ShownWord:
		f.take("covered")
		a.Shown = true
		f.note(e)
	case word && !strings.Contains(e.value.text, ".."):
		f.take("covered")
		hint := placesHint(e, `write covered = "shown" (what the run says by gpuci:scope lines), covered = [1, 2, 4] or covered = "1..4"`)
		f.bad(e, meant(e.value.text, []string{ShownWord}, hint), "cannot be %s", quoted(e.value.text))
	default:
		a.Covered = f.points("covered")
	}
	a.Production = f.points("production")
	return a
}

// otherRange is a range as it is written elsewhere: 1-8, 1:8, 1–8, 1 to 8, 1...8.
var otherRange = regexp.MustCompile(`^\s*(\d+)\s*(?:-|–|:|…|to|\.{3,})\s*(\d+)\s*$`)

// placesHint is how a range is written that is written otherwise, else the other
// hint.
func placesHint(e *entry, otherwise string) string {
	if e.value.kind != isString {
		return otherwise
	}
	if m := otherRange.FindStringSubmatch(e.value.text); m != nil {
		return fmt.Sprintf(`write %s = "%s..%s", all whole numbers from %[2]s to %[3]s`, e.key, m[1], m[2])
	}
	return otherwise
}

// placeRange reads "1..32", all whole numbers from the first to the last. ok says
// that it was meant for one.
func (f *fields) placeRange(e *entry) (all []any, ok bool) {
	low, high, ok := strings.Cut(e.value.text, "..")
	if !ok {
		return nil, false
	}
	hint := placesHint(e, fmt.Sprintf(`write %s = "1..32", or name the places: %[1]s = [1, 2, 4]`, e.key))
	from, err := strconv.ParseInt(strings.TrimSpace(low), 10, 64)
	to, err2 := strconv.ParseInt(strings.TrimSpace(high), 10, 64)
	switch {
	case err != nil || err2 != nil:
		f.bad(e, hint, "is no range of whole numbers: %s", quoted(e.value.text))
	case from > to:
		f.bad(e, fmt.Sprintf(`write %s = "%d..%d"`, e.key, to, from), "begins above its end: %s", quoted(e.value.text))
	case uint64(to)-uint64(from) >= maxRange:
		f.bad(e, hint, "has more than %d places: %s", maxRange, quoted(e.value.text))
	default:
		for n := from; ; n++ {
			all = append(all, n)
			if n == to {
				return all, true
			}
		}
	}
	return nil, true
}
