package inputs

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"io"
)

// maxNotes bounds one note section: an id takes some dozens of bytes.
const maxNotes = 64 << 10

// Kinds of notes, each under the name of who defines it: the GNU ABI's
// NT_GNU_BUILD_ID, and Go's (cmd/internal/buildid).
const (
	noteGNU = 3
	noteGo  = 4
)

// buildID is the id in an ELF file's notes, "" where the file has none or is
// none. Sections are looked at first, and program headers where those are
// stripped.
func buildID(file io.ReaderAt) string {
	f, err := elf.NewFile(file)
	if err != nil {
		return ""
	}
	var all [][]byte
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE && s.FileSize <= maxNotes {
			data, _ := s.Data() // what cannot be read holds no id
			all = append(all, data)
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE && p.Filesz <= maxNotes {
			data, _ := io.ReadAll(p.Open())
			all = append(all, data)
		}
	}
	goID := ""
	for _, data := range all {
		for _, n := range parseNotes(data, f.ByteOrder) {
			switch {
			case n.name == "GNU" && n.kind == noteGNU:
				return hex.EncodeToString(n.desc)
			case n.name == "Go" && n.kind == noteGo && goID == "":
				goID = string(n.desc)
			}
		}
	}
	return goID
}

// note is one entry of a note section (elf(5)).
type note struct {
	name string // without the NUL that ends it
	kind uint32
	desc []byte
}

// parseNotes reads a note section: sizes of name and description, a kind, and
// then both, each filled up to four bytes. What breaks off is left out.
func parseNotes(data []byte, order binary.ByteOrder) (notes []note) {
	const head = 12
	for len(data) >= head {
		nameLen, descLen := uint64(order.Uint32(data)), uint64(order.Uint32(data[4:]))
		kind := order.Uint32(data[8:])
		data = data[head:]
		if filled(nameLen) > uint64(len(data)) {
			return notes
		}
		name := data[:nameLen]
		data = data[filled(nameLen):]
		if descLen > uint64(len(data)) {
			return notes
		}
		notes = append(notes, note{string(bytes.TrimRight(name, "\x00")), kind, data[:descLen]})
		data = data[min(filled(descLen), uint64(len(data))):]
	}
	return notes
}

// filled is a size up to the next multiple of four.
func filled(n uint64) uint64 { return (n + 3) &^ 3 }
