package main

import (
	"math"
	"strings"
	"testing"
)

func FuzzSizeFlag(f *testing.F) {
	for _, seed := range []string{"8GiB", "512MiB", "1.5KiB", "0KiB", "-1GiB", "1e300TiB", "NaNGiB", "infMiB", "8GB", "8", "", "GiB", " 8GiB", "0x8p1MiB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s sizeFlag
		if err := s.Set(text); (err == nil) != s.given || s.bytes < 0 {
			t.Fatalf("%q: %+v, %v", text, s, err)
		}
	})
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]int64{"8GiB": 8 << 30, "512MiB": 512 << 20, "1.5KiB": 1536, "0KiB": 0, "1TiB": 1 << 40} {
		var s sizeFlag
		if err := s.Set(text); err != nil || s.bytes != want {
			t.Errorf("%s is %d, %v; want %d", text, s.bytes, err, want)
		}
	}
	for _, text := range []string{"", "8", "8GB", "8G", "GiB", "-1GiB", "NaNGiB", "infKiB", "1e300TiB"} {
		if err := new(sizeFlag).Set(text); err == nil {
			t.Errorf("%q is taken for a size", text)
		}
	}
}

func FuzzPercentFlag(f *testing.F) {
	for _, seed := range []string{"40", "40%", "0", "100", "100.1", "-1", "NaN", "inf", "", "%", "4e1", "0x1p3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var p percentFlag
		err := p.Set(text)
		if (err == nil) != p.given || math.IsNaN(p.value) || p.value < 0 || p.value > 100 {
			t.Fatalf("%q: %+v, %v", text, p, err)
		}
	})
}

const mountinfo = "22 27 0:21 / /proc rw,nosuid - proc proc rw,hidepid=invisible,gid=4\n23 27 0:22 / /sys rw - sysfs sysfs rw\n"

func TestHidesOthers(t *testing.T) {
	for text, want := range map[string]bool{
		mountinfo: true, strings.Replace(mountinfo, "invisible", "2", 1): true, strings.Replace(mountinfo, "invisible", "0", 1): false,
		strings.Replace(mountinfo, " /proc ", " /jail/proc ", 1): false, "": false, "\n": false, "/proc": false,
	} {
		if got := hidesOthers(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzHidesOthers(f *testing.F) {
	f.Add(mountinfo)
	f.Add("22 27 0:21 / /proc rw shared:1 - proc proc rw,hidepid=ptraceable")
	f.Add("\n \n")
	f.Fuzz(func(t *testing.T, text string) {
		if hidesOthers(text) && !strings.Contains(text, "hidepid=") {
			t.Fatalf("%q hides others", text)
		}
	})
}
