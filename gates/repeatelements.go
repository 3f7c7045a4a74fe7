package gates

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"

	"gpuci/gates/config"
)

// compare finds the files in which the runs differ.
func (c *comparedFiles) compare(r *Repeat) {
	if c == nil {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(c.seen)) {
		list := c.seen[path]
		r.Files++
		r.Bytes += list[0].size
		if u := c.differing(path, list); u != nil {
			r.Unstable = append(r.Unstable, *u)
		}
	}
}

// differing holds a file of all runs against that of the first.
func (c *comparedFiles) differing(path string, list []fileSeen) *Unstable {
	u := &Unstable{Kind: "file", Name: path}
	what := make([]string, len(c.runs))
	whole := make([]int, len(c.runs))
	var other *fileSeen
	for n, run := range c.runs {
		whole[n] = run - 1
		i := slices.IndexFunc(list, func(s fileSeen) bool { return s.run == run })
		if i < 0 {
			what[n] = "not written"
			continue
		}
		what[n] = fmt.Sprintf("%d bytes, sha256 %x", list[i].size, list[i].sum[:6])
		if list[i].sum != list[0].sum && other == nil {
			other = &list[i]
		}
	}
	text, odd := grouped(what, whole)
	if text == "" {
		return nil
	}
	u.Runs, u.Text = odd, path+": "+text
	if other == nil {
		return u
	}
	first := list[0]
	blocks := (max(first.size, other.size) + compareBlock - 1) / compareBlock
	if first.size == other.size && first.copy != "" && other.copy != "" {
		if where, err := elementsApart(path, c.Elements, first, *other, u); err == nil {
			u.Text = path + ": " + where + "; " + text
			return u
		}
	}
	if len(other.odd) > 0 {
		u.Differ, u.Of = len(other.odd), int(blocks)
		u.Text += fmt.Sprintf("; %d of %d blocks of 64 KiB differ between runs %d and %d, the first from byte %d on", u.Differ, u.Of, first.run, other.run, int64(other.odd[0])*compareBlock)
	}
	return u
}

// headRoom is how much of a file is read for its head, in bytes: a safetensors file of
// a hundred thousand tensors has one of 10 MiB.
const headRoom = 16 << 20

// elementsApart counts the elements in which two files of one size differ, and names
// the first. Only the blocks that differ are read.
func elementsApart(path, declared string, a, b fileSeen, u *Unstable) (string, error) {
	x, err := os.Open(a.copy)
	if err != nil {
		return "", err
	}
	defer x.Close()
	y, err := os.Open(b.copy)
	if err != nil {
		return "", err
	}
	defer y.Close()
	head := make([]byte, min(headRoom, a.size))
	if _, err := x.ReadAt(head, 0); err != nil {
		return "", err
	}
	l := layoutOf(head, declared)
	size := int64(config.ElementTypes()[cmp.Or(l.element, "u8")])
	d := &apart{x: x, y: y, layout: l, size: size, first: -1}
	if rest := a.size - l.data; rest >= size && rest%size == 0 {
		err = d.blocks(b.odd, a.size)
	} else {
		err = errHead
	}
	if errors.Is(err, errHead) { // the head itself is otherwise, or does not fit: bytes
		d = &apart{x: x, y: y, size: 1, first: -1}
		err = d.blocks(b.odd, a.size)
	}
	if err == nil && d.first < 0 {
		err = io.ErrUnexpectedEOF // the copies are not what was hashed
	}
	if err != nil {
		return "", err
	}
	u.Differ, u.Of = d.count, int((a.size-d.layout.data)/d.size)
	return fmt.Sprintf("%d of %d %s values differ between runs %d and %d, the first: %s (byte %d) is %s in run %d and %s in run %d",
		u.Differ, u.Of, cmp.Or(d.layout.element, "byte"), a.run, b.run, d.layout.name(d.first, d.size), d.first, d.was, a.run, d.is, b.run), nil
}

// errHead says that two files differ before their elements begin.
var errHead = errors.New("the heads of the files differ")

// apart counts elements that differ.
type apart struct {
	x, y   *os.File
	layout layout
	size   int64
	done   int64 // the end of the last element that was looked at

	count   int
	first   int64 // its byte, -1 for none
	was, is string
}

// blocks looks at the elements of those blocks that differ.
func (d *apart) blocks(odd []int, whole int64) error {
	for _, n := range odd {
		from, to := int64(n)*compareBlock, min(int64(n+1)*compareBlock, whole)
		if err := d.headAlike(from, min(to, d.layout.data)); err != nil {
			return err
		}
		if to <= d.layout.data {
			continue
		}
		from = max(from, d.layout.data)
		from = max(from-(from-d.layout.data)%d.size, d.done)
		to += (d.size - (to-d.layout.data)%d.size) % d.size
		was, is, err := d.read(from, to)
		if err != nil {
			return err
		}
		for at := int64(0); at < int64(len(was)); at += d.size {
			one, other := was[at:at+d.size], is[at:at+d.size]
			if bytes.Equal(one, other) {
				continue
			}
			if d.count++; d.first < 0 {
				d.first, d.was, d.is = from+at, elementText(one, d.layout.element), elementText(other, d.layout.element)
			}
		}
		d.done = max(d.done, to)
	}
	return nil
}

// headAlike compares a part of the heads.
func (d *apart) headAlike(from, to int64) error {
	if from >= to {
		return nil
	}
	was, is, err := d.read(from, to)
	if err == nil && !bytes.Equal(was, is) {
		err = errHead
	}
	return err
}

func (d *apart) read(from, to int64) (was, is []byte, err error) {
	was, is = make([]byte, max(0, to-from)), make([]byte, max(0, to-from))
	_, err = d.x.ReadAt(was, from)
	if err == nil {
		_, err = d.y.ReadAt(is, from)
	}
	return was, is, err
}

// elementText is an element as a person reads it; two that differ never look alike.
func elementText(b []byte, element string) string {
	var v float64
	bits := 64
	switch element {
	case "f64":
		v = math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "f32":
		v, bits = float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32
	case "bf16":
		v, bits = float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b))<<16)), 32
	case "f16":
		v, bits = half(binary.LittleEndian.Uint16(b)), 32
	case "i64", "i32", "i16", "i8":
		return strconv.FormatInt(signed(b), 10)
	case "u64", "u32", "u16", "u8":
		return strconv.FormatUint(unsigned(b), 10)
	default:
		return fmt.Sprintf("0x%02x", b)
	}
	if math.IsNaN(v) {
		return fmt.Sprintf("NaN (0x%0*x)", 2*len(b), unsigned(b))
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

func unsigned(b []byte) uint64 {
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

func signed(b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(unsigned(b)<<shift) >> shift
}

// half is an IEEE 754 binary16.
func half(bits uint16) float64 {
	sign, exp, frac := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	case 0x1f:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1+frac/1024, exp-15)
}
