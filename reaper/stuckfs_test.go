package reaper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// stuckFS is a FUSE file system with one file, "page", whose content never
// comes: the dead server that puts its readers in D. The first open reads
// through the page cache, later ones are direct, which makes mapping the file
// wait for the pages that are being read.
type stuckFS struct {
	dir   string
	path  string // of the file
	dev   int
	asked chan struct{} // closed at the first read
	once  sync.Once
	opens int
}

// The numbers are those of the kernel's include/uapi/linux/fuse.h.
const (
	fuseLookup  = 1
	fuseForget  = 2
	fuseGetattr = 3
	fuseOpen    = 14
	fuseRead    = 15
	fuseInit    = 26

	fuseDirectIO  = 1 // FOPEN_DIRECT_IO
	fuseKeepCache = 2 // FOPEN_KEEP_CACHE: the open itself does not wait for the pages
	fuseFile      = 2 // our file's node; the root's is 1
)

// mountStuck mounts it for the length of the test. The caller defers release,
// so that what hangs on it can end before it is waited for.
func mountStuck(t *testing.T) *stuckFS {
	t.Helper()
	if unix.Geteuid() != 0 {
		needs(t, "root")
	}
	dev, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		needs(t, "/dev/fuse: "+err.Error())
	}
	dir := t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", dev)
	if err := unix.Mount("stuck", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = unix.Close(dev)
		needs(t, "a FUSE mount: "+err.Error())
	}
	f := &stuckFS{dir: dir, path: dir + "/page", dev: dev, asked: make(chan struct{})}
	var served sync.WaitGroup
	served.Go(f.serve)
	t.Cleanup(func() {
		f.release()
		served.Wait()
		_ = unix.Close(dev)
	})
	return f
}

// release unmounts by force: that aborts the connection, every waiter gets an
// error, and so does serve.
func (f *stuckFS) release() {
	_ = unix.Unmount(f.dir, unix.MNT_FORCE)
	_ = unix.Unmount(f.dir, unix.MNT_DETACH)
}

func (f *stuckFS) serve() {
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

// answer handles one request: length 4, opcode 4, id 8, node 8, and more.
func (f *stuckFS) answer(in []byte) {
	op, node := binary.NativeEndian.Uint32(in[4:]), binary.NativeEndian.Uint64(in[16:])
	var body []byte
	status := int32(0)
	switch op {
	case fuseForget:
		return
	case fuseRead:
		f.once.Do(func() { close(f.asked) })
		return
	case fuseInit:
		body = make([]byte, 64)
		binary.NativeEndian.PutUint32(body, 7)
		binary.NativeEndian.PutUint32(body[4:], 31)
		binary.NativeEndian.PutUint32(body[20:], 4096) // max_write
	case fuseLookup:
		body = make([]byte, 40) // valid for no time at all
		binary.NativeEndian.PutUint64(body, fuseFile)
		body = append(body, attributes(fuseFile)...)
	case fuseGetattr:
		body = append(make([]byte, 16), attributes(node)...)
	case fuseOpen:
		body = make([]byte, 16)
		if f.opens++; f.opens > 1 {
			binary.NativeEndian.PutUint32(body[8:], fuseDirectIO|fuseKeepCache)
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
	if node != fuseFile {
		mode = unix.S_IFDIR | 0o755
	}
	binary.NativeEndian.PutUint32(a[60:], mode)
	binary.NativeEndian.PutUint32(a[64:], 1) // links
	return a
}

// hold has a process ask for the file's one page, which stays locked from then
// on.
func (f *stuckFS) hold(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(f.path); err != nil {
		t.Fatal(err)
	}
	cat := exec.Command("/bin/cat", f.path)
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cat.Process.Kill()
		_ = cat.Wait()
	})
	select {
	case <-f.asked:
	case <-soon(t).Done():
		t.Fatal("nobody asked for the page")
	}
}
