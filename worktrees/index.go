package worktrees

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// errIndex says that an index is damaged or of a kind this package does not
// read. Nothing is lost by it: git answers instead.
var errIndex = errors.New("index not read here")

// The layout is gitformat-index(5), for SHA-1 object names.
const (
	indexHeader  = 12 // "DIRC", version, number of entries
	indexTrailer = 20 // checksum, which git itself does not verify on reading
	entryFixed   = 62 // stat data 40, object name 20, flags 2
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagName     = 0x0fff
	flagSkip     = 0x4000 // in the extended flags
	flagAdd      = 0x2000 // in the extended flags
	maxPath      = 4096   // PATH_MAX of Linux; no longer path can be on disk
	maxExpansion = 4      // paths of a version 4 index against its size; trees of real projects stay below 2
	modeType     = 0o170000
	modeGitlink  = 0o160000
	modeExecute  = 0o100
)

// index is a parsed .git/index.
type index struct {
	entries []entry // in git's order: by bytes of the path, then by stage
	tree    string  // hex id of the tree that equals the index, from the cache-tree extension; "" when not known
	written uint32  // seconds of the file's modification time, 0 when unknown
	skips   bool    // some entry is marked skip-worktree
}

// entry is one path of the index. Its stat data stays encoded until a walker
// compares it, so that this work is done on all cores.
type entry struct {
	path  []byte
	fixed []byte // the entryFixed bytes
	ext   uint16 // extended flags
}

func (e entry) mode() uint32  { return binary.BigEndian.Uint32(e.fixed[24:]) }
func (e entry) size() uint32  { return binary.BigEndian.Uint32(e.fixed[36:]) }
func (e entry) id() []byte    { return e.fixed[40:60] }
func (e entry) flags() uint16 { return binary.BigEndian.Uint16(e.fixed[60:]) }
func (e entry) skip() bool    { return e.ext&flagSkip != 0 }

// plain reports whether an entry stands for one file that stat data can clear:
// not a submodule, a side of a conflict, or a mere intent to add.
func (e entry) plain() bool {
	return e.mode()&modeType != modeGitlink && e.flags()&flagStage == 0 && e.ext&flagAdd == 0
}

// readIndex reads the index of a lane.
func readIndex(gitDir string) (*index, error) {
	f, err := os.Open(filepath.Join(gitDir, "index"))
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	x, err := parseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	x.written = uint32(info.ModTime().Unix())
	return x, nil
}

// parseIndex parses versions 2, 3 and 4. The result points into data. The
// error wraps errIndex. What it allocates is bounded by a small multiple of
// len(data), whatever data claims.
func parseIndex(data []byte) (*index, error) {
	if len(data) < indexHeader+indexTrailer || string(data[:4]) != "DIRC" {
		return nil, fmt.Errorf("%w: no header", errIndex)
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := int64(binary.BigEndian.Uint32(data[8:]))
	body := data[:len(data)-indexTrailer]
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("%w: version %d", errIndex, version)
	}
	if count > int64(len(body)/entryFixed) {
		return nil, fmt.Errorf("%w: %d entries in %d bytes", errIndex, count, len(data))
	}
	p := entryParser{data: body, at: indexHeader, prefixed: version == 4}
	x := &index{entries: make([]entry, 0, count)}
	for range count {
		e, err := p.next()
		if err != nil {
			return nil, err
		}
		if n := len(x.entries); n > 0 && !inOrder(x.entries[n-1], e) {
			return nil, fmt.Errorf("%w: %q out of order", errIndex, e.path)
		}
		x.skips = x.skips || e.skip()
		x.entries = append(x.entries, e)
	}
	if err := x.parseExtensions(body[p.at:]); err != nil {
		return nil, err
	}
	return x, nil
}

// inOrder reports whether b may follow a. The walk depends on it: all that is
// below a directory must lie together.
func inOrder(a, b entry) bool {
	switch bytes.Compare(a.path, b.path) {
	case -1:
		return true
	case 0:
		return a.flags()&flagStage < b.flags()&flagStage
	}
	return false
}
