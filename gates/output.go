package gates

import (
	"bytes"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gpuci/gates/reader"
	"gpuci/kernels/trace"
)

const (
	// blockSize is what is read from the child at once: all that its pipe
	// holds. On two cores, fewer and larger blocks save more in switches
	// between the four at work than they lose in waiting.
	blockSize = pipeSize
	// blocks is how many may be on their way from the child to the log, the
	// judge and the person; 6 MiB in all.
	blocks = 6
	// heldTime is how long a person who has stopped reading is waited for
	// once the commands have ended.
	heldTime = 2 * time.Second
)

// output takes what the commands of a phase print: whole to the log, live to
// the person who watches, line by line to the judge. The child and these three
// work side by side, and the memory that takes does not depend on how much is
// printed.
type output struct {
	log   *os.File
	raw   *os.File  // what the child printed, where log and person see the reader's text instead
	live  io.Writer // nil when nobody watches
	judge *judge    // nil while building

	last  atomic.Int64 // unix nanoseconds of the last output
	held  atomic.Bool  // the person's side is being waited for
	deaf  atomic.Bool  // and is not waited for any more
	taken atomic.Int64 // blocks it has taken

	pumped atomic.Int64 // bytes that the commands have printed

	free    chan []byte
	toWrite chan *block
	toJudge chan *block
	toShow  chan *block
	pumps   sync.WaitGroup
	kept    chan struct{} // log and judge are through
	shown   chan struct{} // the person has it all

	steps [2]*trace.Cutter // who looks at each stream for steps as it comes; nil for nobody

	errs  sync.Mutex // guards the next two
	fault error      // the first failure to write a log
	long  int        // lines that were looked at in part only
	lines [2]splitter
}

// block is a piece of one stream on its way through.
type block struct {
	stream reader.Stream
	data   []byte
	users  atomic.Int32 // who still reads data; the last one frees it
	owned  bool         // data is one of the free buffers
	end    bool         // the stream of this command has ended
	next   bool         // another command begins

	reader reader.Reader // of the command that begins now
}

// start gets the log, the judge and the person to work.
func (o *output) start() {
	o.free = make(chan []byte, blocks)
	for range blocks {
		o.free <- nil // made when first needed
	}
	o.toWrite, o.toJudge = make(chan *block, blocks), make(chan *block, blocks)
	// The judge's own texts go to the person too, and it must never wait long.
	o.toShow = make(chan *block, blocks)
	o.kept, o.shown = make(chan struct{}), make(chan struct{})
	o.lines = [2]splitter{{out: o, stream: reader.Stdout}, {out: o, stream: reader.Stderr}}
	var both sync.WaitGroup
	both.Go(o.writeBlocks)
	both.Go(o.judgeBlocks)
	go func() { both.Wait(); close(o.kept); close(o.toShow) }()
	go func() { o.showBlocks(); close(o.shown) }()
}

// finish waits until all that was read is written, judged and shown. A person
// who has stopped reading is not waited for for ever: the log has it all.
func (o *output) finish(hurry <-chan struct{}) {
	go func() {
		o.pumps.Wait()
		close(o.toWrite)
		close(o.toJudge)
	}()
	if !o.waitShown(hurry) {
		o.deafen()
		<-o.kept
	}
}

// waitShown waits for the person as long as anything is still taken.
func (o *output) waitShown(hurry <-chan struct{}) bool {
	for taken := int64(-1); ; taken = o.taken.Load() {
		select {
		case <-o.shown:
			return true
		case <-hurry:
			return false
		case <-time.After(heldTime):
			if o.held.Load() && o.taken.Load() == taken {
				return false
			}
		}
	}
}

// deafen gives up on the person: what waits to be shown is dropped.
func (o *output) deafen() {
	if o.deaf.Swap(true) {
		return
	}
	go func() {
		for b := range o.toShow {
			o.release(b)
		}
	}()
}

// drainTime bounds the wait for the rest of the output once everything the
// command started is gone; only a process we could not end still has it open.
const drainTime = time.Second

