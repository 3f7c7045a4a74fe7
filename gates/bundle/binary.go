package bundle

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Needs are what machine code asks of the machine it runs on.
type Needs struct {
	Arch      string   `json:"arch"`                // EM_X86_64, EM_AARCH64
	Loader    string   `json:"loader,omitempty"`    // "" for what is linked statically
	Glibc     string   `json:"glibc,omitempty"`     // the newest of its versions that is named: "2.34"
	Libraries []string `json:"libraries,omitempty"` // beside those of glibc
}

// ofGlibc are the libraries that come with it.
var ofGlibc = []string{"libc", "libm", "libdl", "libpthread", "librt", "libresolv", "libutil", "ld-linux-x86-64", "ld-linux-aarch64"}

const (
	glibcPrefix = "GLIBC_"
	cuda        = elf.Machine(190) // EM_CUDA
)

// needsOf reads them off an ELF file; nil for any other, and for device code.
func needsOf(r io.ReaderAt) *Needs {
	f, err := elf.NewFile(r)
	if err != nil || f.Machine == cuda || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil
	}
	n := &Needs{Arch: f.Machine.String()}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 1<<12 {
			path, _ := io.ReadAll(p.Open())
			n.Loader = strings.TrimRight(string(path), "\x00")
		}
	}
	libraries, _ := f.ImportedLibraries()
	for _, l := range libraries {
		if name, _, _ := strings.Cut(l, ".so"); !slices.Contains(ofGlibc, name) && !slices.Contains(n.Libraries, l) {
			n.Libraries = append(n.Libraries, l)
		}
	}
	slices.Sort(n.Libraries)
	symbols, _ := f.ImportedSymbols()
	for _, s := range symbols {
		n.Glibc = newer(n.Glibc, s.Version)
	}
	return n
}

// newer is the newer of a version of glibc and one as symbols have it.
func newer(have, symbol string) string {
	version, ok := strings.CutPrefix(symbol, glibcPrefix)
	if ok && numbers(version) != nil && slices.Compare(numbers(version), numbers(have)) > 0 {
		return version
	}
	return have
}

// numbers are those of a version; nil where it is none, as GLIBC_PRIVATE.
func numbers(version string) (out []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// Text says in a few words what is needed, for people; "" for nothing.
func (n *Needs) Text() string {
	var parts []string
	if n.Glibc != "" {
		parts = append(parts, "glibc "+n.Glibc)
	}
	return strings.Join(append(parts, n.Libraries...), ", ")
}

// machines are the names of architectures in ELF files.
var machines = map[string]string{"amd64": elf.EM_X86_64.String(), "arm64": elf.EM_AARCH64.String()}

// unfit says why this machine cannot run it; "" where nothing speaks against it. Which
// libraries are there only the loader knows.
func (n *Needs) unfit() string {
	if here := machines[runtime.GOARCH]; here != "" && n.Arch != here {
		return fmt.Sprintf("is for %s, and this machine is %s", n.Arch, here)
	}
	if n.Loader == "" {
		return ""
	}
	loader, err := filepath.EvalSymlinks(n.Loader)
	if err != nil {
		return "needs " + n.Loader + ", which is not here (it is for a Linux with glibc)"
	}
	have := glibcAt(filepath.Join(filepath.Dir(loader), "libc.so.6"))
	if have != "" && n.Glibc != "" && slices.Compare(numbers(n.Glibc), numbers(have)) > 0 {
		return "needs glibc " + n.Glibc + ", and here is " + have
	}
	return ""
}

// glibcAt is the newest version that a C library defines; "" where that cannot be told.
func glibcAt(path string) (version string) {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return ""
	}
	defined, err := f.DynamicVersions()
	if err != nil {
		return ""
	}
	for _, v := range defined {
		version = newer(version, v.Name)
	}
	return version
}
