package metric

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// prefix begins a number that the gate prints itself.
const prefix = "gpuci:metric"

// Own is a `gpuci:metric` line taken apart, its value still as text.
type Own struct {
	Name, Text, Unit string
	Labels           map[string]string
}

// behind is what a harness puts in front of a test's own words: Rust's a name
// (`--nocapture --test-threads=1`) or, with -q, a character for every test that
// has ended; Go's t.Log a place.
var behind = regexp.MustCompile(`^(?:test \S+(?: - should panic)? \.\.\. |[.iFb]{1,100}|\s+[^\s:]+\.go:\d+: )$`)

// maxBehind bounds what is looked at for that: a name is no longer, and a line
// may be.
const maxBehind = 4 << 10

// nameKey finds the name in a line that may be no line of ours at all.
var nameKey = regexp.MustCompile(`(?:^|\s)name=("[^"]*"|\S*)`)

// printed takes the number that a line gives itself, and says whose it is and
// where in the line that begins. At the start of a line, or behind a harness,
// it is meant for us, whatever it looks like. Elsewhere it may be behind a
// logger's words or in a text about such lines: it counts when the gate has a
// metric of that name, since a number that is lost is worse than one too many,
// unless it is Echoed.
func (c *Collector) printed(line []byte) (metric string, at int) {
	for at = bytes.Index(line, []byte(prefix)); at >= 0; {
		rest := line[at+len(prefix):]
		next := bytes.Index(rest, []byte(prefix))
		if Ends(rest) {
			if Begins(line, at) {
				return c.own(rest, ""), at
			}
			part := rest
			if next >= 0 {
				part = rest[:next]
			}
			if name := c.mentioned(part); name != "" && !Echoed(line[:at], part) {
				return c.own(rest, name), at
			}
		}
		if next < 0 {
			break
		}
		at += len(prefix) + next
	}
	return "", -1
}

// mentioned is the declared metric that a text names, also when what closes a
// bracket or a quote sticks to the name.
func (c *Collector) mentioned(text []byte) string {
	for _, m := range nameKey.FindAllSubmatch(text, -1) {
		name := strings.Trim(string(m[1]), `"`)
		if c.declared[name] {
			return name
		}
		if name = strings.Trim(name, "[](){}<>\"'`\\,;.|"); c.declared[name] {
			return name
		}
	}
	return ""
}

// own reads what follows the prefix and says whose number it is. Where the
// metric is known already, whatever is not a clean number is its fault.
func (c *Collector) own(rest []byte, known string) (metric string) {
	o, err := parseOwn(rest)
	if err == nil && known != "" && o.Name != known {
		err = fmt.Errorf("its name is %q", o.Name)
	}
	if err != nil {
		text := fmt.Sprintf("malformed gpuci:metric line: %v, in %s", err, quote(append([]byte(prefix), rest...)))
		if known == "" {
			c.fault(text)
			return o.Name
		}
		c.of(known).fault(text)
		return known
	}
	if c.found[o.Name] == nil && len(c.found) >= maxMetrics {
		c.fault(fmt.Sprintf("more than %d metrics: %s was not kept", maxMetrics, o.Name))
		return o.Name
	}
	f := c.of(o.Name)
	if c.given[o.Name] {
		f.fault(printedToo)
		return o.Name
	}
	switch {
	case o.Unit == "" || o.Unit == f.unit:
	case f.unit == "" && f.Count == 0:
		f.unit = o.Unit
	default:
		f.fault(fmt.Sprintf("%s is printed in %s, the metric is in %s: nothing is converted", o.Text, o.Unit, unitName(f.unit)))
		return o.Name
	}
	c.keep(f, Sample{Metric: o.Name, Text: o.Text, Unit: f.unit, Labels: o.Labels})
	return o.Name
}

func unitName(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return unit
}

// keep adds a sample whose text is a number.
func (c *Collector) keep(f *Found, s Sample) {
	var err error
	if s.Value, err = parse(s.Text, s.Unit); err == nil {
		c.add(f, s)
		return
	}
	if len(s.Labels) > 0 {
		err = fmt.Errorf("%w (%s)", err, s.Series())
	}
	f.fault(err.Error())
}

// parseOwn reads `name=… value=… [unit=…] label=…`. A value with spaces or
// quotes is written in double quotes.
func parseOwn(rest []byte) (Own, error) {
	o := Own{Labels: make(map[string]string)}
	if err := Pairs(string(rest), o.set); err != nil {
		return o, err
	}
	switch {
	case o.Name == "":
		return o, errors.New("it has no name=")
	case o.Text == "":
		return o, fmt.Errorf("metric %s has no value=", o.Name)
	}
	return o, nil
}

func (o *Own) set(key, value string) error {
	_, twice := o.Labels[key]
	switch {
	case key == "name" && o.Name == "":
		o.Name = value
	case key == "value" && o.Text == "":
		o.Text = value
	case key == "unit" && o.Unit == "":
		o.Unit = value
	case twice || key == "name" || key == "value" || key == "unit":
		return fmt.Errorf("%s= is given twice", key)
	default:
		o.Labels[key] = value
	}
	return nil
}

func takeValue(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, " \t")
		if end < 0 {
			return s, "", nil
		}
		return s[:end], s[end:], nil
	}
	end := strings.IndexByte(s[1:], '"')
	if end < 0 {
		return "", "", errors.New("a double quote is not closed")
	}
	return s[1 : 1+end], s[2+end:], nil
}

// IsOwn says whether a line has a `gpuci:metric` in it, which gives its numbers
// itself.
func IsOwn(line []byte) bool { return bytes.Contains(line, []byte(prefix)) }

// Give takes a sample that was not printed at all. One that its unit does not allow
// is a fault of its metric, as of one that was.
func (c *Collector) Give(s Sample) {
	if c.found[s.Metric] == nil && len(c.found) >= maxMetrics {
		c.fault(fmt.Sprintf("more than %d metrics: %s was not kept", maxMetrics, s.Metric))
		return
	}
	f := c.of(s.Metric)
	s.Unit = f.unit
	c.keep(f, s)
}

// GiveAll takes numbers of which n were counted and only the extremes are told: as many
// samples as that, of one metric, unit and labels.
func (c *Collector) GiveAll(low, high Sample, n int) {
	c.Give(low)
	given := 1
	if high.Text != low.Text {
		c.Give(high)
		given = 2
	}
	f := c.found[low.Metric]
	if f == nil || f.Faulty > 0 || n <= given {
		return
	}
	f.Count += n - given
	if s := f.series[high.Series()]; s != nil {
		s.Count += n - given
	}
}

// Miss says why a metric was not read, where nothing was printed that could be at fault.
func (c *Collector) Miss(metric, why string) { c.of(metric).fault(why) }

// printedToo is the fault of a metric that is not printed.
const printedToo = "it is counted, and a number of that name was printed as well: call one of them otherwise"

// Take takes a number that somebody else found in the output: text is as it was
// printed.
func (c *Collector) Take(metric, text string) {
	if c.found[metric] == nil && len(c.found) >= maxMetrics {
		c.fault(fmt.Sprintf("more than %d metrics: %s was not kept", maxMetrics, metric))
		return
	}
	f := c.of(metric)
	if c.given[metric] {
		f.fault(printedToo)
		return
	}
	c.keep(f, Sample{Metric: metric, Text: text, Unit: f.unit})
}
