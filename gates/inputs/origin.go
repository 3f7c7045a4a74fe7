package inputs

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"io"

	"gpuci/worktrees"
)

// origin names another lane that a product was built in, and the directory that
// says so: one that a variable put in (rustc's env-dep), or one that the compiler
// ran in, which debug information has (DW_AT_comp_dir). It is "" where nothing
// says so.
func (s Site) origin(ctx context.Context, p Product, in Inputs) (lane, where string, err error) {
	var roots []worktrees.Tree
	for _, t := range s.Lanes {
		t.Target = "" // which the path has been held against already
		roots = append(roots, t)
	}
	for _, value := range in.env[p.Path] {
		if lane := s.otherLane(roots, value); lane != "" {
			return lane, value, nil
		}
	}
	err = debugStrings(ctx, p.Path, func(text []byte) bool {
		if len(text) > 1 && text[0] == '/' {
			if lane = s.otherLane(roots, string(text)); lane != "" {
				where = string(text)
			}
		}
		return lane == ""
	})
	return lane, where, err
}

// otherLane names the lane that a path is in, if it is not ours.
func (s Site) otherLane(roots []worktrees.Tree, path string) string {
	if t, ok := worktrees.Of(roots, path); ok && t.Root != s.Lane.Root {
		return t.Name
	}
	return ""
}

// debugStrings hands out the strings of an ELF file's debug information until it
// is told to stop: .debug_str, and .debug_line_str since DWARF 5. A file that is
// no ELF file, or has none, has no strings. The error is the context's.
func debugStrings(ctx context.Context, path string, each func(text []byte) bool) error {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	for _, name := range []string{".debug_str", ".debug_line_str"} {
		section := f.Section(name)
		if section == nil || section.Type == elf.SHT_NOBITS {
			continue
		}
		more, err := eachString(untilDone{ctx, section.Open()}, each)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if !more {
			return nil
		}
	}
	return nil
}

// eachString hands out what NULs part. A string longer than the buffer, a type's
// name, is passed over: no path is as long.
func eachString(r io.Reader, each func(text []byte) bool) (more bool, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for long := false; ; {
		text, err := in.ReadSlice(0)
		if errors.Is(err, bufio.ErrBufferFull) {
			long = true
			continue
		}
		if !long && !each(bytes.TrimSuffix(text, []byte{0})) {
			return false, nil
		}
		if long = false; err != nil {
			return true, err
		}
	}
}