// drain waits for what is still in the command's pipes. Where the person holds
// it up, it goes to the log alone.
func (o *output) drain(done <-chan struct{}, hurry <-chan struct{}) {
	select {
	case <-done:
		return
	case <-hurry:
	case <-time.After(drainTime):
	}
	if o.held.Load() {
		o.deafen()
		select {
		case <-done:
		case <-time.After(drainTime):
		}
	}
}

// pump copies one stream until its end. An escapee can keep it open, so the
// caller bounds it by closing f.
func (o *output) pump(f *os.File, s reader.Stream) {
	defer o.pumps.Done()
	read, done := o.reading(f, s)
	defer done()
	for {
		buf := <-o.free
		if buf == nil {
			buf = make([]byte, blockSize)
		}
		n, came, err := read(buf)
		o.last.Store(time.Now().UnixNano())
		o.pumped.Add(int64(n))
		o.step(s, buf[:n], came, err != nil)
		b := &block{stream: s, data: buf[:n], owned: true, end: err != nil} // EOF; EIO from a terminal
		b.users.Store(3)
		o.toWrite <- b
		o.toJudge <- b
		if o.raw == nil && !o.deaf.Load() {
			o.toShow <- b
		} else {
			o.release(b)
		}
		if err != nil {
			return
		}
	}
}

// reading is how a stream is read; where somebody looks for steps, it is to be known when
// what comes was written.
func (o *output) reading(f *os.File, s reader.Stream) (read func([]byte) (int, trace.Came, error), done func()) {
	if o.steps[s] != nil {
		l := trace.Listen(f)
		return l.Read, l.Close
	}
	return func(buf []byte) (int, trace.Came, error) {
		n, err := f.Read(buf)
		return n, trace.Came{}, err
	}, func() {}
}

// step has somebody look for steps in what came.
func (o *output) step(s reader.Stream, data []byte, came trace.Came, end bool) {
	c := o.steps[s]
	if c == nil {
		return
	}
	if c.Add(data, came); end {
		c.End()
	}
}

func (o *output) release(b *block) {
	if b.users.Add(-1) == 0 && b.owned {
		o.free <- b.data[:cap(b.data)]
	}
}

// writeBlocks writes the child's bytes to a log, in the order in which they
// were read from both streams.
func (o *output) writeBlocks() {
	log := o.log
	if o.raw != nil {
		log = o.raw
	}
	for b := range o.toWrite {
		o.write(log, b.data)
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

// showBlocks passes bytes on to the person. When nobody reads any more (a
// closed pipe), the gate goes on: its verdict is still wanted.
func (o *output) showBlocks() {
	gone := o.live == nil
	for b := range o.toShow {
		if !gone && len(b.data) > 0 {
			o.held.Store(true)
			_, err := o.live.Write(b.data)
			gone = err != nil
			o.held.Store(false)
			o.taken.Add(1)
		}
		o.release(b)
	}
}

// judgeBlocks hands whole lines to the judge.
func (o *output) judgeBlocks() {
	for b := range o.toJudge {
		switch {
		case o.judge == nil:
		case b.reader != nil:
			o.judge.command(b.reader)
		case b.next:
			o.judge.nextCommand()
		default:
			o.lines[b.stream].take(b.data)
			if b.end {
				o.lines[b.stream].flush()
			}
		}
		o.release(b)
	}
}

// command tells the judge who reads what comes.
func (o *output) command(r reader.Reader) {
	b := &block{reader: r}
	b.users.Store(1)
	o.toJudge <- b
}

// nextCommand tells the judge that what comes is another command's.
func (o *output) nextCommand() {
	b := &block{next: true}
	b.users.Store(1)
	o.toJudge <- b
}

// text is a line that the reader put in the child's place.
func (o *output) text(line []byte) {
	if o.raw == nil || line == nil {
		return
	}
	b := &block{data: append(bytes.Clone(line), '\n')}
	b.users.Store(1)
	o.write(o.log, b.data)
	if !o.deaf.Load() {
		o.toShow <- b
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
