package worktrees

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// entryParser takes entries off an index one after another.
type entryParser struct {
	data     []byte
	at       int
	prefixed bool   // version 4: a path is given by its difference from the one before
	previous []byte // path of the entry before
	arena    []byte // where prefixed paths are put together
	expanded int    // bytes of all prefixed paths so far
}

// next parses the entry at p.at and moves past it.
func (p *entryParser) next() (entry, error) {
	start := p.at
	if len(p.data)-start < entryFixed {
		return entry{}, p.broken("cut off")
	}
	e := entry{fixed: p.data[start : start+entryFixed : start+entryFixed]}
	p.at += entryFixed
	if e.flags()&flagExtended != 0 {
		if len(p.data)-p.at < 2 {
			return entry{}, p.broken("cut off")
		}
		e.ext = binary.BigEndian.Uint16(p.data[p.at:])
		p.at += 2
	}
	var err error
	if p.prefixed {
		e.path, err = p.prefixedPath()
	} else {
		e.path, err = p.paddedPath(start, int(e.flags()&flagName))
	}
	if err == nil && (len(e.path) == 0 || len(e.path) > maxPath) {
		err = p.broken("path of no usable length")
	}
	p.previous = e.path
	return e, err
}

// paddedPath reads the path of a version 2 or 3 entry, which ends in one to
// eight NULs so that the entry's length is a multiple of eight. A length that
// does not fit its 12 bits is found by looking for the NUL.
func (p *entryParser) paddedPath(start, length int) ([]byte, error) {
	rest := p.data[p.at:]
	if length == flagName {
		length = bytes.IndexByte(rest, 0)
	}
	if length < 0 || length >= len(rest) || rest[length] != 0 {
		return nil, p.broken("path without end")
	}
	p.at = start + (p.at-start+length+8)&^7
	if p.at > len(p.data) {
		return nil, p.broken("cut off")
	}
	return rest[:length:length], nil
}

// prefixedPath reads the path of a version 4 entry: how many bytes to drop
// from the end of the path before, then what to append, ended by a NUL.
func (p *entryParser) prefixedPath() ([]byte, error) {
	drop, ok := p.offset()
	end := bytes.IndexByte(p.data[p.at:], 0)
	if !ok || end < 0 || drop > len(p.previous) {
		return nil, p.broken("path without end")
	}
	kept := p.previous[:len(p.previous)-drop]
	length := len(kept) + end
	if p.expanded += length; p.expanded > maxExpansion*len(p.data) {
		return nil, p.broken("paths out of proportion")
	}
	if cap(p.arena)-len(p.arena) < length {
		p.arena = make([]byte, 0, max(length, min(len(p.data), 1<<20)))
	}
	from := len(p.arena)
	p.arena = append(append(p.arena, kept...), p.data[p.at:p.at+end]...)
	p.at += end + 1
	return p.arena[from:len(p.arena):len(p.arena)], nil
}

// offset reads a variable-width number in the encoding of pack offsets
// (gitformat-pack(5)): seven bits a byte, high ones first, each continuation
// adding one so that no number has two spellings.
func (p *entryParser) offset() (int, bool) {
	value := 0
	for i := p.at; i < len(p.data) && i < p.at+4; i++ {
		b := p.data[i]
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			p.at = i + 1
			return value, true
		}
		value++
	}
	return 0, false
}

func (p *entryParser) broken(what string) error {
	return fmt.Errorf("%w: entry near byte %d: %s", errIndex, p.at, what)
}
