package buildlock

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	linksFile   = "links"   // the machine's number of links at a time
	counterFile = "counter" // the last number given in a queue
	digits      = 20        // of a number in a file, so that writing one anew never changes the size
	maxLinks    = 1024
)

// Links reads how many links may run at a time on this machine: the number in
// the lock directory's file, 1 when there is none.
func Links(dir string) (int, error) {
	d, err := openDirectory(orDefault(dir))
	if err != nil {
		return 0, err
	}
	defer d.close()
	return d.links()
}

// links believes a file that root or the directory's owner wrote and nobody
// else can write to: everybody makes files here, and more links than the
// machine can bear are everybody's trouble.
func (d directory) links() (int, error) {
	var file, dir unix.Stat_t
	err := unix.Fstatat(d.fd, linksFile, &file, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil {
		err = unix.Fstat(d.fd, &dir)
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return 1, nil
	case err != nil:
		return 0, unfit(d.path, err)
	case file.Uid != 0 && file.Uid != dir.Uid, file.Mode&0o022 != 0:
		return 1, nil
	}
	n, err := d.number(linksFile)
	switch {
	case errors.Is(err, unix.ENOENT):
		return 1, nil
	case err != nil:
		return 0, unfit(d.path, err)
	case n < 1 || n > maxLinks:
		return 1, nil // somebody's mistake lowers, it does not unlock
	}
	return int(n), nil
}

// SetLinks writes down how many links may run at a time: the number of the
// machine's own file, 1 where it has none. Shims only read it. Root and the
// owner of the directory can; for others the number stays what it is, and that
// is no error.
func SetLinks(dir string, n int) error {
	if n < 1 || n > maxLinks {
		return fmt.Errorf("links is 1 to %d, not %d", maxLinks, n)
	}
	d, err := openDirectory(orDefault(dir))
	if err != nil {
		return err
	}
	defer d.close()
	if now, err := d.links(); err == nil && now == n {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return unfit(d.path, err)
	}
	if uid := uint32(os.Geteuid()); uid != 0 && uid != st.Uid {
		return nil
	}
	if err := d.writeLinks(n); err != nil {
		return unfit(d.path, fmt.Errorf("write the number of links: %w", err))
	}
	return nil
}

// writeLinks replaces the file as a whole.
func (d directory) writeLinks(n int) error {
	f, err := d.fresh()
	if err != nil {
		return err
	}
	if _, err = f.WriteString(padded(uint64(n))); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = unix.Renameat(d.fd, f.tmp, d.fd, linksFile)
	}
	if err != nil {
		f.drop()
		return err
	}
	return f.Close()
}

// number reads a file that holds one number. What is no number is 0.
func (d directory) number(name string) (uint64, error) {
	f, err := d.open(name, unix.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, digits+1)
	n, err := f.ReadAt(buf, 0)
	if n == 0 && err != nil && !isEOF(err) {
		return 0, err
	}
	v, err := strconv.ParseUint(string(bytes.TrimSpace(buf[:n])), 10, 64)
	if err != nil {
		return 0, nil
	}
	return v, nil
}

// setNumber writes a number over the one in the file.
func (d directory) setNumber(name string, v uint64) error {
	f, err := d.open(name, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte(padded(v)), 0)
	return err
}

func padded(v uint64) string {
	s := strconv.FormatUint(v, 10)
	for len(s) < digits {
		s = "0" + s
	}
	return s + "\n"
}
