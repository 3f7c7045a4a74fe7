package pressure

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// bell is what Watch sleeps on. Until the time that it is given, nothing wakes
// it but a trigger that fires and the end of its context: no ticker, and one
// goroutine for all of them.
type bell struct {
	over     int // an eventfd, written to when the context ends
	triggers []trigger
	release  func()
}

func newBell(ctx context.Context) (*bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make an eventfd: %w", err)
	}
	rung := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(rung)
		_, _ = unix.Write(fd, binary.NativeEndian.AppendUint64(nil, 1))
	})
	return &bell{over: fd, release: func() {
		if !stop() { // it writes: not to a number that means another file by then
			<-rung
		}
		_ = unix.Close(fd)
	}}, nil
}

// arm arms a trigger for each resource that is known, or none.
func (b *bell) arm(root string, limits Limits, now Reading) error {
	for _, resource := range watched() {
		level, err := now.level(resource)
		if err != nil {
			continue
		}
		t, err := armTrigger(root, resource, limits.of(resource), level)
		if err != nil {
			b.disarm()
			return err
		}
		b.triggers = append(b.triggers, t)
	}
	return nil
}

func (b *bell) disarm() {
	for _, t := range b.triggers {
		_ = unix.Close(t.file)
	}
	b.triggers = nil
}

func (b *bell) close() {
	b.disarm()
	b.release()
}

// wait returns the triggers that fired, none at the given time (the zero time
// never comes) and when the context is over. After an error they are of no use.
func (b *bell) wait(until time.Time) (fired []trigger, err error) {
	fds := []unix.PollFd{{Fd: int32(b.over), Events: unix.POLLIN}}
	for _, t := range b.triggers {
		fds = append(fds, unix.PollFd{Fd: int32(t.file), Events: unix.POLLPRI})
	}
	for {
		_, err = unix.Poll(fds, milliseconds(until))
		if !errors.Is(err, unix.EINTR) { // the runtime's own signals
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("poll the triggers: %w", err)
	}
	for i, t := range b.triggers {
		got := fds[i+1].Revents
		if got&(unix.POLLERR|unix.POLLNVAL) != 0 { // a dead one is always ready
			return nil, fmt.Errorf("the trigger on %s is dead: its file is gone", t.resource)
		}
		if got&unix.POLLPRI != 0 {
			fired = append(fired, t)
		}
	}
	return fired, nil
}

// milliseconds is the time until then, rounded up so that it has come when the
// wait ends; -1 is for ever.
func milliseconds(until time.Time) int {
	if until.IsZero() {
		return -1
	}
	left := max(0, time.Until(until))
	return int(min(math.MaxInt32, (left+time.Millisecond-1)/time.Millisecond))
}
