package nvcc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// look is one search.
type look struct {
	ctx context.Context
	o   Options
	env []string
}

// examine runs the compiler of a place, and says what it lacks.
func (l *look) examine(c place) (Found, error) {
	f := Found{Path: c.path, Why: c.why}
	said, err := l.ask(c.path, "--version")
	if err != nil {
		return Found{}, fmt.Errorf("cannot be run: %w", err)
	}
	if f.Version = version(said); f.Version == "" {
		return Found{}, fmt.Errorf("says no version: %.60q", firstLine(said))
	}
	if !wanted(f.Version, l.o.Version) {
		return Found{}, fmt.Errorf("is %s, and %s is wanted", f.Version, l.o.Version)
	}
	// An object takes every tool, so that all that a variable changes is seen.
	said, err = l.ask(c.path, "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null")
	if err != nil {
		return Found{}, fmt.Errorf("cannot say what it would run: %w", err)
	}
	p := parsePlan(said)
	f.Plan = planSum(said)
	if f.Args, err = l.headers(c.path, p); err != nil {
		return Found{}, err
	}
	f.Tools, err = l.tools(c.path, p)
	return f, err
}

// ask runs the compiler with these arguments and gives all that it printed.
func (l *look) ask(path string, args ...string) (string, error) {
	if l.o.Exec == nil {
		return "", errors.New("no Exec was given")
	}
	ctx, cancel := context.WithTimeoutCause(l.ctx, l.o.Timeout, fmt.Errorf("no answer within %s", l.o.Timeout))
	defer cancel()
	var out bytes.Buffer
	err := l.o.Exec(ctx, Command{Argv: append([]string{l.real(path)}, args...), Env: l.env, Stdout: &out, Stderr: &out})
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil && out.Len() > 0 {
		err = fmt.Errorf("%w: %.120s", err, firstLine(out.String()))
	}
	return out.String(), err
}

// release is the number in the last but one line of `nvcc --version`.
var release = regexp.MustCompile(`(?m)^Cuda compilation tools, release [0-9.]+, V([0-9.]+)\s*$`)

func version(said string) string {
	if m := release.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return ""
}

// wanted is whether a version is the one asked for, or one of it: 13.0.88 of 13.
func wanted(have, want string) bool {
	return want == "" || have == want || strings.HasPrefix(have, strings.TrimSuffix(want, ".")+".")
}

// headers gives the options that the compiler needs to find the headers of every
// source, or says which package they come with.
func (l *look) headers(compiler string, p plan) ([]string, error) {
	dirs := p.includes
	var args []string
	for _, want := range []struct{ file, pack string }{
		{"cuda_runtime.h", "nvidia-cuda-runtime"}, {"crt/host_config.h", "nvidia-cuda-crt"}, {"nv/target", "nvidia-cuda-cccl"},
	} {
		if l.has(dirs, want.file) || l.has([]string{"/usr/include"}, want.file) {
			continue
		}
		added := ""
		for _, dir := range l.siblings(compiler) {
			if l.has([]string{dir}, want.file) {
				added = dir
			}
		}
		if added == "" && want.file == "nv/target" {
			continue // only sources of half precision and of libcu++ need it, and CUDA before 11.3 has none
		}
		if added == "" {
			return nil, fmt.Errorf("has no %s in %s: it comes with %s", want.file, strings.Join(p.includes, " or "), want.pack)
		}
		dirs, args = append(dirs, added), append(args, "-I"+added)
	}
	return args, nil
}

func (l *look) has(dirs []string, file string) bool {
	for _, dir := range dirs {
		if info, err := os.Stat(l.real(filepath.Join(dir, file))); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
