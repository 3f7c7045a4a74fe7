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
	host  []string // of the host compiler, behind -Xcompiler
	ptxas []string // of ptxas
	files strings.Builder
	names []string // variables of the environment that stand in any of them
	blind string   // what in them cannot be followed; "" if all can

	set  Set
	seen map[string]bool // files that were read
}

// maxOptions is the size in bytes of a file of options, and far above any.
const maxOptions = 1 << 20

// orders reads the flags and all that they name.
func (s Set) orders(env []string) (*orders, error) {
	t := &orders{set: s, seen: make(map[string]bool)}
	all := append(words(variable(env, "NVCC_PREPEND_FLAGS")), s.Flags...)
	if err := t.nvcc(append(all, words(variable(env, "NVCC_APPEND_FLAGS"))...)); err != nil {
		return nil, err
	}
	for name, take := range map[string]func([]string) error{
		"PTXAS_FLAGS": t.ofPtxas, "OCG_FLAGS": t.ofPtxas, "CUDAFE_FLAGS": t.ofHost, "NVVM_FLAGS": t.ofHost,
		"INCLUDES": t.ofHost, "SYSTEM_INCLUDES": t.ofHost,
	} {
		if err := take(words(variable(env, name))); err != nil {
			return nil, err
		}
	}
	for _, w := range slices.Concat(t.words, t.host, t.ptxas, s.Include) {
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
			err = t.ofHost(strings.Split(v, ","))
		case "-Xptxas", "--ptxas-options":
			err = t.ofPtxas(strings.Split(v, ","))
		case "-ldir", "--libdevice-directory":
			err = t.libdevice(v)
		case "-noprof", "--dont-use-profile":
			t.stop("with " + w + " the tools behind nvcc are not known")
		default:
			if strings.HasPrefix(w, "@") {
				t.stop("what " + w + " is, was not read")
			}
			next = i + 1
		}
		i = next
		if err != nil {
			return fmt.Errorf("read the options of flag %s: %w", w, err)
		}
	}
	return t.splitPtxas()
}

// unfollowed are options of the host compiler that have it read files which it names
// nowhere.
var unfollowed = []string{"-specs", "--specs", "-fplugin", "-wrapper", "-B", "-fprofile-use", "-fauto-profile", "-fmodules", "--config"}

// ofHost takes words of the host compiler.
func (t *orders) ofHost(all []string) error {
	t.host = append(t.host, all...)
	for _, w := range all {
		if path, ok := strings.CutPrefix(w, "@"); ok {
			if err := t.each(path, t.ofHost); err != nil {
				return fmt.Errorf("read the options of %s: %w", w, err)
			}
		}
		if slices.ContainsFunc(unfollowed, func(o string) bool { return strings.HasPrefix(w, o) }) {
			t.stop("what " + w + " has the host compiler read is not known")
		}
	}
	return nil
}

// ofPtxas takes words of ptxas, each by itself: -Xptxas may give an option and its value
// apart.
func (t *orders) ofPtxas(all []string) error {
	t.ptxas = append(t.ptxas, all...)
	return t.splitPtxas()
}

// splitPtxas reads the files of options among the words of ptxas.
func (t *orders) splitPtxas() error {
	for i := 0; i < len(t.ptxas); i++ { // reading one adds words
		name, v, _ := value(t.ptxas, i)
		if name != "-optf" && name != "--options-file" || v == "" {
			continue
		}
		err := t.each(v, func(all []string) error { t.ptxas = append(t.ptxas, all...); return nil })
		if err != nil {
			return fmt.Errorf("read the options of ptxas in %s: %w", v, err)
		}
	}
	return nil
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
	return strings.Join(slices.Concat(t.words, t.host, t.ptxas), " ") + t.files.String()
}
