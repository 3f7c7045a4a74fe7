package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
)

// TestEveryContainer puts the same kernels into each kind of file, and must find
// the same in each, with the types of PTX in the cubins.
func TestEveryContainer(t *testing.T) {
	need(t, "nvcc")
	fatbin := compile(t, "plain.fatbin", "-fatbin")
	want := summary(file(t, fatbin))
	if lines := strings.Count(want, "\n"); lines != 15 || !strings.Contains(want, "cubin sm_90 bounded(u64)") || !strings.Contains(want, "ptx sm_90 add<float>(float*, float)(u64 f32)") {
		t.Fatalf("the fat binary has\n%s", want)
	}
	object := compile(t, "plain.o", "-c")
	dir := filepath.Dir(object)
	run(t, dir, need(t, "cc"), "-shared", "-o", "libplain.so", "-Wl,--unresolved-symbols=ignore-all", "plain.o")
	run(t, dir, need(t, "ar"), "rc", "libplain.a", "plain.o")
	run(t, dir, need(t, "ar"), "rcT", "libthin.a", "plain.o")
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, dir, need(t, "cc"), "-no-pie", "-o", "plain", "-Wl,--unresolved-symbols=ignore-all", "main.c", "plain.o")
	long := "an_object_whose_name_does_not_fit_into_a_member.o"
	if err := os.Link(object, filepath.Join(dir, long)); err != nil {
		t.Fatal(err)
	}
	run(t, dir, need(t, "ar"), "rc", "liblong.a", long)
	for _, path := range []string{
		object, filepath.Join(dir, "libplain.so"), filepath.Join(dir, "libplain.a"), filepath.Join(dir, "liblong.a"), filepath.Join(dir, "plain"),
	} {
		if d := cmp.Diff(want, summary(file(t, path))); d != "" {
			t.Errorf("%s (-fat binary +this):\n%s", filepath.Base(path), d)
		}
	}
	if got := file(t, filepath.Join(dir, "liblong.a"))[1].Part; !strings.HasPrefix(got, long+"/2.sm_90.") {
		t.Errorf("a member's part is %q", got)
	}
	if _, err := File(t.Context(), filepath.Join(dir, "libthin.a"), Options{}); err == nil || !strings.Contains(err.Error(), "thin archive") {
		t.Errorf("a thin archive: %v", err)
	}
}

