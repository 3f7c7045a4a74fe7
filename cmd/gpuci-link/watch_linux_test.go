package main_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// receiveBuffer holds some 100,000 events: those of a -j20 build for as long
// as a loaded machine may keep the watcher from reading.
const receiveBuffer = 64 << 20

// errLost is the end of a watch: what it says can no longer be trusted.
var errLost = errors.New("events were lost")

// connector is a subscription to the fork, exec and exit events of every
// process of the machine (linux/cn_proc.h; CAP_NET_ADMIN in the first pid and
// user namespaces).
type connector struct {
	fd      int
	last    map[uint32]uint32 // by CPU: the number of its last message
	scratch []byte
}

// dialConnector subscribes and waits for the kernel's answer: outside the
// first namespaces the kernel takes the subscription, sends nothing, ever, and
// does not answer either.
func dialConnector() (*connector, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_CONNECTOR)
	if err != nil {
		return nil, fmt.Errorf("open proc connector: %w", err)
	}
	c := &connector{fd: fd, last: make(map[uint32]uint32), scratch: make([]byte, 64<<10)}
	if err := c.subscribe(); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return c, nil
}

func (c *connector) subscribe() error {
	if err := unix.Bind(c.fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: indexProc}); err != nil {
		return fmt.Errorf("bind proc connector: %w", err)
	}
	if err := unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer); err != nil {
		return fmt.Errorf("enlarge buffer of proc connector: %w", err)
	}
	patience := unix.Timeval{Usec: 20_000} // how soon a watch that is told to stop looks up
	if err := unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience); err != nil {
		return fmt.Errorf("set timeout of proc connector: %w", err)
	}
	const listen = 1
	nonce := uint32(os.Getpid())
	if err := unix.Sendto(c.fd, subscription(listen, nonce), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("subscribe to proc connector: %w", err)
	}
	return c.answered(nonce)
}

// subscription is the message that turns the events on for this socket.
func subscription(op, nonce uint32) []byte {
	m := make([]byte, eventAt+4)
	put := func(at int, v uint32) { binary.NativeEndian.PutUint32(m[at:], v) }
	put(0, uint32(len(m)))
	binary.NativeEndian.PutUint16(m[4:], unix.NLMSG_DONE)
	put(connectorAt, indexProc)
	put(connectorAt+4, valueProc)
	put(connectorAt+12, nonce)
	binary.NativeEndian.PutUint16(m[connectorAt+16:], 4) // bytes of the operation
	put(eventAt, op)
	return m
}

func (c *connector) answered(nonce uint32) error {
	for quiet := 0; quiet < 50; { // it answers before any later event: a second in which there is none
		events, err := c.receive()
		if err != nil {
			return err
		}
		if len(events) == 0 {
			quiet++
		}
		for _, e := range events {
			if e.kind == eventAck && e.ack == nonce+1 {
				if e.err != 0 {
					return fmt.Errorf("subscribe to proc connector: %w", unix.Errno(e.err))
				}
				return nil
			}
		}
	}
	return errors.New("subscribe to proc connector: the kernel does not answer (another pid or user namespace)")
}

// receive returns the next events; none when there were none for a moment.
// errLost when the kernel dropped one, by its own word or by its numbering.
func (c *connector) receive() ([]event, error) {
	n, err := c.read()
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return nil, nil
	case errors.Is(err, unix.ENOBUFS):
		return nil, fmt.Errorf("%w: the receive buffer of %d bytes overflowed", errLost, receiveBuffer)
	case err != nil:
		return nil, fmt.Errorf("read proc connector: %w", err)
	}
	events, err := parseEvents(c.scratch[:n])
	if err != nil {
		return nil, err
	}
	return events, c.whole(events)
}

// read is recv(2) without telling the Go runtime: a thread that is back from a
// call it was told of needs a lock of the runtime's, and whoever has that may
// stand in line with the compilers for 50 ms. The price is that the runtime
// cannot stop this thread for as long as the receive timeout.
func (c *connector) read() (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(c.fd), uintptr(unsafe.Pointer(&c.scratch[0])), uintptr(len(c.scratch)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// whole checks that no message of a CPU is missing between two of its others.
func (c *connector) whole(events []event) error {
	for _, e := range events {
		if e.cpu == noCPU {
			continue
		}
		if last, seen := c.last[e.cpu]; seen && e.seq != last+1 {
			return fmt.Errorf("%w: CPU %d numbered one %d and the next %d", errLost, e.cpu, last, e.seq)
		}
		c.last[e.cpu] = e.seq
	}
	return nil
}

func (c *connector) close() error { return unix.Close(c.fd) }
