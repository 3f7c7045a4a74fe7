//go:build linux

package main_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// The kinds of struct proc_event (linux/cn_proc.h) the watcher reads; the
// others (uid, sid, comm, ptrace, …) are counted for loss and passed over.
const (
	eventAck  = 0x00000000
	eventFork = 0x00000001
	eventExec = 0x00000002
	eventExit = 0x80000000
)

// Offsets into one message of the connector: struct nlmsghdr, struct cn_msg,
// struct proc_event.
const (
	connectorAt = unix.SizeofNlMsghdr
	eventAt     = connectorAt + 20
	dataAt      = eventAt + 16
)

// The connector's number for process events (CN_IDX_PROC, CN_VAL_PROC), which
// is also their multicast group.
const indexProc, valueProc = 1, 1

// noCPU is what the kernel's answer to a subscription carries as its CPU.
const noCPU = 0xffffffff

var errShort = errors.New("message of the proc connector is cut short")

// event is one message of the kernel's proc connector.
type event struct {
	kind     uint32
	cpu, seq uint32 // seq counts the messages of one CPU
	at       uint64 // nanoseconds of the monotonic clock
	parent   int    // of a fork: the process that forked
	pid, tid int    // the process, and the thread of it (the same for the first one)
	ack, err uint32 // of an answer to our subscription
}

// parseEvents reads one datagram, which may hold several messages.
func parseEvents(datagram []byte) ([]event, error) {
	var all []event
	for rest := datagram; len(rest) > 0; {
		if len(rest) < dataAt {
			return all, errShort
		}
		size := int(binary.NativeEndian.Uint32(rest))
		if size < dataAt || size > len(rest) {
			return all, fmt.Errorf("message says %d of %d bytes: %w", size, len(rest), errShort)
		}
		e, err := parseEvent(rest[:size])
		if err != nil {
			return all, err
		}
		all = append(all, e)
		aligned := (size + unix.NLMSG_ALIGNTO - 1) &^ (unix.NLMSG_ALIGNTO - 1)
		rest = rest[min(aligned, len(rest)):]
	}
	return all, nil
}

func parseEvent(m []byte) (event, error) {
	word := func(at int) uint32 { return binary.NativeEndian.Uint32(m[at:]) }
	e := event{
		kind: word(eventAt), cpu: word(eventAt + 4), at: binary.NativeEndian.Uint64(m[eventAt+8:]),
		seq: word(connectorAt + 8), ack: word(connectorAt + 12),
	}
	switch data := len(m) - dataAt; {
	case e.kind == eventAck && data >= 4:
		e.err = word(dataAt)
	case e.kind == eventFork && data >= 16:
		e.parent, e.tid, e.pid = int(word(dataAt+4)), int(word(dataAt+8)), int(word(dataAt+12))
	case (e.kind == eventExec || e.kind == eventExit) && data >= 8:
		e.tid, e.pid = int(word(dataAt)), int(word(dataAt+4))
	case e.kind == eventAck || e.kind == eventFork || e.kind == eventExec || e.kind == eventExit:
		return e, errShort
	}
	return e, nil
}

// message builds what parseEvents reads.
func message(kind, cpu, seq uint32, at uint64, data ...uint32) []byte {
	m := make([]byte, dataAt, dataAt+4*len(data))
	put := func(at int, v uint32) { binary.NativeEndian.PutUint32(m[at:], v) }
	put(0, uint32(dataAt+4*len(data)))
	put(connectorAt, indexProc)
	put(connectorAt+4, valueProc)
	put(connectorAt+8, seq)
	put(eventAt, kind)
	put(eventAt+4, cpu)
	binary.NativeEndian.PutUint64(m[eventAt+8:], at)
	for _, v := range data {
		m = binary.NativeEndian.AppendUint32(m, v)
	}
	return m
}

func TestWatchParsesEvents(t *testing.T) {
	two := append(message(eventFork, 1, 7, 99, 10, 11, 12, 13), message(eventExit, 0, 8, 100, 12, 13, 0, 9)...)
	all, err := parseEvents(two)
	if err != nil || len(all) != 2 {
		t.Fatalf("parseEvents = %v, %v", all, err)
	}
	if want := (event{kind: eventFork, cpu: 1, seq: 7, at: 99, parent: 11, tid: 12, pid: 13}); all[0] != want {
		t.Errorf("fork read as %+v, want %+v", all[0], want)
	}
	if want := (event{kind: eventExit, seq: 8, at: 100, tid: 12, pid: 13}); all[1] != want {
		t.Errorf("exit read as %+v, want %+v", all[1], want)
	}
	if _, err := parseEvents(two[:len(two)-9]); !errors.Is(err, errShort) {
		t.Errorf("a datagram cut short gave %v", err)
	}
}

func FuzzWatchEvents(f *testing.F) {
	f.Add(message(eventFork, 1, 7, 99, 10, 11, 12, 13))
	f.Add(message(eventExec, 0, 1, 1, 5, 5))
	f.Add(append(message(eventExit, 0, 8, 100, 12, 13, 0, 9), 0, 0, 0))
	f.Add(message(eventAck, noCPU, 0, 0, 0))
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, datagram []byte) {
		all, err := parseEvents(datagram)
		if err == nil && len(all) > len(datagram)/dataAt {
			t.Errorf("%d events out of %d bytes", len(all), len(datagram))
		}
	})
}
