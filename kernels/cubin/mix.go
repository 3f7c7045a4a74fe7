package cubin

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// mix hashes texts, numbers and bytes, each with its length before it, so that no two
// lists run together. What is short is gathered first: a library has tens of thousands
// of kernels, most of a few lines.
type mix struct {
	sum   hash.Hash
	buf   []byte
	whole bool // all of it is in buf
}

const maxGathered = 16 << 10 // bytes

func newMix() mix { return mix{sum: sha256.New(), buf: make([]byte, 0, 4<<10), whole: true} }

func (m *mix) reset() {
	m.sum.Reset()
	m.buf, m.whole = m.buf[:0], true
}

func (m *mix) flush() {
	_, _ = m.sum.Write(m.buf)
	m.buf, m.whole = m.buf[:0], false
}

func (m *mix) number(n uint64) {
	if len(m.buf) > maxGathered {
		m.flush()
	}
	m.buf = binary.LittleEndian.AppendUint64(m.buf, n)
}

func (m *mix) text(s string) {
	m.number(uint64(len(s)))
	m.buf = append(m.buf, s...)
}

func (m *mix) bytes(b []byte) {
	m.number(uint64(len(b)))
	if len(b) <= maxGathered {
		m.buf = append(m.buf, b...)
		return
	}
	m.flush()
	_, _ = m.sum.Write(b)
}

// short is half of a SHA-256: nobody is to find two alike, they are only not to be so
// by chance.
func (m *mix) short() string {
	var sum [sha256.Size]byte
	if m.whole {
		sum = sha256.Sum256(m.buf)
	} else {
		m.flush()
		m.sum.Sum(sum[:0])
	}
	var text [sha256.Size]byte
	hex.Encode(text[:], sum[:sha256.Size/2])
	return string(text[:])
}

// chain is a list of sections for each section.
type chain struct{ head, next []int } // 0: none, for the first section is no section

func newChain(n int) chain { return chain{make([]int, n), make([]int, n)} }

// add puts a section before those of the list, if there is such a list.
func (c chain) add(of, at int) {
	if of >= 0 && of < len(c.head) {
		c.next[at], c.head[of] = c.head[of], at
	}
}

func (c chain) first(of int) int { return c.head[of] }
