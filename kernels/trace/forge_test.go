package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// forge writes the two files of a process as the library does: the head, blocks of 64
// events that each are of one thread, and a line for each name.
type forge struct {
	t        testing.TB
	head     rawHead
	lines    []string
	ids      map[string]uint32
	lanes    map[int][]byte
	threads  []int // in the order of their first event
	blocks   [][]byte
	now      time.Duration
	took     time.Duration // of each call
	thread   int
	stream   uint64
	memories uint32
	device   []byte // what cards did; its clock is the host's
	ties     uint32
}

var forgeBegan = time.Unix(1764500000, 0)

func newForge(t testing.TB) *forge {
	f := &forge{t: t, ids: map[string]uint32{}, lanes: map[int][]byte{}, thread: 1, stream: 7, took: time.Microsecond}
	f.head = rawHead{Head: headSize, Event: eventSize, PID: 4711, Parent: 1, Start: 99, Monotonic: 5e9, Real: uint64(forgeBegan.UnixNano()), CUPTI: 130001, Driver: 13000, State: uint32(Attached), EndedAt: 1}
	copy(f.head.Magic[:], magic)
	copy(f.head.Command[:], "python3")
	return f
}

// name gives the number of a line of the names file.
func (f *forge) name(kind, fields string) uint32 {
	key := kind + "\t" + fields
	if f.ids[key] == 0 {
		f.ids[key] = uint32(len(f.ids) + 1)
		f.lines = append(f.lines, fmt.Sprintf("%d\t%s", f.ids[key], key))
	}
	return f.ids[key]
}

func (f *forge) call(name string) uint32 { return f.name("C", name) }

func (f *forge) kernel(symbol string, grid int) uint32 {
	return f.name("K", fmt.Sprintf("0xf00\t%d,1,1\t128,1,1\t0\t%s", grid, symbol))
}

func (f *forge) graph(kernels int) uint32 {
	return f.name("G", fmt.Sprintf("0xe%d\t0x9\t%d,0,1", len(f.ids), kernels))
}

// event writes one now, and lets the time go by that the call takes.
func (f *forge) event(kind Kind, flags Flags, name uint32, value uint64, other uint32) {
	var b [eventSize]byte
	le := binary.LittleEndian
	le.PutUint64(b[:], f.head.Monotonic+uint64(f.now))
	if kind <= Handle {
		le.PutUint32(b[8:], uint32(f.took))
	}
	le.PutUint32(b[12:], name)
	le.PutUint64(b[16:], value)
	le.PutUint32(b[24:], other)
	le.PutUint16(b[28:], uint16(f.thread))
	b[30], b[31] = byte(flags), byte(kind)
	if f.lanes[f.thread] == nil {
		f.threads = append(f.threads, f.thread)
	}
	f.lanes[f.thread] = append(f.lanes[f.thread], b[:]...)
	if len(f.lanes[f.thread]) == blockSize*eventSize {
		f.blocks = append(f.blocks, f.lanes[f.thread])
		f.lanes[f.thread] = []byte{}
	}
	if kind <= Handle {
		f.now += f.took
	}
}

func (f *forge) launch(kernel uint32) { f.event(Launch, 0, kernel, f.stream, 1) }
func (f *forge) push(text string) {
	number := uint32(0)
	if m := atTheEnd.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[2])
		text, number = m[1], uint32(n)+1
	}
	f.event(Push, 0, f.name("T", text), 0, number)
}

// atTheEnd is a number that the library notes apart.
var atTheEnd = regexp.MustCompile(`^(.*\D)(0|[1-9]\d{0,8})$`)

func (f *forge) pop()                 { f.event(Pop, 0, 0, 0, 0) }
func (f *forge) wait(d time.Duration) { f.now += d }
func (f *forge) sync(d time.Duration) {
	f.longer(d, func() { f.event(Sync, 0, f.call("cuStreamSynchronize"), f.stream, 1) })
}
func (f *forge) copy(name string, n uint64) { f.event(Copy, 0, f.call(name), n, 1) }

func (f *forge) longer(d time.Duration, what func()) {
	was := f.took
	f.took = d
	what()
	f.took = was
}

func (f *forge) alloc(n uint64) uint32 {
	f.memories++
	f.event(Alloc, 0, f.call("cuMemAlloc_v2"), n, f.memories)
	return f.memories
}

func (f *forge) release(number uint32) { f.event(Release, 0, f.call("cuMemFree_v2"), 0, number) }

// ask has the thread's next call ask a card for something, and gives the number of that.
func (f *forge) ask() uint32 {
	f.ties++
	f.event(tie, 0, 0, 0, f.ties)
	return f.ties
}

// works notes what a card did: from when to when, since the process began. To 0: it had not ended.
func (f *forge) works(w Work) {
	f.head.Timed = 1
	f.device = append(f.device, f.workRecord(w)...)
}

func (f *forge) workRecord(w Work) []byte {
	var b [workSize]byte
	le := binary.LittleEndian
	le.PutUint64(b[:], f.head.Monotonic+uint64(w.Start))
	if w.End != 0 {
		le.PutUint64(b[8:], f.head.Monotonic+uint64(w.End))
	}
	le.PutUint32(b[24:], w.Tie)
	le.PutUint32(b[32:], w.Stream)
	le.PutUint16(b[40:], w.Card)
	b[42], b[43] = byte(w.Kind), byte(w.Way)
	return b[:]
}

// write puts the files into a directory.
func (f *forge) write(dir string) {
	f.t.Helper()
	var b bytes.Buffer
	for _, thread := range f.threads {
		if lane := f.lanes[thread]; len(lane) > 0 {
			f.blocks = append(f.blocks, append(lane, make([]byte, blockSize*eventSize-len(lane))...))
			f.lanes[thread] = []byte{}
		}
	}
	f.head.Claimed = uint64(len(f.blocks) * blockSize)
	_ = binary.Write(&b, binary.LittleEndian, f.head)
	b.Write(make([]byte, headSize-b.Len()))
	for _, block := range f.blocks {
		b.Write(block)
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%d", f.head.PID, f.head.Start))
	files := map[string][]byte{path + ".events": b.Bytes(), path + ".names": []byte(strings.Join(f.lines, "\n") + "\n")}
	if f.head.Timed == 1 {
		files[path+".device"] = f.device
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
}

// report is what a directory with it alone comes to.
func (f *forge) report(how Counting) Report {
	f.t.Helper()
	dir := f.t.TempDir()
	f.write(dir)
	return reportIn(f.t, dir, how)
}

func reportIn(t testing.TB, dir string, how Counting) Report {
	t.Helper()
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	report, err := NewReport(t.Context(), r, nil, how)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// stage is the one of a name of the first process.
func (r Report) stage(t testing.TB, name string) *StageReport {
	t.Helper()
	for i := range r.Processes[0].Stages {
		if s := &r.Processes[0].Stages[i]; s.Name == name {
			return s
		}
	}
	t.Fatalf("no stage %q in %+v", name, r.Processes[0].Stages)
	return nil
}

// finding is the first one of a kind; its text is "" where there is none.
func (r Report) finding(kind string) string {
	for _, f := range r.Processes[0].Findings {
		if f.Kind == kind {
			return f.Text
		}
	}
	return ""
}
