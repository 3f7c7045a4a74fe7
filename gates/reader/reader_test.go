package reader

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNew(t *testing.T) {
	for _, name := range Names() {
		r, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Line(Stdout, []byte("hello")); string(text) != "hello" {
			t.Errorf("%s turns a line of a test into %q", name, text)
		}
		if text := r.Line(Stdout, []byte{}); text == nil {
			t.Errorf("%s takes an empty line for framing", name)
		}
		if diff := cmp.Diff(Counts{}, r.Counts()); diff != "" {
			t.Errorf("%s counts what is not there:\n%s", name, diff)
		}
	}
	for name, want := range map[string]string{
		"junit":        "there is none of that name",
		"junit:":       "names no files below",
		"junit:/a.xml": "names no files below",
		"junit:../*":   "names no files below",
		"junit:a/":     "names no files below",
		"junit:a/[b/c": `mend "[b" in it`,
		"libtst":       "write one of libtest, gotest, pytest, ctest, counters, none, or junit:GLOB",
		"":             "there is none of that name",
	} {
		if _, err := New(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%q) = %v, want %q", name, err, want)
		}
	}
}

func TestRan(t *testing.T) {
	c := Counts{Passed: 1, Failed: 2, Ignored: 4, Measured: 8, Filtered: 16}
	if got := c.Ran(); got != 11 {
		t.Errorf("Ran() = %d, want passed, failed and measured: 11", got)
	}
}

func TestArgv(t *testing.T) {
	for in, want := range map[string]string{
		"go test":                          "go test -json -count=1",
		"go test ./...":                    "go test -json -count=1 ./...",
		"/usr/local/go/bin/go test -v ./a": "/usr/local/go/bin/go test -json -count=1 -v ./a",
		"go test ./a -args -json -c":       "go test -json -count=1 ./a -args -json -c",
		"go test ./a --args -c":            "go test -json -count=1 ./a --args -c",
		"go test -json ./a":                "go test -count=1 -json ./a",
		"go test --json ./a":               "go test -count=1 --json ./a",
		"go test -json=false ./a":          "go test -count=1 -json=false ./a",
		"go test -count 3 -json ./a":       "go test -count 3 -json ./a",
		"go test -test.count=3 -co - ./a":  "go test -json -test.count=3 -co - ./a",
		"go test ./a -c":                   "go test ./a -c",
		"go test -count=1 -cover ./a":      "go test -json -count=1 -cover ./a",
		"go vet ./a":                       "go vet ./a",
		"go":                               "go",
		"gotestsum test":                   "gotestsum test",
	} {
		argv := strings.Fields(in)
		if got := strings.Join(Argv("gotest", argv), " "); got != want {
			t.Errorf("Argv(%q) = %q, want %q", in, got, want)
		}
		if strings.Join(argv, " ") != in {
			t.Errorf("Argv(%q) changed its argument", in)
		}
		if got := strings.Join(Argv("libtest", argv), " "); got != in {
			t.Errorf("Argv of libtest changed %q to %q", in, got)
		}
	}
}

// noise is what programs print that is not a harness's.
var noise = []string{
	"step 1200 loss 2.3481 tokens/s 184320 mem 41.2GiB",
	"    at src/kernels/fused_adjoint.rs:412:17 worst rel 6.3e-7 on d_g",
	"[2026-11-29T12:00:00Z INFO  trainer] checkpoint written in 3.2s, nothing else to say",
	"test this line begins as the harness's do but is longer than it and says nothing",
	"running away with the numbers of another kernel",
	"--- a/kernels/kda.cu",
	"=== section ===",
	"12 kernels / 3 streams, 4 passed",
	"!!! careful !!!",
	"collected garbage of 3 items",
}

func BenchmarkNoise(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			r, err := New(name)
			if err != nil {
				b.Fatal(err)
			}
			r.Line(Stdout, []byte("running 7 tests"))
			r.Line(Stdout, []byte("=== RUN   TestA"))
			r.Line(Stdout, []byte("=== test session starts ==="))
			r.Line(Stdout, []byte("Test project /build"))
			lines := make([][]byte, len(noise))
			for i, s := range noise {
				lines[i] = []byte(s)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Line(Stdout, Plain(lines[i%len(lines)]))
			}
		})
	}
}

// BenchmarkEvent is a line that a test prints below go test -json.
func BenchmarkEvent(b *testing.B) {
	r := &gotest{}
	r.Line(Stdout, []byte(`{"Time":"2026-11-29T12:00:00.000000001Z","Action":"start","Package":"m/pass"}`))
	line := []byte(`{"Time":"2026-11-29T12:00:00.000000001Z","Action":"output","Package":"m/pass","Test":"TestA","Output":"step 1200 loss 2.3481 tokens/s 184320 mem 41.2GiB\n"}`)
	b.ReportAllocs()
	for b.Loop() {
		r.Line(Stdout, Plain(line))
	}
}

// Whatever a test prints, its lines cost no memory.
func TestNoiseAllocatesNothing(t *testing.T) {
	for _, name := range Names() {
		r, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		r.Line(Stdout, []byte("=== RUN   TestA"))
		r.Line(Stdout, []byte("=== test session starts ==="))
		r.Line(Stdout, []byte("Test project /build"))
		for _, s := range noise {
			line := []byte(s)
			if n := testing.AllocsPerRun(100, func() { r.Line(Stdout, line) }); n != 0 {
				t.Errorf("%s: %v allocations for %q, want none", name, n, s)
			}
		}
	}
}
