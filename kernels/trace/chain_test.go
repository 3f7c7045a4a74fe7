package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestChains: what is found in rows that are written out.
func TestChains(t *testing.T) {
	a, b, c := uint32(1), uint32(2), uint32(3)
	n := &Names{Kernels: map[uint32]Kernel{1: {Name: "a"}, 2: {Name: "b"}, 3: {Name: "c"}}}
	repeat := func(times int, links ...uint32) (row []uint32) { return slices.Repeat(links, times) }
	for name, x := range map[string]struct {
		row  []uint32
		want []Chain
	}{
		"too few":             {repeat(7, a, b), nil},
		"a pair":              {repeat(8, a, b), []Chain{{Repeats: 8, Places: 1, Longest: 8}}},
		"one kernel":          {repeat(20, a), []Chain{{Repeats: 20, Places: 1, Longest: 20}}},
		"two places, turned":  {slices.Concat(repeat(9, a, b), []uint32{c, c}, repeat(12, b, a)), []Chain{{Repeats: 21, Places: 2, Longest: 12}}},
		"something between":   {slices.Concat(repeat(5, a, b), []uint32{0}, repeat(5, a, b)), nil},
		"nine are too long":   {repeat(20, a, a, a, a, b, b, b, b, c), nil},
		"eight are not":       {repeat(8, a, a, a, b, b, b, b, c), []Chain{{Repeats: 8, Places: 1, Longest: 8}}},
		"one within a longer": {repeat(9, a, b, a, c), []Chain{{Repeats: 9, Places: 1, Longest: 9}}},
		"the last is not all": {append(repeat(8, a, b, c), a, b), []Chain{{Repeats: 8, Places: 1, Longest: 8}}},
	} {
		var tape []Launched
		for _, id := range x.row {
			tape = append(tape, Launched{1, id})
		}
		got := chains(tape, n, nil, time.Microsecond)
		same := slices.EqualFunc(got, x.want, func(g, w Chain) bool {
			return g.Repeats == w.Repeats && g.Places == w.Places && g.Longest == w.Longest && g.Cost == time.Duration(g.Launches())*time.Microsecond
		})
		if !same {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestChainsOfThreads: what two threads launch at one time does not hide their chains.
func TestChainsOfThreads(t *testing.T) {
	n := &Names{Kernels: map[uint32]Kernel{1: {Name: "a"}, 2: {Name: "b"}, 3: {Name: "c"}}}
	random := rand.New(rand.NewPCG(1, 2))
	var tape []Launched
	left := []int{20, 30}
	for left[0]+left[1] > 0 {
		if i := random.IntN(2); left[i] > 0 {
			left[i]--
			tape = append(tape, Launched{int32(1 + i), []uint32{uint32(1 + left[i]%2), 3}[i]})
		}
	}
	got := chains(tape, n, nil, 0)
	if len(got) != 2 || got[0].Launches() != 30 || got[1].Launches() != 20 || len(got[1].Links) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestChainsAgainstCounting holds what is found against a search that looks everywhere.
func TestChainsAgainstCounting(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var row []uint32
		for range 40 {
			links := make([]uint32, 1+random.IntN(4))
			for i := range links {
				links[i] = uint32(random.IntN(3))
			}
			row = append(row, slices.Repeat(links, 1+random.IntN(12))...)
		}
		for length := 1; length <= chainLongest; length++ {
			var got [][2]int
			repeated(row, length, func(at int, times int64) { got = append(got, [2]int{at, int(times)}) })
			if want := everywhere(row, length); !slices.Equal(got, want) {
				t.Fatalf("%v, length %d: %v, want %v", row, length, got, want)
			}
		}
	}
}

// everywhere begins at each place that does not go on from the one before it.
func everywhere(row []uint32, length int) (list [][2]int) {
	goesOn := func(i int) bool { return i >= 0 && i+length < len(row) && row[i] != 0 && row[i] == row[i+length] }
	for at := 0; at+length <= len(row); at++ {
		if goesOn(at - 1) {
			continue
		}
		end := at
		for goesOn(end) {
			end++
		}
		shorter := false
		for d := 1; d < length; d++ {
			shorter = shorter || length%d == 0 && slices.Equal(slices.Repeat(row[at:at+d], length/d), row[at:at+length])
		}
		if times := (end - at + length) / length; times >= chainRepeats && !shorter {
			list = append(list, [2]int{at, times})
		}
	}
	return list
}
