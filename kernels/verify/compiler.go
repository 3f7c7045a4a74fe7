package verify

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"gpuci/kernels/simt"
)

// compilers are those that package simt looks for, the first first.
func compilers() []string { return []string{"g++", "clang++", "c++"} }

// version is a compiler's version as it writes it: "g++ (Debian 12.2.0-14) 12.2.0",
// "Debian clang version 14.0.6".
var version = regexp.MustCompile(`\b\d+(?:\.\d+)+\b`)

// Tool implements [Backends]: "g++-12.2.0". Where there is no compiler the error wraps
// [ErrNoCompiler].
func (h Host) Tool(ctx context.Context) (string, error) {
	path, err := h.compiler()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	run := h.Exec
	if run == nil {
		run = func(ctx context.Context, c simt.Command) error {
			cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
			cmd.Env, cmd.Stdout = c.Env, c.Stdout
			return cmd.Run()
		}
	}
	if err := run(ctx, simt.Command{Argv: []string{path, "--version"}, Env: h.Env, Stdout: &out, Stderr: &bytes.Buffer{}}); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%w: %s --version: %w", ErrNoCompiler, path, err)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	is := filepath.Base(path)
	switch {
	case strings.Contains(first, "clang"):
		is = "clang++"
	case strings.Contains(out.String(), "Free Software Foundation"):
		is = "g++"
	}
	list := version.FindAllString(first, -1)
	if len(list) == 0 {
		return is, nil
	}
	return is + "-" + list[len(list)-1], nil
}

// compiler finds the one that will be used.
func (h Host) compiler() (string, error) {
	names := compilers()
	if h.CXX != "" {
		names = []string{h.CXX}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	if h.CXX != "" {
		return "", fmt.Errorf("%w: CXX is %s, which is no program in PATH", ErrNoCompiler, h.CXX)
	}
	return "", fmt.Errorf("%w: none of %s is in PATH", ErrNoCompiler, strings.Join(names, ", "))
}
