package pressure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Real is the directory of this machine's pressure files.
const Real = "/proc/pressure"

// Reading is one look at a directory of pressure files.
type Reading struct {
	Time   time.Time
	CPU    Resource
	IO     Resource
	Memory Resource
	IRQ    Resource // only Full, and only where the kernel accounts for interrupts (Linux 6.1)
}

// Resource is the pressure on one resource. Where nothing is known of it, both
// levels are nil and Unknown says why.
type Resource struct {
	Some    *Level // some tasks waited
	Full    *Level // all tasks that were not idle waited at once; of CPU not before Linux 5.13
	Unknown error
}

// Level is one line of a pressure file.
type Level struct {
	Avg10  float64       // percent of the last 10 seconds
	Avg60  float64       // percent of the last minute
	Avg300 float64       // percent of the last five minutes
	Total  time.Duration // waited since boot; the kernel counts microseconds
}

// Read reads the files cpu, io, memory and irq of a directory, which is Real but
// in tests. It does not fail: each resource says for itself whether it is known.
func Read(root string) Reading { return readAll(root, "") }

// ReadCgroup reads the files cpu.pressure, io.pressure, memory.pressure and
// irq.pressure of a cgroup v2 directory: what its own members waited.
func ReadCgroup(dir string) Reading { return readAll(dir, ".pressure") }

func readAll(dir, suffix string) Reading {
	file := func(name string) Resource { return readFile(filepath.Join(dir, name+suffix)) }
	r := Reading{
		CPU: file("cpu"), IO: file("io"), Memory: file("memory"), IRQ: file("irq"),
		Time: time.Now(), // the totals are from the moment before, not after
	}
	if (r.IO.Unknown == nil || r.CPU.Unknown == nil) && errors.Is(r.IRQ.Unknown, fs.ErrNotExist) {
		r.IRQ.Unknown = errNoIRQ
	}
	return r
}

// errNoIRQ says why a kernel that tells the rest tells nothing of interrupts.
var errNoIRQ = errors.New("this kernel does not tell it (CONFIG_IRQ_TIME_ACCOUNTING, Linux 6.1)")

// maxFile bounds what is read of one file, in bytes. The kernel writes about
// 120; whatever is longer is not a pressure file.
const maxFile = 4096

func readFile(path string) Resource {
	data, err := readUpTo(path, maxFile)
	if err != nil {
		return Resource{Unknown: reason(path, err)}
	}
	r, err := Parse(data)
	if err != nil {
		return Resource{Unknown: fmt.Errorf("read %s: %w", path, err)}
	}
	return r
}

// readUpTo does not hang on a FIFO that somebody put in a file's place.
func readUpTo(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path) // a FIFO that somebody writes to would hold us
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// reason says what a file that cannot be read means, and what to do about it.
// An error names its file already.
func reason(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) && misnamed(filepath.Dir(path)):
		return fmt.Errorf("%w: there is no such directory of pressure files (root= comes last in GPUCI_PRESSURE)", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: this kernel has no pressure stall information (CONFIG_PSI, Linux 4.20)", err)
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%w: pressure stall information is switched off; boot with psi=1", err)
	}
	return err
}

// misnamed says that a directory of pressure files is not the kernel's and not
// there.
func misnamed(dir string) bool {
	if dir == Real {
		return false
	}
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}
