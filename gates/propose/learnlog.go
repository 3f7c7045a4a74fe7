package propose

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gpuci/gates/metric"
	"gpuci/gates/reader"
)

// Bounds of what is read. An output that is longer is looked at from its two
// ends; a line that is longer is no line with a number for people.
const (
	sampleSize = 32 << 20 // bytes of each end
	maxLine    = 1 << 10  // bytes
)

// noise are lines of harnesses and build tools: their numbers are counted by
// the readers, or say how long the tool took.
var noise = []*regexp.Regexp{
	regexp.MustCompile(`^running \d+ tests?$|^test result: |^test \S+(?: - should panic)? \.\.\. (?:ok|FAILED|ignored.*)?$|^\s+(?:Compiling|Finished|Running|Doc-tests|Download\w+|Updating|Locking|Checking|Blocking|Fresh|Building|Adding|Removing|Executable|Packaging) `),
	regexp.MustCompile(`^(?:ok|FAIL|\?)\s+\S+\s|^\s*(?:---|===) |^(?:goos|goarch|pkg|cpu): |^(?:PASS|FAIL)$`),
	regexp.MustCompile(`^=+ .* =+$|^(?:collected|platform|rootdir|plugins|cachedir|configfile|asyncio):? |\[ *\d+%\]\s*$|^(?:tests?/|\S+\.py)\S* [.FEsxX]+`),
	regexp.MustCompile(`^\s*\d+/\d+ (?:Test|MemCheck) |^\s*Start +\d+: |^Total Test time|^\d+% tests passed|^Test project |^\s*\d+: Test (?:command|timeout)`),
	regexp.MustCompile(`^-- |^\[ *\d+%\] |^\[\d+/\d+\] |^make(?:\[\d+\])?: |^(?:warning|error|note)(?:\[\w+\])?: |^ *(?:-->|\d+ \|)|^gpuci: `),
}

// front is what a harness or a logger puts before a program's own words.
var front = regexp.MustCompile(`^(?:test \S+(?: - should panic)? \.\.\. |\s+[^\s:]+\.go:\d+: |\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[-+]\d\d:?\d\d)?\]?\s+(?:\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\]?:?\s+)?)`)

// benchLine is a test of libtest that measures: its name is in front.
var benchLine = regexp.MustCompile(`^test \S+\s+\.\.\. bench:`)

// output is what was read of a run.
type output struct {
	shapes   shapes
	printed  *metric.Collector // of the gpuci:metric lines
	units    map[string]string // of the metrics that they print
	readers  []counting
	sampled  bool
	overlong int

	dims        []axis // shapes that are printed as lists
	pytestBench bool   // a table of pytest-benchmark was printed
	groups      string // a line with a number such as 1,234 and a unit
}

// grouped is a number in groups of digits, with a unit behind it.
var grouped = regexp.MustCompile(`\d,\d{3}(?:\.\d+)? ?(?:ns|us|µs|ms|s|B|[KMG]i?B)\b`)

// counting is a reader that is tried.
type counting struct {
	name string
	reader.Reader
}

// readOutput reads an output to its end, or its two ends.
func readOutput(log io.Reader, tried []string) (*output, error) {
	o := &output{shapes: shapes{by: make(map[string]*shape)}, units: make(map[string]string)}
	var err error
	if o.printed, err = metric.New(nil, func(s metric.Sample) { o.units[s.Metric] = s.Unit }); err != nil {
		return nil, fmt.Errorf("read the output: %w", err)
	}
	for _, name := range tried {
		if r, err := reader.New(name); err == nil {
			o.readers = append(o.readers, counting{name, r})
		}
	}
	if err := o.parts(log); err != nil {
		return nil, fmt.Errorf("read the output: %w", err)
	}
	o.shapes.merge()
	return o, nil
}

// parts reads all, or the first and the last sampleSize of it. What cannot be
// wound on is read from its beginning alone.
func (o *output) parts(log io.Reader) error {
	size := int64(-1)
	s, seekable := log.(io.Seeker)
	if seekable {
		end, err := s.Seek(0, io.SeekEnd)
		if err == nil {
			_, err = s.Seek(0, io.SeekStart)
		}
		if seekable = err == nil; seekable {
			size = end
		}
	}
	if seekable && size <= 2*sampleSize {
		return o.lines(log)
	}
	first := &io.LimitedReader{R: log, N: sampleSize}
	if err := o.lines(first); err != nil || first.N > 0 {
		return err
	}
	o.sampled = true
	if !seekable {
		return nil
	}
	if _, err := s.Seek(size-sampleSize, io.SeekStart); err != nil {
		return err
	}
	return o.lines(log)
}

func (o *output) lines(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if !long {
			o.line(bytes.TrimSuffix(line, []byte("\n")))
		}
		for long && errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		if long {
			o.overlong++
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line takes up one line.
func (o *output) line(raw []byte) {
	line := reader.Plain(raw)
	for _, c := range o.readers {
		c.Line(reader.Stdout, line)
	}
	if bytes.Contains(line, []byte("gpuci:metric")) {
		o.printed.Line(line)
		return
	}
	switch {
	case len(line) > maxLine:
		o.overlong++
	case pytestBenchRow.Match(line):
		o.pytestBench = true
	case !bytes.ContainsAny(line, "0123456789"), !utf8.Valid(line), bytes.ContainsFunc(line, isControl):
	default:
		o.text(string(line))
	}
}

// text takes up a line that a person could read.
func (o *output) text(line string) {
	own := line
	if may := strings.HasPrefix(line, "test ") || strings.Contains(line, ".go:") || line[0] == '[' || startsWithDigit(line); may && !benchLine.MatchString(line) {
		own = line[len(front.FindString(line)):]
	}
	// Whether a line is noise shows by its first of a kind; a gigabyte is cut once.
	if !o.shapes.add(own, func() bool { return isNoise(line) }) {
		return
	}
	if o.groups == "" && strings.Contains(line, ",") && grouped.MatchString(line) {
		o.groups = line
	}
	o.dims = addDims(o.dims, own)
}

func isNoise(line string) bool {
	return slices.ContainsFunc(noise, func(re *regexp.Regexp) bool { return re.MatchString(line) })
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
