package reaper

import (
	"slices"
	"testing"
	"time"
)

func TestTool(t *testing.T) {
	f := newFamily(nil)
	for name, want := range map[string]string{
		"ld": "ld", "ld.mold": "ld.mold", "lto-wrapper": "lto-wrapper", "gpuci-link": "gpuci-link", "c++": "c++",
		"clang-22": "clang", "clang++-22.1": "clang++", "gcc-12": "gcc", "ld.lld-15": "ld.lld",
		"x86_64-linux-gnu-gcc-12": "gcc", "arm-linux-ld.bfd": "ld.bfd", "x86_64-linux-gnu-ld": "ld",
		"x86_64-linux-musl-lto-wrapper-12": "lto-wrapper", "aarch64-unknown-linux-gnu-ld": "ld", "armv7hl-suse-linux-ld.gold": "ld.gold",
		"": "", "-": "", "ldd": "", "my-ld": "", "gcc-": "", "gcc-x": "", "gcc-1.": "", "-12": "", "gpuci": "", "cargo": "",
		"x86_64-ld": "", "x86_64--gnu-ld": "", "x86_64-a-b-c-d-ld": "", "x86-64-linux-gnu-ld": "", "mips32r6-linux-ld": "", "a-b-c-ld": "", "run-me-as": "", "a-b-c-d-e-ld": "", "--ld": "", "python3": "", "rustc2": "", "build-script-builder": "",
	} {
		if got := f.tool(name); got != want {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
	own := newFamily([]string{"zig", ""})
	if own.tool("zig-0.14") != "zig" || own.tool("ld") != "" || own.tool("") != "" {
		t.Error("a family of one's own is not the default one")
	}
}

func FuzzTool(f *testing.F) {
	for _, seed := range []string{"ld", "x86_64-linux-gnu-gcc-12", "aarch64-unknown-linux-gnu-ld", "clang-22.1", "---", "a-b-cc", "cc-1.-2"} {
		f.Add(seed)
	}
	names := DefaultFamily()
	fam := newFamily(nil)
	f.Fuzz(func(t *testing.T, name string) {
		if tool := fam.tool(name); tool != "" && !slices.Contains(names, tool) {
			t.Errorf("%q: %q is not in the family", name, tool)
		}
	})
}

func TestTestBinary(t *testing.T) {
	for path, want := range map[string]bool{
		"/debug/deps/fused-0123456789abcdef": true, "/x86_64-unknown-linux-gnu/release/deps/a-b-00000000000000ff": true,
		"/release/train": false, "/deps/fused-0123456789abcdef": false, "/a/b/c/deps/fused-0123456789abcdef": false,
		"/debug/deps/fused-0123456789ABCDEF": false, "/debug/deps/fused-0123456789abcde": false,
		"/debug/deps/-0123456789abcdef": false, "/debug/deps/fused": false, "/debug/build/fused-0123456789abcdef": false, "": false,
	} {
		if got := testBinary(path); got != want {
			t.Errorf("%q: %t", path, got)
		}
	}
}

func TestInside(t *testing.T) {
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"/wt/kda", "/wt/kda", true}, {"/wt/kda/src", "/wt/kda", true}, {"/wt/kda/src", "/wt/kda/", true},
		{"/wt/kda2", "/wt/kda", false}, {"/wt", "/wt/kda", false}, {"/wt/kda", "", false}, {"/wt/kda", "/", false}, {"", "", false},
	} {
		if got := inside(c.path, c.dir); got != c.want {
			t.Errorf("%q in %q: %t", c.path, c.dir, got)
		}
	}
}

func TestReportString(t *testing.T) {
	of := func(n int, tool, lane string, age time.Duration) (out []Kill) {
		for range n {
			out = append(out, Kill{Judged: Judged{Process: Process{Age: age}, Tool: tool, Lane: lane}})
		}
		return out
	}
	r := Report{Swept: slices.Concat(of(7, "ld.mold", "kda", time.Minute), of(12, "rustc", "kda", 10*time.Minute))}
	if want := "swept 19 leaked (lane kda; oldest 10m0s): 12 rustc, 7 ld.mold"; r.String() != want {
		t.Errorf("%q; want %q", r, want)
	}
	r.Swept = append(r.Swept, of(1, "as", "main", 0)...)
	if want := "swept 20 leaked (lanes kda, main; oldest 10m0s): 12 rustc, 7 ld.mold, 1 as"; r.String() != want {
		t.Errorf("%q; want %q", r, want)
	}
}
