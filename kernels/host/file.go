package host

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// File is what was read of one source.
type File struct {
	Path     string   `json:"path"`
	Modules  []Module `json:"modules"` // that are loaded, or held ready to be
	Lookups  []Lookup `json:"lookups"` // of names in them
	Launches []Launch `json:"launches"`
	Unread   []Unread `json:"unread,omitempty"`
}

// Base is what the name of a module's file is relative to.
type Base string

// The bases. RunTime has no file: the device code is compiled while the program runs.
const (
	FromSource   Base = "source"             // the directory of the source
	FromOutDir   Base = "OUT_DIR"            // where the crate's build script writes
	FromManifest Base = "CARGO_MANIFEST_DIR" // the crate's directory
	FromWorking  Base = "working directory"  // of the program
	RunTime      Base = "run time"
)

// Module is a piece of device code that the source names.
type Module struct {
	Line int    `json:"line"`
	File string `json:"file,omitempty"` // as it is named there; "" of RunTime
	Base Base   `json:"base"`
	Key  string `json:"key,omitempty"` // the name it goes by elsewhere: of load_ptx, of a constant
	Marks
}

// Lookup is a name that is looked up in a module.
type Lookup struct {
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Modules []int  `json:"modules,omitempty"` // of File.Modules, any of which it may be; none: not read
	Key     string `json:"key,omitempty"`     // or the Key of a module, that may be of another source
	Listed  bool   `json:"listed,omitempty"`  // it is one of the names that load_ptx is given
	Marks
}

// Launch is one launch, or one place that launches one of several kernels.
type Launch struct {
	Line      int      `json:"line"`
	Form      Form     `json:"form"`
	Kernels   []string `json:"kernels,omitempty"` // any of which it may be; none: not read
	Lookups   []int    `json:"lookups,omitempty"` // of File.Lookups, that they come from
	Args      []Arg    `json:"args,omitempty"`
	ArgsKnown bool     `json:"args-known"`      // false: their count is not known
	Block     []int    `json:"block,omitempty"` // threads in x, y and z, where they are constants
	Marks
}

// Form is how a launch is written.
type Form string

// The forms. Of those for which Typed holds, the compiler has held the arguments
// against the kernel's declaration, and converted them.
const (
	Builder      Form = "launch_builder"
	Tuple        Form = "launch"
	LaunchMacro  Form = "launch!"
	Chevrons     Form = "<<<>>>"
	LaunchKernel Form = "cuLaunchKernel"
	LaunchEx     Form = "cudaLaunchKernelEx"
	Runtime      Form = "cudaLaunchKernel"
	Python       Form = "python call"
)

// Typed says whether a compiler has looked at the arguments.
func (f Form) Typed() bool { return f == Chevrons || f == LaunchEx }

// BySource says whether the kernel is named as in its source, and not as the driver
// looks it up.
func (f Form) BySource() bool { return f.Typed() || f == Runtime }

// Arg is one argument of a launch.
type Arg struct {
	Text    string `json:"text"`           // as written, shortened
	Type    string `json:"type,omitempty"` // where the source says it plainly
	Size    int    `json:"size,omitempty"` // bytes; 0: not known
	Pointer bool   `json:"pointer,omitempty"`
}

// Marks say under which conditions something is compiled at all.
type Marks struct {
	Test bool `json:"test,omitempty"` // only in tests
	Off  bool `json:"off,omitempty"`  // never: #if 0, cfg(any()), if false
}

// Unread is a place that was seen and could not be read.
type Unread struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
	Marks
}

// maxText is the length in bytes beyond which a source is not read: the largest written
// by hand are a tenth of it, and what is larger is bindings that launch nothing.
const maxText = 1 << 20

// Read reads the text of the source at path, whose language is told by its name.
func Read(path, text string) File {
	f := File{Path: path}
	l, ok := languageOf(path)
	switch {
	case !ok:
		f.Unread = []Unread{{Line: 1, Why: "its name says neither Rust, C++ nor Python"}}
		return f
	case !l.mentions(text):
		return f
	case len(text) > maxText:
		f.Unread = []Unread{{Line: 1, Why: "it has over 1 MiB"}}
		return f
	}
	s := newSource(&f, l, text)
	switch l {
	case rust:
		s.readRust()
	case cpp:
		s.readCPP()
	case python:
		s.readPython()
	}
	if s.steps <= 0 {
		s.unread(0, "it is too tangled: reading was given up, and there may be more in it")
	}
	f.order()
	return f
}

func languageOf(path string) (language, bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".rs":
		return rust, true
	case ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl":
		return cpp, true
	case ".py":
		return python, true
	}
	return 0, false
}

// order sorts what was not read; the rest is found in the order of the text, and is
// referred to by its place there.
func (f *File) order() {
	slices.SortStableFunc(f.Unread, func(a, b Unread) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Why, b.Why))
	})
	f.Unread = slices.Compact(f.Unread)
}

// testPath says whether a source is compiled for tests alone, by where it is.
func testPath(path string) bool {
	base := filepath.Base(path)
	for _, part := range strings.Split(filepath.ToSlash(filepath.Dir(path)), "/") {
		if part == "tests" || part == "test" {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(strings.TrimSuffix(base, filepath.Ext(base)), "_test")
}
