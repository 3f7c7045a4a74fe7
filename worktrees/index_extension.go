package worktrees

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// parseExtensions reads what follows the entries. Extensions whose name does
// not begin with a capital change the meaning of the index (a split index, a
// sparse one, and whatever comes later), so they are refused; of the optional
// ones only the cache-tree is of use.
func (x *index) parseExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return fmt.Errorf("%w: %d stray bytes after the entries", errIndex, len(data))
		}
		name, size := data[:4], int64(binary.BigEndian.Uint32(data[4:]))
		data = data[8:]
		if size > int64(len(data)) {
			return fmt.Errorf("%w: extension %q cut off", errIndex, name)
		}
		if name[0] < 'A' || name[0] > 'Z' {
			return fmt.Errorf("%w: extension %q", errIndex, name)
		}
		if string(name) == "TREE" {
			x.tree = parseRoot(data[:size], len(x.entries))
		}
		data = data[size:]
	}
	return nil
}

// parseRoot returns the tree id of a cache-tree's root, or "" when git has
// marked it invalid. The root comes first: an empty name and its NUL, the
// number of entries it covers, a space, the number of subtrees, a newline, and
// the id. A root that does not cover every entry proves nothing.
func parseRoot(data []byte, entries int) string {
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	count, _, spaced := bytes.Cut(line, []byte(" "))
	if !ok || !spaced || len(count) < 2 || count[0] != 0 {
		return ""
	}
	covered, err := strconv.Atoi(string(count[1:]))
	if err != nil || covered != entries || len(rest) < indexTrailer {
		return ""
	}
	return hex.EncodeToString(rest[:indexTrailer])
}
