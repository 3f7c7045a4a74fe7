package gates

import (
	"bytes"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gpuci/gates/reader"
)

const (
	// chunk is what is read from the child at once. A pipe holds up to
	// 1 MiB after widen; a quarter of it keeps the child writing.
	chunk = 256 << 10
	// maxLine is how much of one line is looked at. The log has all of it.
	maxLine = 256 << 10
)

// output takes what a command prints: whole to the log, live to the person
// who watches, line by line to the judge. Its memory does not depend on how
// much that is.
type output struct {
	log    *os.File
	live   io.Writer // nil when nobody watches
	judge  *judge    // nil while building
	rewrit bool      // log and person see the reader's text, the raw log the child's

	last    atomic.Int64 // unix nanoseconds of the last output
	held    atomic.Bool  // the person's side does not take what is shown
	mu      sync.Mutex
	raw     *os.File // with rewrit: what the child really printed
	logErr  error    // the first failure to write the log
	long    int      // lines longer than maxLine
	streams [2]splitter
}

// splitter holds the start of a line whose end has not come yet.
type splitter struct {
	carry []byte
	over  bool // the line is longer than maxLine: its rest is dropped
}

// pump copies one stream until its end. An escapee can keep it open, so the
// caller bounds it by closing f.
func (o *output) pump(f *os.File, s reader.Stream) {
	buf := make([]byte, chunk)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			o.take(s, buf[:n])
		}
		if err != nil { // EOF; EIO from a terminal whose other side is closed
			o.flush(s)
			return
		}
	}
}

func (o *output) take(s reader.Stream, data []byte) {
	o.last.Store(time.Now().UnixNano())
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.rewrit {
		o.write(o.log, data)
		o.show(data)
	} else if o.raw != nil {
		o.write(o.raw, data)
	}
	if o.judge != nil {
		o.split(s, data)
	}
}

func (o *output) write(f *os.File, data []byte) {
	if o.logErr == nil {
		_, o.logErr = f.Write(data)
	}
}

// show passes bytes on to the person. When nobody reads any more (a closed
// pipe), the gate goes on: its verdict is still wanted.
func (o *output) show(data []byte) {
	if o.live == nil {
		return
	}
	o.held.Store(true)
	if _, err := o.live.Write(data); err != nil {
		o.live = nil
	}
	o.held.Store(false)
}

func (o *output) split(s reader.Stream, data []byte) {
	sp := &o.streams[s]
	if len(sp.carry) > 0 || sp.over {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			o.keep(sp, data)
			return
		}
		o.keep(sp, data[:i])
		o.line(s, sp.carry, false)
		sp.carry, sp.over = sp.carry[:0], false
		data = data[i+1:]
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	quiet := !o.rewrit && o.judge.quiet(data[:end])
	if !quiet || o.judge.counts() {
		for rest := data[:end]; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			o.line(s, rest[:i], quiet)
			rest = rest[i+1:]
		}
	}
	o.keep(sp, data[end:])
}

func (o *output) keep(sp *splitter, part []byte) {
	if room := maxLine - len(sp.carry); len(part) > room {
		if !sp.over {
			o.long++
		}
		part, sp.over = part[:room], true
	}
	sp.carry = append(sp.carry, part...)
}

func (o *output) line(s reader.Stream, line []byte, quiet bool) {
	if len(line) > maxLine {
		line = line[:maxLine]
		o.long++
	}
	text := o.judge.line(s, line, quiet)
	if !o.rewrit || text == nil {
		return
	}
	o.write(o.log, text)
	o.write(o.log, newline)
	o.show(text)
	o.show(newline)
}

var newline = []byte{'\n'}

// flush hands over a last line that has no newline.
func (o *output) flush(s reader.Stream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if sp := &o.streams[s]; o.judge != nil && len(sp.carry) > 0 {
		o.line(s, sp.carry, false)
		sp.carry, sp.over = nil, false
	}
}

// quietFor is the time since the last output. While a pager or a stopped
// terminal does not take what was printed, the child is held up by us, and
// that is no quiet of its own.
func (o *output) quietFor(now time.Time) time.Duration {
	if o.held.Load() {
		return 0
	}
	return now.Sub(time.Unix(0, o.last.Load()))
}
