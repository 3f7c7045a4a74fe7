package simt

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/launch"
)

// result is the sightings as findings: those of one kind and kernel at the same lines
// are one, of the first that was seen.
func (a answer) result() []launch.Finding {
	var merged []sighting
	index := map[string]int{}
	for _, s := range a.seen {
		if s.kind == "copied-barrier" {
			s.kind = string(launch.DivergentBarrier)
			if s.sameBarrier() {
				continue
			}
		}
		s.spots = together(s.spots)
		key := s.key()
		if i, ok := index[key]; ok {
			merged[i].count += s.count
			continue
		}
		index[key] = len(merged)
		merged = append(merged, s)
	}
	var list []launch.Finding
	for _, s := range merged {
		list = append(list, s.finding())
	}
	return list
}

// sameBarrier says, of one barrier of the source at two addresses, whether threads at different addresses met at one and the same
// place, the compiler having copied it as it does with loops.
func (s sighting) sameBarrier() bool {
	return s.kind == string(launch.DivergentBarrier) && len(s.spots) == 2 && len(s.spots[0].frames) > 0 &&
		slices.Equal(s.spots[0].frames, s.spots[1].frames)
}

// together joins the threads that only wait, of one place, into one spot.
func together(spots []spot) []spot {
	var list []spot
	for _, s := range spots {
		same := func(o spot) bool {
			return s.threads+o.threads > 2 && o.what == s.what && len(s.frames) > 0 && slices.Equal(o.frames, s.frames)
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].threads += s.threads
			continue
		}
		list = append(list, s)
	}
	return list
}

// key is equal for what is one finding. Which of two threads came first is chance.
func (s sighting) key() string {
	var places []string
	for _, at := range s.spots {
		place := fmt.Sprint(at.frames)
		if len(at.frames) == 0 {
			place = fmt.Sprint(at.pc)
		}
		places = append(places, place)
	}
	slices.Sort(places)
	key := s.kind + " " + s.kernel + " " + strings.Join(places, " ")
	if len(places) == 0 {
		key += s.memory // unwritten: each output by itself
	}
	return key
}

func (s sighting) finding() launch.Finding {
	f := launch.Finding{Kind: launch.Kind(s.kind), Kernel: s.kernel, Memory: s.memory, Count: s.count, Text: s.text()}
	for i, at := range s.spots {
		f.Threads = append(f.Threads, at.thread)
		switch file, line := at.place(); i {
		case 0:
			f.File, f.Line, f.Block = file, line, at.block
		case 1:
			f.Other = launch.Place{File: file, Line: line, Block: at.block}
		}
	}
	return f
}

// text is the finding in one line.
func (s sighting) text() string {
	if s.kind == string(launch.Unwritten) {
		return fmt.Sprintf("%s: %s is the first of %d elements that no kernel wrote", s.kind, s.memory, s.count)
	}
	if s.kernel == "" {
		return fmt.Sprintf("%s: %s was written by a kernel", s.kind, s.memory)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in kernel %s", s.kind, s.kernel)
	if s.memory != "" {
		fmt.Fprintf(&b, " on %s", s.memory)
	}
	for i, at := range s.spots {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		b.WriteString(at.text())
	}
	if s.count > 1 {
		fmt.Fprintf(&b, "; %d times", s.count)
	}
	return b.String()
}

// text is such as "write at a.cu:12 by thread (1,0,0) of block (0,0,0)".
func (s spot) text() string {
	var b strings.Builder
	b.WriteString(s.what)
	for i, f := range s.frames {
		fmt.Fprintf(&b, "%s%s:%d", []string{" at ", ", from "}[min(i, 1)], f.file, f.line)
	}
	if len(s.frames) == 0 {
		b.WriteString(" at an unknown line (is addr2line installed?)")
	}
	fmt.Fprintf(&b, " by thread %s", triple(s.thread))
	if s.threads > 1 {
		fmt.Fprintf(&b, " and %d more", s.threads-1)
	}
	fmt.Fprintf(&b, " of block %s", triple(s.block))
	return b.String()
}

func triple(n [3]int) string { return fmt.Sprintf("(%d,%d,%d)", n[0], n[1], n[2]) }
