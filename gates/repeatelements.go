package gates

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// headRoom is how much of a file is read for its head, in bytes: a safetensors file of
// a hundred thousand tensors has one of 10 MiB.
const headRoom = 16 << 20

// elementsApart counts the elements in which two files of one size differ, and names
// the first. Only the blocks that differ are read.
func elementsApart(declared string, a, b fileSeen, u *Unstable) (string, error) {
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
	d := &apart{x: x, y: y, layout: layoutOf(head, a.size, declared), first: -1}
	err = d.blocks(b.odd, a.size)
	if errors.Is(err, errHead) { // the head itself is otherwise: bytes
		d = &apart{x: x, y: y, layout: bytesLayout(a.size), first: -1}
		err = d.blocks(b.odd, a.size)
	}
	if err == nil && d.first < 0 {
		err = io.ErrUnexpectedEOF // the copies are not what was hashed
	}
	if err != nil {
		return "", err
	}
	of, what := d.layout.count()
	u.Differ, u.Of = d.count, int(of)
	return fmt.Sprintf("%d of %d %s %s between runs %d and %d, the first: %s (byte %d) is %s in run %d and %s in run %d",
		u.Differ, u.Of, what, differ(u.Differ), a.run, b.run, d.of.at(d.first), d.first, d.was, a.run, d.is, b.run), nil
}

// errHead says that two files differ before their elements begin.
var errHead = errors.New("the heads of the files differ")

// apart counts elements that differ.
type apart struct {
	x, y   *os.File
	layout layout
	done   int64 // the end of the last element that was looked at

	count   int
	first   int64 // its byte, -1 for none
	of      array // that it is in
	was, is string
}

// blocks looks at the elements of those blocks that differ.
func (d *apart) blocks(odd []int, whole int64) error {
	for _, n := range odd {
		from, to := int64(n)*compareBlock, min(int64(n+1)*compareBlock, whole)
		if err := d.headAlike(from, min(to, d.layout.head)); err != nil {
			return err
		}
		for _, a := range d.layout.arrays[d.layout.firstBehind(from):] {
			if a.from >= to {
				break
			}
			if err := d.part(a, max(from, a.from), min(to, a.to)); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstBehind is the index of the first array that ends behind a place.
func (l layout) firstBehind(place int64) int {
	n, _ := slices.BinarySearchFunc(l.arrays, place+1, func(a array, place int64) int { return cmp.Compare(a.to, place) })
	return n
}

// part looks at the elements of an array that have a byte between two places.
func (d *apart) part(a array, from, to int64) error {
	from = max(from-(from-a.from)%a.size, d.done)
	to += (a.size - (to-a.from)%a.size) % a.size
	was, is, err := d.read(from, to)
	if err != nil {
		return err
	}
	for at := int64(0); at < int64(len(was)); at += a.size {
		one, other := was[at:at+a.size], is[at:at+a.size]
		if bytes.Equal(one, other) {
			continue
		}
		if d.count++; d.first < 0 {
			d.first, d.of, d.was, d.is = from+at, a, a.text(one), a.text(other)
		}
	}
	d.done = max(d.done, to)
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
