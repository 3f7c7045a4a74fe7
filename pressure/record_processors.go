package pressure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// processors is what the processors of the machine did since boot, in ticks
// (proc_stat(5)).
type processors struct {
	count int
	busy  uint64 // for anybody: guests, niced work and interrupts too
	all   uint64 // busy, idle, waiting for a disk, or taken by the hypervisor
}

// maxStat bounds what is read of /proc/stat, in bytes. The processors come
// first, with about 100 each.
const maxStat = 1 << 20

func readProcessors(path string) (processors, error) {
	data, err := readUpTo(path, maxStat)
	if err != nil {
		return processors{}, err
	}
	p, err := parseProcessors(data)
	if err != nil {
		return processors{}, fmt.Errorf("read %s: %w", path, err)
	}
	return p, nil
}

// parseProcessors parses the first lines of /proc/stat: the sum, "cpu", and one
// for each processor that is on.
func parseProcessors(data []byte) (processors, error) {
	var p processors
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if len(fields) == 0 || !bytes.HasPrefix(fields[0], []byte("cpu")) {
			if p.count == 0 || p.all == 0 {
				return processors{}, errors.New("it does not begin with processors: it is no /proc/stat")
			}
			return p, nil
		}
		if string(fields[0]) != "cpu" {
			p.count++
			continue
		}
		var err error
		if p.busy, p.all, err = sumTicks(fields[1:]); err != nil {
			return processors{}, err
		}
	}
	return processors{}, errors.New("its end is missing: it was torn, or is no /proc/stat")
}

// sumTicks adds up user, nice, system, idle, iowait, irq, softirq and steal.
// What follows them is contained in user and nice.
func sumTicks(fields [][]byte) (busy, all uint64, err error) {
	const idle, iowait, steal, last = 3, 4, 7, 8
	if len(fields) < last {
		return 0, 0, fmt.Errorf("the line \"cpu\" has %d numbers, not at least %d", len(fields), last)
	}
	for i, text := range fields[:last] {
		v, err := strconv.ParseUint(string(text), 10, 64)
		if err != nil || v > math.MaxUint64/last {
			return 0, 0, fmt.Errorf("%q is no number of ticks", text)
		}
		all += v
		if i != idle && i != iowait && i != steal {
			busy += v
		}
	}
	return busy, all, nil
}

// busySince is the share of the processors' time that was used since another
// look; unknown where no tick passed, or the counters went back.
func (p processors) busySince(before processors) Share {
	if p.all <= before.all || p.busy < before.busy {
		return Share{}
	}
	return Share{min(1, float64(p.busy-before.busy)/float64(p.all-before.all)), true}
}
