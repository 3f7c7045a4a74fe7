package pressure

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Field case 13: the kernel has the files and answers every read of them with
// EOPNOTSUPP. A file system of our own does the same here.
func TestSwitchedOff(t *testing.T) {
	dir := mountOff(t)
	for of, got := range map[string]Reading{"the machine": Read(dir), "a cgroup": ReadCgroup(dir)} {
		for name, r := range map[string]Resource{"cpu": got.CPU, "io": got.IO, "memory": got.Memory, "irq": got.IRQ} {
			if r.Some != nil || r.Full != nil || !isOff(r.Unknown) {
				t.Errorf("%s of %s: %+v", name, of, r)
			}
		}
		if s := Between(got, got); s != (Span{From: got.Time, To: got.Time}) {
			t.Errorf("of %s is known: %+v", of, s)
		}
	}
}

func isOff(err error) bool {
	return errors.Is(err, unix.EOPNOTSUPP) && strings.Contains(err.Error(), "psi=1")
}

func TestWatchSwitchedOff(t *testing.T) {
	dir := mountOff(t)
	for _, polling := range []bool{false, true} {
		err := Watch(t.Context(), WatchOptions{Root: dir, Polling: polling}, func(e Event) { t.Errorf("told %+v", e) })
		if !isOff(err) {
			t.Errorf("polling %v: Watch = %v", polling, err)
		}
	}
}

func TestRecordSwitchedOff(t *testing.T) {
	off, on := mountOff(t), t.TempDir()
	write(t, on, map[string]string{"cpu": quiet, "io": quiet, "memory": quiet})
	for root, leaf := range map[string]string{off: "", on: off} {
		ctx, cancel := context.WithCancel(t.Context())
		var got Timeline
		err := Record(ctx, RecordOptions{
			Root: root, Every: shortest, Leaf: func() string { return leaf },
			Sink: func(p Point) { got = append(got, p); cancel() },
		})
		if !isOff(err) || len(got) != 1 {
			t.Errorf("Record = %v after %d steps", err, len(got))
		}
		text, err := json.Marshal(got[0])
		if err != nil || got[0].OwnIO != (Shares{}) || strings.Contains(string(text), "own-io") {
			t.Errorf("wrote %s, %v", text, err)
		}
		if known := root == on; got[0].IO.Full.Known != known || strings.Contains(string(text), "io-full") != known || (got.Summary().IOFull != nil) != known {
			t.Errorf("wrote %s of %s", text, root)
		}
	}
}

// mountOff mounts a FUSE file system for the length of the test, in which
// every name is a file and every read fails.
func mountOff(t *testing.T) (dir string) {
	t.Helper()
	if unix.Geteuid() != 0 {
		needs(t, "root")
	}
	dev, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		needs(t, "/dev/fuse: "+err.Error())
	}
	dir = t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", dev)
	if err := unix.Mount("off", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = unix.Close(dev)
		needs(t, "a FUSE mount: "+err.Error())
	}
	var served sync.WaitGroup
	served.Go(func() { serveOff(dev) })
	t.Cleanup(func() { // by force: that ends serveOff
		_ = unix.Unmount(dir, unix.MNT_FORCE)
		_ = unix.Unmount(dir, unix.MNT_DETACH)
		served.Wait()
		_ = unix.Close(dev)
	})
	return dir
}

// serveOff answers requests until the file system is unmounted. A request
// begins with its length (4 bytes), opcode (4), id (8) and node (8); an answer
// with its length, its error and the id.
func serveOff(dev int) {
	buf := make([]byte, 128<<10)
	for {
		n, err := unix.Read(dev, buf)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ENOENT):
			continue
		case err != nil || n < 40:
			return
		}
		op, node := binary.NativeEndian.Uint32(buf[4:]), binary.NativeEndian.Uint64(buf[16:])
		status, body, answered := answerOff(op, node)
		if !answered {
			continue
		}
		out := make([]byte, 16)
		binary.NativeEndian.PutUint32(out, uint32(len(out)+len(body)))
		binary.NativeEndian.PutUint32(out[4:], uint32(-int32(status)))
		copy(out[8:], buf[8:16])
		_, _ = unix.Write(dev, append(out, body...))
	}
}

// answerOff knows the few requests that opening and reading a file takes. The
// numbers and layouts are those of include/uapi/linux/fuse.h.
func answerOff(op uint32, node uint64) (status unix.Errno, body []byte, answered bool) {
	const forget, lookup, getattr, open, read, initialise, file = 2, 1, 3, 14, 15, 26, 2
	attributes := func(node uint64) []byte {
		a := make([]byte, 88)
		mode := uint32(unix.S_IFREG | 0o444)
		if node != file {
			mode = unix.S_IFDIR | 0o755
		}
		binary.NativeEndian.PutUint64(a, node)
		binary.NativeEndian.PutUint32(a[60:], mode)
		binary.NativeEndian.PutUint32(a[64:], 1) // links
		return a
	}
	switch op {
	case forget:
		return 0, nil, false
	case lookup:
		body = binary.NativeEndian.AppendUint64(nil, file)
		return 0, append(append(body, make([]byte, 32)...), attributes(file)...), true
	case getattr:
		return 0, append(make([]byte, 16), attributes(node)...), true
	case open:
		body = make([]byte, 16)
		body[8] = 1 // FOPEN_DIRECT_IO: a size of 0 does not end the reading
		return 0, body, true
	case read:
		return unix.EOPNOTSUPP, nil, true
	case initialise:
		body = make([]byte, 64)
		binary.NativeEndian.PutUint32(body, 7)         // major
		binary.NativeEndian.PutUint32(body[4:], 31)    // minor
		binary.NativeEndian.PutUint32(body[20:], 4096) // max_write
		return 0, body, true
	}
	return unix.ENOSYS, nil, true
}
