package trace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// sources are those of the library that is loaded into the program.
//
//go:embed inject/*.c inject/*.h
var sources embed.FS

// LibraryName is what the library is called where it was built beforehand, beside gpuci.
const LibraryName = "libgpuci-trace.so"

// LibraryOptions say where the injected library is, or how it is made.
type LibraryOptions struct {
	Dir    string // where it is kept once it was compiled
	CC     string // the C compiler, with options if need be; "": cc, gcc or clang of PATH
	Beside string // the directory of gpuci, which may have one built beforehand; "": it has none
}

// Library gives the library's path: one beside gpuci, else one that is compiled into Dir
// the first time and found there later. Its name has a sum of its sources and of what the
// compiler says of itself, so that another gpuci or compiler makes another, and one that is
// mapped into a running program is never written to. Without a compiler the error is a
// *[NoCompiler].
func Library(ctx context.Context, o LibraryOptions) (string, error) {
	if o.Beside != "" {
		path := filepath.Join(o.Beside, LibraryName)
		there, err := builtBefore(path)
		if there || err != nil {
			return path, err
		}
	}
	cc, err := findCompiler(ctx, o.CC)
	if err != nil {
		return "", err
	}
	if o.Dir == "" {
		return "", errors.New("compile the library for tracing: no directory was named to keep it in")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", fmt.Errorf("compile the library for tracing: %w", err)
	}
	sum, err := sourcesSum(cc)
	if err != nil {
		return "", err
	}
	if err := safeDirectory(dir); err != nil {
		return "", unlessUnsafe(err)
	}
	sweepCompiling(dir, time.Now())
	path := filepath.Join(dir, "libgpuci-trace-"+sum+".so")
	if usable(path) {
		return path, nil
	}
	if err := compileTo(ctx, cc, path); err != nil {
		return "", fmt.Errorf("compile the library for tracing: %w", err)
	}
	return path, nil
}

// unlessUnsafe says of what an error is.
func unlessUnsafe(err error) error {
	var unsafe *UnsafePlace
	if errors.As(err, &unsafe) {
		return err
	}
	return fmt.Errorf("compile the library for tracing: %w", err)
}

// builtBefore is whether there is a library that writes what this gpuci reads: the mark of
// the format stands in it as it stands in its files.
func builtBefore(path string) (bool, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the library for tracing: %w", err)
	}
	if !bytes.Contains(data, []byte(magic)) {
		return false, fmt.Errorf("use %s: it is not the library of this gpuci: take it away, and gpuci compiles its own", path)
	}
	if err := whole(path); err != nil {
		return false, fmt.Errorf("use %s: it is not whole: take it away, and gpuci compiles its own: %w", path, err)
	}
	return true, nil
}

// sourcesSum names what a compiler makes of the sources.
func sourcesSum(cc compiler) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", cc.argv, cc.says, flags)
	err := fs.WalkDir(sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:20], err
}

// compileTo makes the library beside its place and moves it there whole: of two that do
// so at once, the later one puts the same in its place.
func compileTo(ctx context.Context, cc compiler, path string) error {
	at, err := newCompiling(path)
	if err != nil {
		return err
	}
	defer at.done()
	if err := os.CopyFS(at.dir, sources); err != nil {
		return err
	}
	made := filepath.Join(at.dir, "made")
	names, err := fs.Glob(sources, "inject/*.c") // the directory's own name may have a pattern's characters in it
	if err != nil {
		return err
	}
	var files []string
	for _, name := range names {
		files = append(files, filepath.Join(at.dir, name))
	}
	if err := cc.compile(ctx, made, files); err != nil {
		return err
	}
	if err := whole(made); err != nil {
		return &NotCompiled{fmt.Errorf("%s made no library that can be loaded: %w", cc.argv[0], err)}
	}
	return cmp.Or(os.Chmod(made, 0o755), synced(made), os.Rename(made, path))
}

// synced sees to it that a file is whole before its name is there.
func synced(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
