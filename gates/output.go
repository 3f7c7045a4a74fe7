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
	// blockSize is what is read from the child at once: a quarter of its
	// pipe, so that it goes on writing meanwhile.
	blockSize = 256 << 10
	// blocks is how many may be on their way from the child to the log and
	// to the judge; with two streams, 2 MiB in all.
	blocks = 8
)

// output takes what the commands of a phase print: whole to the log, live to
// the person who watches, line by line to the judge. The child, the log and
// the judge work side by side, and the memory that takes does not depend on
// how much is printed.
type output struct {
	log   *os.File
	raw   *os.File  // what the child printed, where log and person see the reader's text instead
	live  io.Writer // nil when nobody watches
	judge *judge    // nil while building

	last atomic.Int64 // unix nanoseconds of the last output
	held atomic.Bool  // the person's side does not take what is shown

	free    chan []byte
	toWrite chan *block
	toJudge chan *block
	pumps   sync.WaitGroup
	done    chan struct{} // writer and judge are through

	errs  sync.Mutex // guards the next two
	fault error      // the first failure to write a log
	long  int        // lines that were looked at in part only
	lines [2]splitter
}

// block is a piece of one stream on its way through.
type block struct {
	stream reader.Stream
	data   []byte
	users  atomic.Int32 // writer and judge; the last one frees it
	end    bool         // the stream of this command has ended
}

// start gets the log and the judge to work.
func (o *output) start() {
	o.free = make(chan []byte, blocks)
	for range blocks {
		o.free <- nil // made when first needed
	}
	o.toWrite, o.toJudge, o.done = make(chan *block, blocks), make(chan *block, blocks), make(chan struct{})
	o.lines = [2]splitter{{out: o, stream: reader.Stdout}, {out: o, stream: reader.Stderr}}
	var both sync.WaitGroup
	both.Go(o.writeBlocks)
	both.Go(o.judgeBlocks)
	go func() { both.Wait(); close(o.done) }()
}

// finish waits until all that was read is written and judged. It gives up
// when the person presses Ctrl-C a second time: a stopped pager may never
// take the rest.
func (o *output) finish(hurry <-chan struct{}) {
	go func() {
		o.pumps.Wait()
		close(o.toWrite)
		close(o.toJudge)
	}()
	select {
	case <-o.done:
	case <-hurry:
		select {
		case <-o.done:
		case <-time.After(time.Second):
			o.failed(errAbandoned)
		}
	}
}

// pump copies one stream until its end. An escapee can keep it open, so the
// caller bounds it by closing f.
func (o *output) pump(f *os.File, s reader.Stream) {
	defer o.pumps.Done()
	for {
		buf := <-o.free
		if buf == nil {
			buf = make([]byte, blockSize)
		}
		n, err := f.Read(buf)
		o.last.Store(time.Now().UnixNano())
		b := &block{stream: s, data: buf[:n], end: err != nil} // EOF; EIO from a terminal
		b.users.Store(2)
		o.toWrite <- b
		o.toJudge <- b
		if err != nil {
			return
		}
	}
}

func (o *output) release(b *block) {
	if b.users.Add(-1) == 0 {
		o.free <- b.data[:cap(b.data)]
	}
}

// writeBlocks writes the child's bytes to the log and shows them, in the order
// in which they were read from both streams.
func (o *output) writeBlocks() {
	for b := range o.toWrite {
		if o.raw != nil {
			o.write(o.raw, b.data)
		} else {
			o.write(o.log, b.data)
			o.show(b.data)
		}
		o.release(b)
	}
}

func (o *output) write(f *os.File, data []byte) {
	if len(data) == 0 || o.logFault() != nil {
		return
	}
	if _, err := f.Write(data); err != nil {
		o.failed(err)
	}
}

// show passes bytes on to the person. When nobody reads any more (a closed
// pipe), the gate goes on: its verdict is still wanted.
func (o *output) show(data []byte) {
	if o.live == nil || len(data) == 0 {
		return
	}
	o.held.Store(true)
	if _, err := o.live.Write(data); err != nil {
		o.live = nil
	}
	o.held.Store(false)
}

// judgeBlocks hands whole lines to the judge.
func (o *output) judgeBlocks() {
	for b := range o.toJudge {
		if o.judge != nil {
			o.lines[b.stream].take(b.data)
			if b.end {
				o.lines[b.stream].flush()
			}
		}
		o.release(b)
	}
}

// text is a line that the reader put in the child's place.
func (o *output) text(line []byte) {
	if o.raw == nil || line == nil {
		return
	}
	whole := append(bytes.Clone(line), '\n')
	o.write(o.log, whole)
	o.show(whole)
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
