package pressure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// RealMemory is where the kernel tells what its memory is used for.
const RealMemory = "/proc/meminfo"

// Memory is what the machine's memory is used for, in bytes, of
// proc_meminfo(5). Dirty and Writeback are what the disk has yet to take: they
// keep it busy after their writer has gone.
type Memory struct {
	Total     int64
	Available int64 // for new work without swapping, by the kernel's estimate
	Dirty     int64 // to be written
	Writeback int64 // being written
	SwapTotal int64
	SwapFree  int64
}

// ReadMemory reads a file such as RealMemory. It is read here, and not by a
// library, because a link reads it too: a shim starts in a millisecond.
func ReadMemory(path string) (Memory, error) {
	data, err := readUpTo(path, maxMeminfo)
	if err != nil {
		return Memory{}, err
	}
	m, err := ParseMemory(data)
	if err != nil {
		return Memory{}, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

// maxMeminfo bounds what is read, in bytes; the kernel writes about 1500.
const maxMeminfo = 64 << 10

// ParseMemory parses the content of /proc/meminfo. MemTotal and MemAvailable
// must be there; lines it does not know are passed over.
func ParseMemory(data []byte) (Memory, error) {
	var m Memory
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		into := m.field(string(name))
		if into == nil {
			continue
		}
		v, err := kibibytes(bytes.Fields(rest))
		if err != nil {
			return Memory{}, fmt.Errorf("line %q: %w", name, err)
		}
		*into, seen[string(name)] = v, true
	}
	for _, name := range []string{"MemTotal", "MemAvailable"} {
		if !seen[name] {
			return Memory{}, fmt.Errorf("there is no line %q: it was torn, or is no /proc/meminfo", name)
		}
	}
	return m, nil
}

func (m *Memory) field(name string) *int64 {
	switch name {
	case "MemTotal":
		return &m.Total
	case "MemAvailable":
		return &m.Available
	case "Dirty":
		return &m.Dirty
	case "Writeback":
		return &m.Writeback
	case "SwapTotal":
		return &m.SwapTotal
	case "SwapFree":
		return &m.SwapFree
	}
	return nil
}

// kibibytes reads "123 kB", which the kernel means as KiB.
func kibibytes(fields [][]byte) (int64, error) {
	if len(fields) != 2 || string(fields[1]) != "kB" {
		return 0, errors.New("it is no size in kB")
	}
	v, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil || v < 0 || v > math.MaxInt64>>10 {
		return 0, fmt.Errorf("%q is no size in kB", fields[0])
	}
	return v << 10, nil
}
