package simt

import (
	"strings"
	"testing"

	"gpuci/kernels/launch"
)

const example = `count forward sum 2
finding race sum 255 shared+4 0,0,0:1,0,0:1a2b:write:1 0,0,0:0,0,0:1a3c:read:1
finding unwritten - 3 out[61]
finding deadlock sum 1 - 0,0,0:0,0,0:10:barrier:1 0,0,0:1,0,0:20:shuffle:31
end
`

func TestParse(t *testing.T) {
	a, err := parse(example)
	if err != nil {
		t.Fatal(err)
	}
	list := a.result()
	if !a.whole || len(a.counts) != 1 || a.counts[0] != (launch.Count{Phase: "forward", Kernel: "sum", Times: 2}) || len(list) != 3 {
		t.Fatalf("got %+v", a)
	}
	race := list[0]
	if race.Kind != launch.Race || race.Count != 255 || race.Memory != "shared+4" || race.Threads[0] != [3]int{1, 0, 0} {
		t.Errorf("got %+v", race)
	}
	if unwritten := list[1]; unwritten.Kernel != "" || unwritten.Count != 3 || !strings.Contains(unwritten.Text, "out[61]") {
		t.Errorf("got %+v", unwritten)
	}
	if deadlock := list[2]; deadlock.Memory != "" || len(deadlock.Threads) != 2 || !strings.Contains(deadlock.Text, "and 30 more") {
		t.Errorf("got %+v", deadlock)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, line := range []string{
		"hello", "count a b", "count a b c", "finding race", "finding race k x - ", "finding race k 1 m 0,0:0,0,0:1:read:1",
		"finding race k 1 m 0,0,0:0,0,0:zz:read:1", "finding race k 1 m 0,0,0:0,0,0:1:read", "crash k 1 11",
	} {
		if _, err := parse(line + "\n"); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}

// A file that was cut anywhere says no more than the whole one, and is not whole.
func FuzzParse(f *testing.F) {
	f.Add(example, 40)
	f.Add("crash wild 1 11 2,0,0:5,0,0:118a:access:1\n", 10)
	f.Add("end", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		a, err := parse(text)
		if err != nil {
			return
		}
		a.result()
		if cut < 0 || cut > len(text) {
			return
		}
		b, err := parse(text[:cut])
		if err != nil {
			t.Fatalf("the first %d bytes of what can be read: %v", cut, err)
		}
		if len(b.seen) > len(a.seen) || len(b.counts) > len(a.counts) || b.whole && !a.whole {
			t.Fatalf("the first %d bytes say more than all", cut)
		}
	})
}

func FuzzStrip(f *testing.F) {
	f.Add("a /* b */ c // d\n\"//\" e '\\''")
	f.Add("/*")
	f.Add("\"\\")
	f.Fuzz(func(t *testing.T, text string) {
		if s := strip(text); len(s) > len(text) {
			t.Fatalf("%q became longer: %q", text, s)
		}
	})
}
