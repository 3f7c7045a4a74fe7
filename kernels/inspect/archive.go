package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	magicArchive = "!<arch>\n"
	magicThin    = "!<thin>\n"
	memberHead   = 60 // name 16, date 12, owner 6, group 6, mode 8, size 10, "`\n"

	maxArchives = 8 // archives in archives; nobody is seen to make two
)

// archive reads the members of a static library as GNU's and LLVM's ar write it:
// long names stand in the member "//", and those of BSD before the content. A member may
// be an archive in its turn.
func (r *reader) archive(f *io.SectionReader, part string) error {
	if r.depth == maxArchives {
		return fmt.Errorf("read archive: more than %d lie in each other", maxArchives)
	}
	r.depth++
	defer func() { r.depth-- }()
	names := ""
	for at := int64(len(magicArchive)); at+memberHead <= f.Size(); {
		head := make([]byte, memberHead)
		if _, err := f.ReadAt(head, at); err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		at += memberHead
		if err != nil || size < 0 || size > f.Size()-at {
			return fmt.Errorf("read archive: the member at %d is cut off or has no size", at-memberHead)
		}
		name, content := strings.TrimRight(string(head[:16]), " "), io.NewSectionReader(f, at, size)
		at += size + size&1
		switch {
		case name == "/" || name == "/SYM64/" || strings.HasPrefix(name, "__.SYMDEF"):
			continue
		case name == "//":
			data, err := r.all(content)
			if err != nil {
				return err
			}
			names = string(data)
			continue
		}
		if name, content, err = member(name, names, content); err != nil {
			return err
		}
		if err := r.any(content, within(part, name)); err != nil {
			return fmt.Errorf("member %s: %w", name, err)
		}
	}
	return nil
}

// member finds the name of one that has a long one.
func member(name, names string, content *io.SectionReader) (string, *io.SectionReader, error) {
	if at, err := strconv.Atoi(strings.TrimPrefix(name, "/")); err == nil && name[0] == '/' {
		if at < 0 || at >= len(names) {
			return "", nil, fmt.Errorf("read archive: no name at %d", at)
		}
		name, _, _ = strings.Cut(names[at:min(len(names), at+maxName)], "\n")
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(name, "#1/"), 10, 64); err == nil && strings.HasPrefix(name, "#1/") {
		if n < 0 || n > content.Size() || n > maxName {
			return "", nil, fmt.Errorf("read archive: a name of %d bytes in a member of %d", n, content.Size())
		}
		long := make([]byte, n)
		if _, err := content.ReadAt(long, 0); err != nil && err != io.EOF {
			return "", nil, err
		}
		name, content = strings.TrimRight(string(long), "\x00"), io.NewSectionReader(content, n, content.Size()-n)
	}
	if name = strings.TrimSuffix(name, "/"); name == "" {
		name = "?" // a member always has a part
	}
	return name, content, nil
}

const maxName = 4096 // bytes, as long as a path may be
