package build

import (
	"strings"
	"testing"

	"gpuci/kernels/cache"
)

// sample is an entry that has everything.
func sample(n int) entry {
	sum := cache.SumOf([]byte{byte(n)})
	return entry{out: sum, log: "ptxas info\n\twarning\n",
		files: []input{{sum, "A . -", "k/a b.cu"}, {sum, "", "/usr/include/x.h"}},
		made:  []derived{{mention{name: "a b.h", quoted: true}, "k", "A"}, {mention{name: "c.h"}, "", "-"}}}
}

// A record gives its entries back, the newest first, each once, and few.
func TestRecord(t *testing.T) {
	var data []byte
	var err error
	for _, n := range []int{1, 2, 3, 2, 4, 5, 6} {
		if data, err = record(sample(n), data); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{6, 5, 4, 2} {
		e, rest, ok := cutEntry(data)
		if want := sample(n); !ok || !e.replaces(want) || e.out != want.out || e.log != want.log {
			t.Fatalf("%v: %+v, want %+v", ok, e, want)
		}
		data = rest
	}
	if len(data) > 0 {
		t.Errorf("%q is left", data)
	}
	e := sample(1)
	e.files[0].path = "a\nb"
	if _, err := record(e, nil); err == nil {
		t.Error("a path with a line break was kept")
	}
}

// Any record is read or refused, and what was read is written as it was read.
func FuzzRecord(f *testing.F) {
	data, err := record(sample(1), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add("out x\nfile " + strings.Repeat("0", 64) + " 99999999999999999999 \nend\n")
	f.Add("out x\nmade A \"\" \"\"\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		e, _, ok := cutEntry([]byte(text))
		if !ok {
			return
		}
		again, err := record(e, nil)
		if err != nil {
			return
		}
		if got, _, ok := cutEntry(again); !ok || !got.replaces(e) || got.out != e.out || got.log != e.log {
			t.Fatalf("%+v is read back as %+v", e, got)
		}
	})
}
