package build

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// owned are the options that the set itself decides, or that make nvcc do
// something else than compile. Wherever they stand, the output would be another file, or
// none.
var owned = []string{"-o", "--output-file", "-odir", "--output-directory", "-cubin", "--cubin", "-ptx", "--ptx", "-fatbin", "--fatbin",
	"-cuda", "--cuda", "-optix-ir", "--optix-ir", "-ltoir", "--ltoir", "-fdevice-syntax-only", "--fdevice-syntax-only",
	"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-dlink", "--device-link", "-lib", "--lib", "-link", "--link",
	"-r", "--relocatable-link", "-hls", "--host-linker-script", "-aug-hls", "--augment-host-linker-script",
	"-run", "--run", "-E", "--preprocess", "-M", "-MM", "-MD", "-MMD", "-MF", "-MT", "-MP", "--dependency-output",
	"--generate-dependencies", "--generate-nonsystem-dependencies", "--generate-nonsystem-dependencies-with-compile",
	"--generate-dependency-targets", "--dependency-target-name", "--generate-dependencies-with-compile",
	"-dryrun", "--dryrun", "-x", "--x", "-h", "--help", "-V", "--version", "-clean", "--clean-targets",
	"-arch-ls", "--list-gpu-arch", "-code-ls", "--list-gpu-code"}

// aiming are those of the architectures. In the environment and in files of options many
// have them for all that they compile: [Options.Verify] says what came of them.
var aiming = []string{"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code"}

// refuse says which flags of the set cannot be, in files of options as well. A file that
// cannot be read is left to the build.
func (s Set) refuse() (errs []error) {
	t, _ := s.orders(nil)
	for _, w := range t.own {
		name, _, _ := strings.Cut(w, "=")
		if slices.Contains(owned, name) || slices.Contains(aiming, name) && slices.Contains(s.Flags, w) {
			errs = append(errs, fmt.Errorf("flag %s: is decided by the set's kinds, architectures and output", w))
		}
	}
	if why := t.writes(); why != "" {
		errs = append(errs, fmt.Errorf("flag %s: call nvcc by hand for those", why))
	}
	return errs
}

// ErrOption says that an option from the environment, or from a file of options that it
// names, cannot be. Those of the set are refused by [Outputs] as well.
var ErrOption = errors.New("take it out of the environment (NVCC_APPEND_FLAGS and the like), or of the file of options that it names")

// refuse says which of all options cannot be, once those of the set were looked at.
func (t *orders) refuse() error {
	for _, w := range t.own {
		if name, _, _ := strings.Cut(w, "="); slices.Contains(owned, name) {
			return fmt.Errorf("option %s: is decided by the set's kinds, architectures and output: %w", w, ErrOption)
		}
	}
	if why := t.writes(); why != "" {
		return fmt.Errorf("option %s: %w", why, ErrOption)
	}
	return nil
}
