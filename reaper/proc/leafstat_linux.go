package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// populated says whether anything but zombies is in the leaf or below it.
func (l *leaf) populated() (bool, error) {
	data, err := os.ReadFile(filepath.Join(l.dir, "cgroup.events"))
	if err != nil {
		return false, err
	}
	return parsePopulated(string(data))
}

// parsePopulated finds the line "populated 1" of cgroup.events.
func parsePopulated(text string) (bool, error) {
	switch value, _ := keyed(text, "populated"); value {
	case "1":
		return true, nil
	case "0":
		return false, nil
	}
	return false, fmt.Errorf("parse cgroup.events: no line populated 0 or 1 in %.80q", text)
}

// cpu is the processor time that all members ever used, those that have ended
// included; every v2 cgroup keeps it, whatever controllers are on.
func (l *leaf) cpu() (time.Duration, error) {
	data, err := os.ReadFile(filepath.Join(l.dir, "cpu.stat"))
	if err != nil {
		return 0, err
	}
	return parseCPUStat(string(data))
}

// parseCPUStat finds the line "usage_usec N" of cpu.stat.
func parseCPUStat(text string) (time.Duration, error) {
	value, ok := keyed(text, "usage_usec")
	if !ok {
		return 0, errors.New("parse cpu.stat: no line usage_usec")
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || n > int64(1<<63-1)/1000 {
		return 0, fmt.Errorf("parse cpu.stat: usage_usec %.40q is no time", value)
	}
	return time.Duration(n) * time.Microsecond, nil
}

// keyed finds a line "KEY VALUE" of a flat keyed file.
func keyed(text, key string) (string, bool) {
	for line := range strings.Lines(text) {
		if name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); name == key {
			return value, true
		}
	}
	return "", false
}

// peak is the largest amount of memory that was charged to the leaf: bytes, 0
// where the memory controller is not on here (memory.peak, Linux 5.19).
func (l *leaf) peak() int64 {
	data, err := os.ReadFile(filepath.Join(l.dir, "memory.peak"))
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// usage is what the kernel keeps for the whole leaf.
func (l *leaf) usage() Usage {
	cpu, _ := l.cpu() // 0 where it is gone: the sums over processes stand then
	u := Usage{CPU: cpu, Peak: l.peak()}
	if data, err := os.ReadFile(filepath.Join(l.dir, "io.pressure")); err == nil {
		u.Stalled, u.StallKnown = parseFullTotal(string(data))
	}
	return u
}

// parseFullTotal finds the total of the line "full" of a pressure file, in
// microseconds there.
func parseFullTotal(text string) (time.Duration, bool) {
	line, ok := keyed(text, "full")
	if !ok {
		return 0, false
	}
	for _, field := range strings.Fields(line) {
		if value, ok := strings.CutPrefix(field, "total="); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || n < 0 || n > int64(1<<63-1)/1000 {
				return 0, false
			}
			return time.Duration(n) * time.Microsecond, true
		}
	}
	return 0, false
}
