package inputs

import (
	"fmt"
	"os"
	"time"
)

// coarse is what two times of one file system may differ by without one being
// later: the kernel's clock for files ticks every 10 ms at the slowest, and a
// file system that keeps whole seconds (NFS servers, FAT with two) shows it.
func coarse(a, b time.Time) time.Duration {
	if a.Nanosecond() == 0 || b.Nanosecond() == 0 {
		return 2 * time.Second
	}
	return 10 * time.Millisecond
}

// age says whether a product is older than a source of its own.
func (s Site) age(p Product, in Inputs) []Complaint {
	now := time.Now()
	begun := s.Begun
	if begun.IsZero() {
		begun = now
	}
	if p.Built.After(now.Add(coarse(p.Built, now))) {
		return []Complaint{clock(p, s.display(p.Path), p.Built)}
	}
	newest, when := "", time.Time{}
	for _, source := range in.sources[p.Path] {
		info, err := os.Stat(source)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		at := info.ModTime()
		if at.After(now.Add(coarse(at, now))) {
			return []Complaint{clock(p, s.display(source), at)}
		}
		if at.After(when) && !at.After(begun) {
			newest, when = source, at
		}
	}
	if newest == "" || when.Sub(p.Built) <= coarse(when, p.Built) {
		return nil
	}
	return []Complaint{{
		Older, p.Path,
		fmt.Sprintf("%s was built %s, and its source %s was changed %s", s.display(p.Path), stamp(p.Built), s.display(newest), stamp(when)),
		"let the gate build it (build = in gpuci.toml), or build it again before the gate",
	}}
}

// clock complains of a file that is from the future.
func clock(p Product, file string, at time.Time) Complaint {
	return Complaint{
		Clock, p.Path,
		fmt.Sprintf("%s was modified %s, which is still to come: which of product and source is the older one cannot be told", file, stamp(at)),
		fmt.Sprintf("set the clock of this machine, or of the one that wrote the file, and touch %s", file),
	}
}

// stamp is a time for a reader.
func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05.000") }
