package launch

import (
	"errors"
	"fmt"
)

// The limits of CUDA devices of every compute capability since 3.0 ("Technical
// Specifications per Compute Capability" in the CUDA C++ Programming Guide).
const (
	maxThreads = 1024
	maxShared  = 227 << 10 // dynamic shared memory of a block, sm_90; sm_80 has 163 KiB
)

// What no device gets done, though its limits would take it.
const (
	maxElements = 1 << 38 // of all buffers, 1 TiB; no card has half of that
	maxBlocks   = 1 << 36 // of a launch; a card that starts 10^9 empty blocks a second takes a minute
)

var (
	maxGrid  = [3]int{1<<31 - 1, 65535, 65535}
	maxBlock = [3]int{1024, 1024, 64}
)

// Check returns an error for a job that cannot run anywhere: a name that is twice or
// not a word, lengths that disagree, an argument that is no buffer, a launch beyond
// the limits of every device, more memory or blocks than any has or gets done.
func (j Job) Check() error {
	roles := map[string]bool{}
	room := maxElements
	for _, b := range j.Buffers {
		if roles[b.Name] {
			return fmt.Errorf("check job: buffer %q is there twice", b.Name)
		}
		roles[b.Name] = true
		if err := b.check(); err != nil {
			return fmt.Errorf("check job: buffer %q: %w", b.Name, err)
		}
		if b.Count > room {
			return fmt.Errorf("check job: buffer %q has %d elements, with which the buffers are beyond %d; no device has as much memory",
				b.Name, b.Count, maxElements)
		}
		room -= b.Count
	}
	if len(j.Launches) == 0 {
		return errors.New("check job: no launches; a job without one proves nothing")
	}
	for i, l := range j.Launches {
		if err := l.check(roles); err != nil {
			return fmt.Errorf("check job: launch %d of kernel %q: %w", i+1, l.Kernel, err)
		}
	}
	return nil
}

func (b Buffer) check() error {
	switch {
	case !word(b.Name):
		return errors.New("name is not a word of letters, digits, _, . and -")
	case b.Count < 1:
		return fmt.Errorf("has %d elements; it needs one or more", b.Count)
	case b.Data != nil && len(b.Data) != b.Count:
		return fmt.Errorf("has %d elements and data of %d", b.Count, len(b.Data))
	case b.Role == Input && b.Data == nil:
		return errors.New("is an input without data")
	case b.Role != Input && b.Role != Output && b.Role != Scratch:
		return fmt.Errorf("has role %q; use %s, %s or %s", b.Role, Input, Output, Scratch)
	}
	return nil
}

func (l Launch) check(buffers map[string]bool) error {
	switch {
	case !word(l.Kernel):
		return errors.New("kernel's name is not a word")
	case !word(l.Phase):
		return fmt.Errorf("phase %q is not a word of letters, digits, _, . and -", l.Phase)
	case l.Shared < 0 || l.Shared > maxShared:
		return fmt.Errorf("asks for %d bytes of shared memory; 0 to %d are there", l.Shared, maxShared)
	}
	for i, axis := range "xyz" {
		if l.Grid[i] < 1 || l.Grid[i] > maxGrid[i] {
			return fmt.Errorf("grid %v: %c is not in 1 to %d", l.Grid, axis, maxGrid[i])
		}
		if l.Block[i] < 1 || l.Block[i] > maxBlock[i] {
			return fmt.Errorf("block %v: %c is not in 1 to %d", l.Block, axis, maxBlock[i])
		}
	}
	// Two axes are at most 2^47 blocks, so that no product overflows.
	if n := l.Grid[0] * l.Grid[1]; n > maxBlocks || n*l.Grid[2] > maxBlocks {
		return fmt.Errorf("grid %v has more than %d blocks, which no device gets done", l.Grid, maxBlocks)
	}
	if n := l.Threads(); n > maxThreads {
		return fmt.Errorf("block %v has %d threads; %d is the most", l.Block, n, maxThreads)
	}
	for i, a := range l.Args {
		if err := a.check(buffers); err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return nil
}

func (a Arg) check(buffers map[string]bool) error {
	set := 0
	for _, is := range []bool{a.Buffer != "", a.Int != nil, a.Float != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return errors.New("is not exactly one of a buffer, an int and a float; use Of, I or F")
	}
	if a.Buffer != "" && !buffers[a.Buffer] {
		return fmt.Errorf("no buffer %q in the job", a.Buffer)
	}
	return nil
}

// word says whether a name can stand in a line of a job file.
func word(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return s != ""
}
