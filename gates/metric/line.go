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

// behind is what may stand in front of the prefix: what Rust's harness prints
// before a test's own words (`--nocapture --test-threads=1`), and Go's t.Log.
// Anywhere else it is a line about such a line: a log that is shown, or a text
// like this one.
var behind = regexp.MustCompile(`^(?:test \S+ \.\.\. |\s+[^\s:]+\.go:\d+: )$`)

// findOwn returns what follows the prefix.
func findOwn(line []byte) ([]byte, bool) {
	before, rest, ok := bytes.Cut(line, []byte(prefix))
	if !ok || (len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t') {
		return nil, false
	}
	return rest, len(before) == 0 || behind.Match(before)
}

// parseOwn reads `name=… value=… [unit=…] label=…`. A value with spaces or
// quotes is written in double quotes.
func parseOwn(rest []byte) (Own, error) {
	o := Own{Labels: make(map[string]string)}
	for text := strings.TrimSpace(string(rest)); text != ""; {
		key, after, ok := strings.Cut(text, "=")
		if !ok || key == "" || strings.ContainsAny(key, " \t\"") {
			return o, fmt.Errorf("want key=value at %.40q", text)
		}
		value, left, err := takeValue(after)
		if err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
		if err := o.set(key, value); err != nil {
			return o, err
		}
		text = strings.TrimLeft(left, " \t")
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
