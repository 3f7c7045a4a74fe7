package cuda

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/cubin"
	"gpuci/kernels/launch"
)

// Cubin is device code of one architecture.
type Cubin struct {
	Path    string
	Arch    string // "sm_90a"
	Toolkit string // "13.0"; "" where it does not say
	Kernels []Kernel
}

// Kernel is an entry of a cubin.
type Kernel struct {
	Name   string
	Params []int // bytes of each; nil: not known
}

// Read reads all cubins of a directory and those below.
func Read(dir string) (list []Cubin, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".cubin" {
			return err
		}
		c, err := readCubin(path)
		if err != nil {
			return err
		}
		list = append(list, c)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = errors.New("there is none in it")
	}
	if err != nil {
		return nil, fmt.Errorf("read cubins of %s: %w; gpuci kernels build makes them", dir, err)
	}
	return list, nil
}

func readCubin(path string) (Cubin, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Cubin{}, err
	}
	m, err := cubin.Brief(data)
	if err != nil {
		return Cubin{}, fmt.Errorf("%s: %w", path, err)
	}
	c := Cubin{Path: path, Arch: m.Arch, Toolkit: m.Toolkit}
	for _, k := range m.Kernels {
		one := Kernel{Name: k.Name}
		if k.ParamsKnown {
			one.Params = []int{}
		}
		for _, p := range k.Params {
			one.Params = append(one.Params, p.Size)
		}
		c.Kernels = append(c.Kernels, one)
	}
	return c, nil
}

// Toolkit names what made cubins, as one word: "nvcc-13.0".
func Toolkit(list []Cubin) string {
	var words []string
	for _, c := range list {
		word := "nvcc-" + c.Toolkit
		if c.Toolkit == "" {
			word = "nvcc"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, "+")
}

// Choose takes, for each source (k.cu of k.sm_90.cubin), the cubin that suits the card
// best.
func Choose(list []Cubin, sources []string, arch string) (chosen []Cubin, err error) {
	for _, source := range sources {
		stem := strings.TrimSuffix(source, filepath.Ext(source))
		best, others := -1, []string{}
		for i, c := range list {
			if name, _, _ := strings.Cut(filepath.Base(c.Path), "."); name != stem {
				continue
			}
			others = append(others, c.Arch)
			if Suits(c.Arch, arch) && (best < 0 || c.Arch > list[best].Arch) {
				best = i
			}
		}
		switch {
		case best >= 0:
			chosen = append(chosen, list[best])
		case len(others) == 0:
			return nil, &Error{NoCubin, fmt.Sprintf("choose cubin: there is none of %s among %d; gpuci kernels build makes them", source, len(list))}
		default:
			return nil, &Error{WrongArch, fmt.Sprintf("choose cubin: of %s there is %s, and the card is %s; compile for it", source, strings.Join(others, ", "), arch)}
		}
	}
	return chosen, nil
}

// Suits says whether a card of an architecture runs a cubin of another: one of the same
// major version that is not newer, where the cubin is for this one alone (sm_90a) the
// same ("Binary Compatibility" in the CUDA C++ Programming Guide).
func Suits(cubin, card string) bool {
	exact := strings.HasSuffix(cubin, "a")
	family := strings.HasSuffix(cubin, "f")
	of, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(cubin, "sm_"), "af"))
	on, other := strconv.Atoi(strings.TrimPrefix(card, "sm_"))
	if err != nil || other != nil {
		return false
	}
	if exact {
		return of == on
	}
	return of/10 == on/10 && of <= on && (!family || on-of < 10)
}

// fit refuses a launch that the cubins contradict: a kernel that none has, or another
// number or size of arguments, which a card would take from whatever lies beside them.
func fit(job launch.Job, cubins []Cubin) error {
	for i, l := range job.Launches {
		k, ok := find(cubins, l.Kernel)
		if !ok {
			return &Error{NoEntry, fmt.Sprintf("launch %d: no cubin has a kernel %q", i+1, l.Kernel)}
		}
		if err := Fit(l, k.Params); k.Params != nil && err != nil {
			return &Error{BadJob, fmt.Sprintf("launch %d: %v", i+1, err)}
		}
	}
	return nil
}

// Fit holds the arguments of a launch against the bytes of each parameter of its kernel:
// the driver takes as many as the kernel has, whatever it is given.
func Fit(l launch.Launch, params []int) error {
	if len(params) != len(l.Args) {
		return &Error{BadJob, fmt.Sprintf("%s takes %d arguments and is given %d", l.Kernel, len(params), len(l.Args))}
	}
	for n, a := range l.Args {
		size := 4
		if a.Buffer != "" {
			size = 8
		}
		if params[n] != size {
			return &Error{BadJob, fmt.Sprintf("argument %d of %s has %d bytes, and is given %d", n+1, l.Kernel, params[n], size)}
		}
	}
	return nil
}

// Params are the bytes of each parameter of a kernel, as the cubins at these paths say;
// nil where none can be read that does.
func Params(paths []string, kernel string) []int {
	for _, path := range paths {
		if c, err := readCubin(path); err == nil {
			if k, ok := find([]Cubin{c}, kernel); ok {
				return k.Params
			}
		}
	}
	return nil
}

func find(cubins []Cubin, kernel string) (Kernel, bool) {
	for _, c := range cubins {
		for _, k := range c.Kernels {
			if k.Name == kernel {
				return k, true
			}
		}
	}
	return Kernel{}, false
}
