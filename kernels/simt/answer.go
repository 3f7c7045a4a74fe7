package simt

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"gpuci/kernels/launch"
)

// answer is what the result file of the runner says.
type answer struct {
	counts []launch.Count
	seen   []sighting
	crash  *sighting
	whole  bool // it has its last line
}

// sighting is a finding as the runner wrote it: addresses and no lines.
type sighting struct {
	kind, kernel, memory string
	count                int
	spots                []spot
}

// spot is a thread at a place. pc is the address in the shared object that a call
// from there returns to, 0 where it is not known.
type spot struct {
	block, thread [3]int
	pc            uint64
	what          string // read, write, barrier, syncwarp, shuffle
	threads       int    // how many stand there
	frames        []frame
}

// frame is a line of the source; those of functions put into others come first.
type frame struct {
	file string
	line int
}

// parse reads the lines of a result file:
//
//	count PHASE KERNEL TIMES
//	finding KIND KERNEL COUNT MEMORY BLOCK:THREAD:PC:WHAT:THREADS…
//	crash KERNEL 1 SIGNAL BLOCK:THREAD:PC:WHAT:THREADS
//	end
//
// A blank is "-", a block or thread is three numbers between commas, pc hexadecimal.
// A file that is cut short is what there is of it.
func parse(text string) (answer, error) {
	var a answer
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(words) == 0 {
			continue
		}
		var err error
		switch words[0] {
		case "count":
			err = a.count(words[1:])
		case "finding":
			var s sighting
			if s, err = parseSighting(words[1:]); err == nil {
				a.seen = append(a.seen, s)
			}
		case "crash":
			var s sighting
			if s, err = parseSighting(words); err == nil {
				a.crash = &s
			}
		case "end":
			a.whole = true
		default:
			err = fmt.Errorf("unknown word %q", words[0])
		}
		if err != nil {
			return a, fmt.Errorf("read result of runner: line %q: %w", strings.TrimSpace(line), err)
		}
	}
	return a, nil
}

func (a *answer) count(words []string) error {
	if len(words) != 3 {
		return fmt.Errorf("%d words and not 3", len(words))
	}
	n, err := strconv.Atoi(words[2])
	a.counts = append(a.counts, launch.Count{Phase: words[0], Kernel: words[1], Times: n})
	return err
}

func parseSighting(words []string) (sighting, error) {
	if len(words) < 4 {
		return sighting{}, fmt.Errorf("%d words and not 4 or more", len(words))
	}
	blank := func(s string) string { return strings.TrimPrefix(s, "-") }
	s := sighting{kind: words[0], kernel: blank(words[1]), memory: blank(words[3])}
	var err error
	if s.count, err = strconv.Atoi(words[2]); err != nil {
		return s, err
	}
	for _, w := range words[4:] {
		at, err := parseSpot(w)
		if err != nil {
			return s, err
		}
		s.spots = append(s.spots, at)
	}
	if s.kind == "crash" && len(s.spots) != 1 {
		return s, fmt.Errorf("%d places and not 1", len(s.spots))
	}
	return s, nil
}

func parseSpot(word string) (spot, error) {
	parts := strings.Split(word, ":")
	if len(parts) != 5 {
		return spot{}, fmt.Errorf("place %q has %d parts and not 5", word, len(parts))
	}
	s := spot{what: parts[3]}
	var err error
	for i, to := range []*[3]int{&s.block, &s.thread} {
		numbers := strings.Split(parts[i], ",")
		if len(numbers) != 3 {
			return s, fmt.Errorf("place %q: %q is not three numbers", word, parts[i])
		}
		for n := range numbers {
			if to[n], err = strconv.Atoi(numbers[n]); err != nil {
				return s, err
			}
		}
	}
	if s.pc, err = strconv.ParseUint(parts[2], 16, 64); err != nil {
		return s, err
	}
	s.threads, err = strconv.Atoi(parts[4])
	return s, err
}

// crash is the error of a sighting of a signal.
func (s sighting) crash() *CrashError {
	at := s.spots[0]
	n, _ := strconv.Atoi(s.memory)
	e := &CrashError{Signal: syscall.Signal(n), Kernel: s.kernel, Block: at.block, Thread: at.thread}
	e.File, e.Line = at.place()
	return e
}
