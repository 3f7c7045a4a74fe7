package trace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// Many that need the library at once all get one, whole, and nothing else stays behind.
func TestLibraryOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b", "c")
	var wait sync.WaitGroup
	paths := make([]string, 3)
	for i := range paths {
		wait.Go(func() {
			var err error
			if paths[i], err = Library(t.Context(), LibraryOptions{Dir: dir}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || paths[0] != filepath.Join(dir, files[0].Name()) || len(slices.Compact(slices.Clone(paths))) != 1 {
		t.Fatalf("%v: %q, %q", err, names(files), paths)
	}
	before, _ := os.Stat(paths[0])
	again, err := Library(t.Context(), LibraryOptions{Dir: dir})
	after, err2 := os.Stat(again)
	if err := errors.Join(err, err2); err != nil || !os.SameFile(before, after) || before.ModTime() != after.ModTime() {
		t.Errorf("it was made again: %v", err)
	}
}

// Another compiler, or other options of it, make another library.
func TestLibraryByCompiler(t *testing.T) {
	dir := t.TempDir()
	a, err := Library(t.Context(), LibraryOptions{Dir: dir, CC: "gcc"})
	b, err2 := Library(t.Context(), LibraryOptions{Dir: dir, CC: "gcc -g"})
	if err := errors.Join(err, err2); err != nil || a == b {
		t.Errorf("%v: %s, %s", err, a, b)
	}
}

// One beside gpuci is taken without a compiler, unless it writes another format.
func TestLibraryBeside(t *testing.T) {
	dir := t.TempDir()
	built, err := os.ReadFile(builtWith(t, "gcc"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	o := LibraryOptions{Dir: dir, Beside: dir}
	_, err = Library(t.Context(), o)
	var none *NoCompiler
	if !errors.As(err, &none) || !slices.Equal(none.Asked, []string{"cc", "gcc", "clang"}) || !strings.Contains(err.Error(), "install gcc or clang") {
		t.Errorf("without a compiler: %v", err)
	}
	path := filepath.Join(dir, LibraryName)
	for text, good := range map[string]bool{string(built): true, string(built[:len(built)/2]): false, "\x7fELF gpuciTR1 ": false, "\x7fELF gpuciTR0 ": false, "": false} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Library(t.Context(), o)
		if good != (err == nil && got == path) || !good && !strings.Contains(err.Error(), path) {
			t.Errorf("%d bytes, %.20q: %s, %v", len(text), text, got, err)
		}
	}
}

// What the compiler says is in the error, and nothing stays behind.
func TestLibraryDoesNotCompile(t *testing.T) {
	dir := t.TempDir()
	for cc, want := range map[string]string{"gcc -std=none": "-std=none", "no-such-compiler": "no-such-compiler is not in PATH", "false": "ask the C compiler"} {
		_, err := Library(t.Context(), LibraryOptions{Dir: dir, CC: cc})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", cc, err)
		}
	}
	if _, err := Library(t.Context(), LibraryOptions{}); err == nil {
		t.Error("it was compiled nowhere")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v: %q", err, names(files))
	}
}

// builtWith compiles the library's sources with more flags.
func builtWith(t *testing.T, cc string, more ...string) string {
	t.Helper()
	files, err := filepath.Glob("inject/*.c")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "libgpuci-trace-test.so")
	args := slices.Concat(flags.before, []string{"-Wall", "-Wextra", "-Werror"}, more, []string{"-o", out}, files, flags.after)
	if text, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// Neither compiler has anything to say about the sources.
func TestLibraryWarnings(t *testing.T) {
	for _, cc := range []string{"gcc", "clang"} {
		if _, err := exec.LookPath(cc); err != nil {
			missing(t, err.Error())
		}
		builtWith(t, cc)
	}
}

// Threads that call at once, fork and capture show the sanitizers nothing.
func TestLibrarySanitized(t *testing.T) {
	script := []string{
		"init", "device 0", "push first", "pop", // NVTX's header races with itself where threads use it first
		"launch warm 1 1", "takes 100", "threads 8", "device 0", "repeat 300",
		"launch k$ 4 32", "launch shared 8 64 s$", "ex shared$ 8 64 s$", "alloc a$ 1000", "copy cuMemcpyHtoDAsync_v2 77 s$", "free a$",
		"allocasync b$ 5 s$", "push step", "freeasync b$ s$", "pop", "end",
		"begin s$", "launch k$ 4 32 s$", "finish s$ g$", "instantiate g$ e$", "replay e$ s$", "end", "say done",
	}
	for _, flag := range []string{"-fsanitize=thread", "-fsanitize=address,undefined"} {
		t.Run(flag, func(t *testing.T) {
			box := tracetest.Start(t, tracetest.Options{Flags: []string{flag, "-g"}, Include: headers(t, "nvtx3/nvToolsExt.h")})
			env, err := Attach(Attachment{Dir: t.TempDir(), Library: builtWith(t, "gcc", flag, "-g"), Timed: true}, box.Env())
			if err != nil {
				t.Fatal(err)
			}
			env = append(env, "ASAN_OPTIONS=detect_leaks=0") // what a script has at its end
			p := playWith(t, box.Command(env, script...))
			if p.process(); p.out != "done\n" {
				t.Error(p.out)
			}
		})
	}
}
