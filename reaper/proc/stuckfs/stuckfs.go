// Package stuckfs is for tests: a FUSE file system whose files' content never
// comes, as that of a dead server.
package stuckfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// FS is such a file system, mounted for the length of a test.
type FS struct {
	Page string // a program file whose one page, once asked for, whoever maps it waits for
	Data string // a file whose readers wait in state D, and can be ended
	Dir  string // a directory, whose name ends as the kernel marks what is deleted

	dir   string
	dev   int
	asked chan struct{} // closed at the first read
	once  sync.Once
	opens [dataNode + 1]int
	held  bool // somebody has asked for the data's page, and it is locked
	mute  atomic.Bool
}

// The numbers are those of the kernel's include/uapi/linux/fuse.h.
const (
	opLookup  = 1
	opForget  = 2
	opGetattr = 3
	opOpen    = 14
	opRead    = 15
	opInit    = 26
	pageNode  = 2 // the root's is 1
	dataNode  = 3
	dirNode   = 4

	directIO  = 1 // FOPEN_DIRECT_IO
	keepCache = 2 // FOPEN_KEEP_CACHE: the open itself does not wait for the page
)

// Mount mounts one. The error says what is missing: root, or FUSE.
func Mount(t testing.TB) (*FS, error) {
	t.Helper()
	if unix.Geteuid() != 0 {
		return nil, errors.New("root")
	}
	dev, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/fuse: %w", err)
	}
	dir := t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", dev)
	if err := unix.Mount("stuck", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = unix.Close(dev)
		return nil, fmt.Errorf("a FUSE mount: %w", err)
	}
	f := &FS{Page: dir + "/page", Data: dir + "/data", Dir: dir + "/dir (deleted)", dir: dir, dev: dev, asked: make(chan struct{})}
	var served sync.WaitGroup
	served.Go(f.serve)
	t.Cleanup(func() {
		f.Release()
		served.Wait()
		_ = unix.Close(dev)
	})
	return f, nil
}

// Release unmounts by force: every reader gets an error.
func (f *FS) Release() {
	_ = unix.Unmount(f.dir, unix.MNT_FORCE)
	_ = unix.Unmount(f.dir, unix.MNT_DETACH)
}

// Silence lets the server answer nothing at all any more: who asks for a name or
// for a file's length waits, too, and in D from when the server has heard it.
func (f *FS) Silence() { f.mute.Store(true) }

// Reader starts a process that reads the file, in a directory and, with alone,
// in a session of its own, and returns when it is in state D. The first reader of
// all only asks for the page, in state S: it is not the one.
func (f *FS) Reader(t testing.TB, dir string, alone bool) *exec.Cmd {
	t.Helper()
	if !f.held {
		f.read(t, f.Data, t.TempDir(), true)
		f.held = true
		f.Await(t)
	}
	cmd := f.read(t, f.Data, dir, alone)
	for late := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the reader is not in state D")
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(rest, "D ") {
			return cmd
		}
	}
}

// Hold has a process ask for the page, which stays locked from then on.
func (f *FS) Hold(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(f.Page); err != nil {
		t.Fatal(err)
	}
	f.read(t, f.Page, t.TempDir(), false)
	f.Await(t)
}

// Await waits until a page was asked for.
func (f *FS) Await(t testing.TB) {
	t.Helper()
	select {
	case <-f.asked:
	case <-time.After(time.Minute):
		t.Fatal("nobody asked for the page")
	}
}

func (f *FS) read(t testing.TB, file, dir string, alone bool) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/cat", file)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: alone}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		f.Release() // who asked the server waits for its answer, killed or not
		_ = cmd.Wait()
	})
	return cmd
}

func (f *FS) serve() {
	buf := make([]byte, 128<<10)
	for {
		n, err := unix.Read(f.dev, buf)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ENOENT):
			continue // ENOENT: the request was taken back
		case err != nil || n < 40:
			return
		}
		f.answer(buf[:n])
	}
}

// answer handles one request: length 4, opcode 4, id 8, node 8, and more. A
// read has no answer.
func (f *FS) answer(in []byte) {
	op, node := binary.NativeEndian.Uint32(in[4:]), binary.NativeEndian.Uint64(in[16:])
	var body []byte
	status := int32(0)
	if f.mute.Load() {
		return
	}
	switch op {
	case opForget:
		return
	case opRead:
		f.once.Do(func() { close(f.asked) })
		return
	case opInit:
		body = make([]byte, 64)
		binary.NativeEndian.PutUint32(body, 7)
		binary.NativeEndian.PutUint32(body[4:], 31)
		binary.NativeEndian.PutUint32(body[20:], 4096) // max_write
	case opLookup:
		node = pageNode
		if bytes.HasPrefix(in[40:], []byte("data\x00")) {
			node = dataNode
		} else if bytes.HasPrefix(in[40:], []byte("dir (deleted)\x00")) {
			node = dirNode
		}
		body = make([]byte, 40) // valid for no time at all
		binary.NativeEndian.PutUint64(body, node)
		body = append(body, attributes(node)...)
	case opGetattr:
		body = append(make([]byte, 16), attributes(node)...)
	case opOpen:
		body = make([]byte, 16)
		node = min(node, dataNode)
		f.opens[node]++
		switch {
		case f.opens[node] == 1: // reads through the page cache
		case node == pageNode: // direct, so that mapping the file waits for the page that is being read
			binary.NativeEndian.PutUint32(body[8:], directIO|keepCache)
		default:
			binary.NativeEndian.PutUint32(body[8:], keepCache)
		}
	default:
		status = -int32(unix.ENOSYS)
	}
	out := make([]byte, 16, 16+len(body))
	binary.NativeEndian.PutUint32(out, uint32(16+len(body)))
	binary.NativeEndian.PutUint32(out[4:], uint32(status))
	copy(out[8:], in[8:16])
	_, _ = unix.Write(f.dev, append(out, body...))
}

// attributes is struct fuse_attr: 6 times 8 bytes, then 10 times 4.
func attributes(node uint64) []byte {
	a := make([]byte, 88)
	binary.NativeEndian.PutUint64(a, node)
	binary.NativeEndian.PutUint64(a[8:], 4096) // size
	mode := uint32(unix.S_IFREG | 0o755)
	if node != pageNode && node != dataNode {
		mode = unix.S_IFDIR | 0o755
	}
	binary.NativeEndian.PutUint32(a[60:], mode)
	binary.NativeEndian.PutUint32(a[64:], 1) // links
	return a
}
