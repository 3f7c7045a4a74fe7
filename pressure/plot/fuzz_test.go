package plot

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"gpuci/pressure"
)

// decoder makes a chart of bytes; it goes on with zeros when there are no more.
type decoder struct{ data []byte }

func (d *decoder) next() uint64 {
	var word [8]byte
	n := copy(word[:], d.data)
	d.data = d.data[n:]
	return binary.LittleEndian.Uint64(word[:])
}

// moment is close to the others, or anywhere.
func (d *decoder) moment() time.Time {
	switch v := d.next(); v % 4 {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(int64(v), int64(v>>40))
	default:
		return t0.Add(time.Duration(int64(v) >> (v / 4 % 60)))
	}
}

func (d *decoder) share() pressure.Share {
	v := d.next()
	return pressure.Share{Value: math.Float64frombits(v), Known: v%2 == 0}
}

func (d *decoder) chart(title, label string) Chart {
	c := Chart{Title: title, Subtitle: label, Note: label, From: d.moment(), To: d.moment()}
	for len(d.data) > 0 && len(c.Points)+len(c.Bars) < 5000 {
		switch d.next() % 3 {
		case 0:
			c.Bars = append(c.Bars, Bar{Kind: BarKind(d.next() % 6), Label: label, Detail: label, From: d.moment(), To: d.moment()})
		case 1: // a point of its own
			p := pressure.Point{Time: d.moment(), Length: time.Duration(d.next())}
			p.IO, p.CPU.Some, p.OwnIO.Full = pressure.Shares{Some: d.share(), Full: d.share()}, d.share(), d.share()
			c.Points = append(c.Points, p)
		default: // many as a run has them
			every := time.Duration(d.next() % uint64(time.Minute))
			for i := range d.next() % 2000 {
				p := pressure.Point{Time: t0.Add(every * time.Duration(i)), Length: every}
				p.IO.Full, p.Memory.Full = known(float64(i%10)/9), known(float64(i%7)/6)
				c.Points = append(c.Points, p)
			}
		}
	}
	return c
}

func FuzzDraw(f *testing.F) {
	words := func(vs ...uint64) (data []byte) {
		for _, v := range vs {
			data = binary.LittleEndian.AppendUint64(data, v)
		}
		return data
	}
	nan, half := math.Float64bits(math.NaN())&^1, math.Float64bits(0.5)
	f.Add("", "", []byte{})
	f.Add("gate a, lane b", "20261130T010203Z", words(2, 1<<40|2, 2, 1e9, 180, 0, 1, 2<<30|2, 3<<33|2))
	f.Add("</title>", "\x00]]>\u202e", words(1<<62|1, 1<<63|1, 0, 2, 0, 0, 0, 5, 1<<63|3, 6))
	f.Add("NaN", "Inf -1", words(0, 0, 1, 2, 1<<63-1, nan, half, nan, half, 1, 2, 1, half, half, half, half))
	f.Add("long", "l", words(2, 1<<50|2, 2, 36e9, 1999, 0, 1, 2, 2, 0, 1, 2, 2, 0, 2, 1<<40|2, 1<<41|2))
	f.Fuzz(func(t *testing.T, title, label string, data []byte) {
		c := (&decoder{data}).chart(title, label)
		got := draw(t, c)
		check(t, got)
		if again := draw(t, c); got != again {
			t.Error("the same chart was drawn in two ways")
		}
		for _, d := range curvePaths(t, got) {
			if n := corners(d); n > 1500 {
				t.Errorf("a path has %d corners", n)
			}
		}
	})
}
