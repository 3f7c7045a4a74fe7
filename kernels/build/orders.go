package build

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/cache"
)

// orders are all that the compiler is told besides the unit: the set's flags, those of the
// environment, and what stands in files of options, and in files that those name.
type orders struct {
	words []string // of nvcc
	own   []string // those of them that are no words for another tool
	host  []string // of the host compiler and of those it hands words to
	tools []string // of cicc, cudafe++ and fatbinary
	ptxas []string // of ptxas
	shell string   // what of them a shell would take for its own
	files strings.Builder
	names []string // variables of the environment that stand in any of them
	blind string   // what in them cannot be followed; "" if all can

	set  Set
	seen map[string]bool // files that were read
}

// maxOptions is the size in bytes of a file of options, and far above any.
const maxOptions = 1 << 20

// orders reads the flags and all that they name. With an error come those that were read.
func (s Set) orders(env []string) (*orders, error) {
	t := &orders{set: s, seen: make(map[string]bool)}
	all := append(words(variable(env, "NVCC_PREPEND_FLAGS")), s.Flags...)
	if err := t.nvcc(append(all, words(variable(env, "NVCC_APPEND_FLAGS"))...)); err != nil {
		return t, err
	}
	for name, take := range map[string]func([]string) error{
		"PTXAS_FLAGS": t.ofPtxas, "OCG_FLAGS": t.ofPtxas, "CUDAFE_FLAGS": t.ofTools, "NVVM_FLAGS": t.ofTools, "CICC_FLAGS": t.ofTools,
		"FATBINARY_FLAGS": t.ofTools, "INCLUDES": t.ofHost, "SYSTEM_INCLUDES": t.ofHost, "CCC_OVERRIDE_OPTIONS": t.ofClang,
	} {
		if err := take(t.handed(variable(env, name))); err != nil {
			return t, err
		}
	}
	for _, w := range slices.Concat(t.words, t.host, t.tools, t.ptxas, s.Include) {
		names, blind := expanded(w)
		t.names = append(t.names, names...)
		if blind {
			t.stop("a shell fills in " + w)
		}
	}
	return t, nil
}

// stop says that something cannot be followed; the first reason stands.
func (t *orders) stop(why string) {
	if t.blind == "" {
		t.blind = why
	}
}

// value is the value of the option at i: behind its =, or the next word, which is taken
// with it.
func value(all []string, i int) (name, v string, next int) {
	name, v, joined := strings.Cut(all[i], "=")
	if !joined && i+1 < len(all) {
		return name, all[i+1], i + 2
	}
	return name, v, i + 1
}

// nvcc takes words of nvcc.
func (t *orders) nvcc(all []string) error {
	t.words = append(t.words, all...)
	for i := 0; i < len(all); {
		var err error
		w := all[i]
		name, v, next := value(all, i)
		switch name {
		case "-optf", "--options-file":
			err = t.each(v, t.nvcc)
		case "-Xcompiler", "--compiler-options":
			err = t.ofHost(t.parted(v))
		case "-Xptxas", "--ptxas-options":
			err = t.ofPtxas(t.parted(v))
		case "-ldir", "--libdevice-directory":
			err = t.libdevice(v)
		default:
			if strings.HasPrefix(w, "-X") { // of cicc, cudafe++, fatbinary
				err = t.ofTools(t.parted(v))
				break
			}
			next = i + 1
			t.own = append(t.own, w)
			if name == "-noprof" || name == "--dont-use-profile" {
				t.stop("with " + w + " the tools behind nvcc are not known")
			}
			if strings.HasPrefix(w, "@") {
				t.stop("what " + w + " is, was not read")
			}
		}
		i = next
		if err != nil {
			return fmt.Errorf("read the options of flag %s: %w", w, err)
		}
	}
	return t.splitPtxas()
}

// each reads files of options, which commas part, and hands their words on.
func (t *orders) each(paths string, take func([]string) error) error {
	for path := range strings.SplitSeq(paths, ",") {
		path = t.set.absolute(path)
		if t.seen[path] {
			continue
		}
		t.seen[path] = true
		text, err := cache.ReadRegular(path, maxOptions)
		if err != nil {
			return err
		}
		fmt.Fprintf(&t.files, "%s %q\n", within(t.set.Root, path), text)
		if err := take(words(string(text))); err != nil {
			return err
		}
	}
	return nil
}

// libdevice adds the libraries that are linked into every kernel instead of the
// toolkit's own.
func (t *orders) libdevice(dir string) error {
	dir = t.set.absolute(dir)
	found, err := filepath.Glob(filepath.Join(dir, "*.bc"))
	for _, path := range found {
		f, rerr := readFile(path, false)
		if rerr != nil {
			return rerr
		}
		fmt.Fprintf(&t.files, "%s %s\n", within(t.set.Root, path), f.Sum)
	}
	return err
}

// text is every word, for those who look for something anywhere in them.
func (t *orders) text() string {
	return strings.Join(slices.Concat(t.words, t.host, t.tools, t.ptxas), " ") + t.files.String()
}
