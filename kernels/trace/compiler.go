package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// flags are those of the library. It stays loaded (nodelete): the driver calls it until
// the process is gone. The libraries at the end are those of a C library before 2.34.
var flags = struct{ before, after []string }{
	[]string{"-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,nodelete", "-Wl,-soname," + LibraryName},
	[]string{"-pthread", "-ldl"},
}

// NoCompiler says that there is none to make the library with.
type NoCompiler struct {
	Asked []string
	Named string // what the caller asked for; "": nothing
}

func (e *NoCompiler) Error() string {
	if e.Named != "" {
		return fmt.Sprintf("compile the library for tracing: the C compiler %s is not in PATH", e.Named)
	}
	return fmt.Sprintf("compile the library for tracing: no C compiler: %s is not in PATH: install gcc or clang, or name one in CC",
		strings.Join(e.Asked, ", "))
}

// NotCompiled says that a C compiler did not do it.
type NotCompiled struct{ err error }

func (e *NotCompiled) Error() string { return e.err.Error() }
func (e *NotCompiled) Unwrap() error { return e.err }

// compiler is a C compiler, and what it says of itself.
type compiler struct {
	argv []string
	says string
}

// findCompiler takes the one that was named, else the first that there is.
func findCompiler(ctx context.Context, named string) (compiler, error) {
	asked := [][]string{{"cc"}, {"gcc"}, {"clang"}}
	if words := strings.Fields(named); len(words) > 0 {
		asked = [][]string{words}
	}
	missing := &NoCompiler{Named: strings.Join(strings.Fields(named), " ")}
	for _, argv := range asked {
		path, err := exec.LookPath(argv[0])
		if err != nil {
			missing.Asked = append(missing.Asked, argv[0])
			continue
		}
		cc := compiler{argv: append([]string{path}, argv[1:]...)}
		cc.says, err = cc.run(ctx, "--version")
		if err != nil {
			return cc, &NotCompiled{fmt.Errorf("ask the C compiler for its version: %w", err)}
		}
		return cc, nil
	}
	return compiler{}, missing
}

func (cc compiler) compile(ctx context.Context, out string, files []string) error {
	_, err := cc.run(ctx, slices.Concat(flags.before, []string{"-o", out}, files, flags.after)...)
	if err != nil {
		return &NotCompiled{err}
	}
	return nil
}

// run gives what the compiler says; of an error it is part.
func (cc compiler) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, cc.argv[0], slices.Concat(cc.argv[1:], args)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w\n%s", cc.argv[0], err, strings.TrimSpace(out.String())), ctx.Err())
	}
	return out.String(), nil
}
