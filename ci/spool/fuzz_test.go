package spool

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// No text makes an order that leads out of the place, or one that is not written again as
// it was read.
func FuzzOrder(f *testing.F) {
	f.Add([]byte(`{"type":"gpuci-task","schema":1,"cookie":"c","night":"n","commit":"a","tree":"b","content":"k"}`))
	f.Add([]byte(`{"type":"gpuci-task","schema":1,"cookie":"../c","night":"n","dir":"../..","commit":"a","tree":"b","content":"k"}`))
	f.Add([]byte(`{"type":"gpuci-task"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := parseOrder(data)
		if err != nil {
			return
		}
		if o.Dir != "" && !filepath.IsLocal(o.Dir) || filepath.Base(o.Cookie) != o.Cookie || filepath.Base(o.Night) != o.Night {
			t.Errorf("%+v leads out", o)
		}
		again, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseOrder(again); err != nil {
			t.Errorf("%s is an order, and %s is none: %v", data, again, err)
		}
	})
}

// A name is an attempt's in one way only.
func FuzzAttempt(f *testing.F) {
	for _, seed := range []string{"7.0", "7.00", "7_3.1", "7", ".0", "a/b.0", "7.-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, ok := parseAttempt(text)
		if ok && (a.String() != text || filepath.Base(text) != text || a.Restart < 0) {
			t.Errorf("%q is %+v", text, a)
		}
	})
}
