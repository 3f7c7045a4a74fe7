package build

import (
	"bytes"
	"fmt"
	"strconv"

	"gpuci/kernels/cache"
)

// entry is one compile that was done: what it read and what it gave. A record of
// the cache holds those of one unit that differ in their files alone, newest first.
type entry struct {
	out   cache.Sum
	log   string // what the compiler wrote to stderr
	files []input
	made  []derived
}

// input is a file that was read.
type input struct {
	sum    cache.Sum
	vector string
	path   string
}

// derived is a name that no source spells, and where it was found.
type derived struct {
	mention mention
	own     string // the directory of who asked, "" of one that does not count
	token   string
}

// variants is how many entries a unit keeps: some lanes, or some branches.
const variants = 4

// encode writes an entry as lines, each a word and its values; paths come last,
// and one with a newline is refused.
func (e entry) encode(b *bytes.Buffer) error {
	fmt.Fprintf(b, "out %s\nlog %s\n", e.out, strconv.Quote(e.log))
	for _, f := range e.files {
		if bytes.ContainsAny([]byte(f.path), "\n\r") {
			return fmt.Errorf("keep what %q was read for: a path with a line break", f.path)
		}
		fmt.Fprintf(b, "file %s %d %s %s\n", f.sum, len(f.vector), f.vector, f.path)
	}
	for _, a := range e.made {
		fmt.Fprintf(b, "made %s %q %q\n", a.token, a.own, encode([]mention{a.mention}))
	}
	b.WriteString("end\n")
	return nil
}

// cutEntry reads the first entry of a record and gives the rest; ok is false where
// there is none, or what is there is not an entry.
func cutEntry(data []byte) (e entry, rest []byte, ok bool) {
	for {
		line, after, found := bytes.Cut(data, []byte("\n"))
		if !found {
			return entry{}, nil, false
		}
		data = after
		word, value, _ := bytes.Cut(line, []byte(" "))
		var err error
		switch string(word) {
		case "out":
			e.out = cache.Sum(value)
		case "log":
			e.log, err = strconv.Unquote(string(value))
		case "file":
			var f input
			f, err = parseInput(string(value))
			e.files = append(e.files, f)
		case "made":
			var a derived
			a, err = parseDerived(string(value))
			e.made = append(e.made, a)
		case "end":
			return e, data, e.out != ""
		default:
			return entry{}, nil, false
		}
		if err != nil {
			return entry{}, nil, false
		}
	}
}

func parseInput(text string) (input, error) {
	const sum = 64 // hexadecimal digits of SHA-256
	if len(text) < sum+1 {
		return input{}, strconv.ErrSyntax
	}
	f := input{sum: cache.Sum(text[:sum])}
	size, n := 0, sum+1
	for ; n < len(text) && text[n] >= '0' && text[n] <= '9' && size <= len(text); n++ {
		size = size*10 + int(text[n]-'0')
	}
	if n++; n+size+1 > len(text) {
		return input{}, strconv.ErrSyntax
	}
	f.vector, f.path = text[n:n+size], text[n+size+1:]
	return f, nil
}

func parseDerived(text string) (derived, error) {
	var d derived
	var one string
	if _, err := fmt.Sscanf(text, "%s %q %q", &d.token, &d.own, &one); err != nil {
		return derived{}, err
	}
	for m := range decode(one) {
		d.mention = m
	}
	if d.mention.name == "" {
		return derived{}, strconv.ErrSyntax
	}
	return d, nil
}

// record is an entry before those of an old record.
func record(e entry, old []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := e.encode(&b); err != nil {
		return nil, err
	}
	for range variants - 1 {
		earlier, rest, ok := cutEntry(old)
		if !ok {
			break
		}
		if !e.replaces(earlier) {
			b.Write(old[:len(old)-len(rest)])
		}
		old = rest
	}
	return b.Bytes(), nil
}

// replaces is whether the entries read the same.
func (e entry) replaces(o entry) bool {
	if len(e.files) != len(o.files) || len(e.made) != len(o.made) {
		return false
	}
	for i := range e.files {
		if e.files[i] != o.files[i] {
			return false
		}
	}
	for i := range e.made {
		if e.made[i] != o.made[i] {
			return false
		}
	}
	return true
}
