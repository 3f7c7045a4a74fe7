package gates

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/metric"
	"gpuci/gates/reader"
)

// ExitUnfit is EX_UNAVAILABLE of sysexits.h: a command cannot do its work on this
// machine.
const ExitUnfit = 69

// UnfitPrefix begins a line by which a command of a gate says why: gpuci:unfit there is
// no C++ compiler. Together with an exit status of 69 it makes the gate refused and not
// red: other programs end with 69 as well, and such a line alone may be of a command
// that found another way.
const UnfitPrefix = "gpuci:unfit"

// unfitTail is how much of the end of a command's output is looked at for that line:
// gpuci prints it last, and what was printed to the other stream may come behind it.
const unfitTail = 64 << 10

// cannot begins the finding.
const cannot = "it cannot do its work on this machine: "

// unfit is why a command that began at a place of the log could not do its work; "" if
// it did not say so.
func unfit(e ended, o *output, from int64) string {
	if e.why != byItself || e.Exit != ExitUnfit && e.Exit != notFound || e.Signal != "" {
		return ""
	}
	log := o.log
	if o.raw != nil {
		log = o.raw
	}
	text, err := readFrom(log.Name(), from)
	if err != nil {
		return "" // then it is a failure like any other
	}
	if e.Exit == notFound {
		return lacksDriver(text)
	}
	why := ""
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(reader.Plain(bytes.TrimRight(line, "\r\n")), []byte(UnfitPrefix))
		if words := bytes.TrimSpace(rest); ok && metric.Ends(rest) && len(words) > 0 {
			why = string(words)
		}
	}
	return why
}

// loaderSays is what the loaders of glibc and musl say, before they end with 127, of a
// program that needs a library of NVIDIA's driver: that is the machine's, and no build
// brings it along. Any other library that is missing may be what is wrong with the program.
var loaderSays = regexp.MustCompile(`(?m)(?:error while loading shared libraries: |Error loading shared library )` +
	`(lib(?:cuda|nvidia-[a-z0-9-]+|nvcuvid)\.so[.0-9]*): (?:cannot open shared object file: )?No such file`)

// lacksDriver is why a program could not start for want of the driver.
func lacksDriver(text []byte) string {
	found := loaderSays.FindSubmatch(text)
	if found == nil {
		return ""
	}
	return "a program of it needs " + string(found[1]) + ", which comes with NVIDIA's driver and is not here"
}

// readFrom reads a file from a place on, the last part of it where it is long.
func readFrom(path string, from int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from = max(from, info.Size()-unfitTail)
	return io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
}

// refuseUnfit refuses the gate for a command that cannot do its work here.
func (f *flow) refuseUnfit(e *ended) {
	f.refuse(cannot+e.unfit, "mend that, or run it on another machine: nothing was judged")
}

// settleUnfit lets what was found to be wrong stand: that a later command could not be
// run does not make it right.
func (f *flow) settleUnfit() {
	is := func(x Finding) bool { return x.Outcome == Refused && strings.HasPrefix(x.Text, cannot) }
	if !slices.ContainsFunc(f.v.Findings, func(x Finding) bool { return x.Outcome == Red }) {
		return
	}
	for _, x := range f.v.Findings {
		if is(x) {
			f.mark(x.Text)
		}
	}
	f.v.Findings = slices.DeleteFunc(f.v.Findings, is)
}