// summary is what the modules have, a line each kernel, in any order of modules.
func summary(modules []entry.Module) string {
	var lines []string
	for _, m := range modules {
		for _, k := range m.Kernels {
			name := k.Readable
			if name == "" {
				name = k.Name
			}
			if at := strings.Index(name, "add<"); at >= 0 {
				name = name[at:]
			}
			var types []string
			for _, p := range k.Params {
				types = append(types, p.Type)
			}
			lines = append(lines, fmt.Sprintf("%s %s %s(%s) known %v, code %v, atomics %d", m.Kind, m.Arch, name, strings.Join(types, " "), k.ParamsKnown, k.Code != nil, len(k.Atomics)))
		}
		for _, u := range m.Unread {
			lines = append(lines, "unread: "+u)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// TestUnpacksWhatCuobjdumpDoes holds the elements of a fat binary against the files
// that cuobjdump makes of it, byte for byte.
func TestUnpacksWhatCuobjdumpDoes(t *testing.T) {
	cuobjdump := need(t, "cuobjdump")
	for _, mode := range []string{"none", "size", "speed"} {
		path := compile(t, mode+".fatbin", "-fatbin", "-Xfatbin", "-compress-mode="+mode, "-Xfatbin", "-compress-all")
		dir := t.TempDir()
		run(t, dir, cuobjdump, "-xelf", "all", "-xptx", "all", path)
		made, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(made) != 3 {
			t.Fatalf("cuobjdump made %v, %v", made, err)
		}
		modules := file(t, path)
		if len(modules) != 3 {
			t.Fatalf("%s: %d modules", mode, len(modules))
		}
		for _, m := range modules {
			found := false
			for _, f := range made {
				if strings.HasSuffix(f, m.Arch+"."+m.Kind) {
					one := file(t, f)
					Join(append(one, modules...))
					one[0].File, one[0].Part = m.File, m.Part
					if d := cmp.Diff(one[0], m); d != "" {
						t.Errorf("%s, %s (-cuobjdump +ours):\n%s", mode, m.Part, d)
					}
					found = true
				}
			}
			if !found {
				t.Errorf("%s: cuobjdump has no %s", mode, m.Part)
			}
		}
	}
}

func TestFileErrors(t *testing.T) {
	cubin, err := os.ReadFile("../cubin/testdata/abi8.cubin")
	if err != nil {
		t.Fatal(err)
	}
	fat := packed(t, element{kindCubin, 100, 0, cubin, 0})
	for name, c := range map[string]struct {
		data []byte
		o    Options
		want string
		none bool
	}{
		"text":               {data: []byte("hello"), want: "no device code in it", none: true},
		"empty":              {data: nil, want: "no device code in it", none: true},
		"archive of nothing": {data: []byte(magicArchive), want: "no device code in it", none: true},
		"archive cut off":    {data: []byte(magicArchive + "a.o/            0           0     0     644     999999    `\n"), want: "cut off"},
		"ELF cut off":        {data: []byte("\x7fELF\x02\x01\x01"), want: "read ELF: truncated: it has 7 bytes"},
		"ELF of 32 bits":     {data: append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 99)...), want: "another kind than 64 bits", none: true},
		"overlapping":        {data: overlapping(60_000, fat), want: "sections come to more than 2 times"},
		"nested too deep":    {data: nested(maxArchives+1, fat), want: "more than 8 lie in each other"},
		"fat binary cut off": {data: fat[:len(fat)-8], want: "truncated"},
		"too much":           {data: fat, o: Options{MaxBytes: 100}, want: "more device code than"},
		"junk behind":        {data: append(bytes.Clone(fat), "junk junk junk junk"...), want: "no header at"},
	} {
		_, err := File(t.Context(), write(t, "file", c.data), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrNone) != c.none {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := File(t.Context(), t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := File(t.Context(), filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := File(ctx, write(t, "file", fat), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestJoin(t *testing.T) {
	param := func(size int, kind string) []entry.Param { return []entry.Param{{Size: size, Type: kind, Align: size}} }
	kernel := func(name string, p []entry.Param, known bool) entry.Kernel {
		return entry.Kernel{Name: name, Params: p, ParamsKnown: known}
	}
	modules := []entry.Module{
		{Kind: "cubin", Kernels: []entry.Kernel{
			kernel("same", param(8, ""), true), kernel("grown", param(8, ""), true), kernel("unknown", param(8, ""), false),
			kernel("disputed", param(8, ""), true), kernel("alone", param(8, ""), true),
		}},
		{Kind: "ptx", Kernels: []entry.Kernel{
			kernel("same", param(8, "u64"), true), kernel("grown", param(4, "u32"), true), kernel("unknown", param(8, "u64"), true), kernel("disputed", param(8, "u64"), true),
		}},
		{Kind: "ptx", Kernels: []entry.Kernel{kernel("same", param(8, "u64"), true), kernel("disputed", param(8, "f64"), true)}},
	}
	Join(modules)
	for _, k := range modules[0].Kernels {
		want := map[string]string{"same": "u64"}[k.Name]
		if got := k.Params[0].Type; got != want {
			t.Errorf("%s: type %q, want %q", k.Name, got, want)
		}
	}
}

func TestReadable(t *testing.T) {
	for name, want := range map[string]string{
		"plain":            "plain",
		"_Z3addIfEvPT_S0_": "void add<float>(float*, float)",
		"__nv_static_32__d7e99391_10_onerank_cu_24390e2c__ZN43_GLOBAL__N__d7e99391_10_onerank_cu_24390e2c4tinyIfEEvPT_": "void (anonymous namespace)::tiny<float>(float*)",
		"__nv_static_999__short":                  "__nv_static_999__short",
		"_Z" + strings.Repeat("1a", 1<<20):        "_Z" + strings.Repeat("1a", 1<<20),
		"_Z3addIfEvPT_S0_" + "$not a name at all": "_Z3addIfEvPT_S0_$not a name at all",
	} {
		if got := Readable(name); got != want {
			t.Errorf("%.60s: %.200q, want %.60q", name, got, want)
		}
	}
}
