package simt

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// compiler is the C++ compiler, and what it says of itself.
type compiler struct {
	path     string
	identity string // all of its own macros: its version, and the processor's
	clang    bool
	version  int  // the first number of GCC's; Clang's is another
	fma      bool // the processor has fused multiply-add
}

// ask asks the compiler for the macros that it defines by itself, for this processor
// where it knows how to look at it.
func ask(ctx context.Context, o Options) (compiler, error) {
	var out, words bytes.Buffer
	var err error
	for _, native := range [][]string{{"-march=native"}, nil} {
		out.Reset()
		words.Reset()
		argv := append([]string{o.CXX}, native...)
		argv = append(argv, "-dM", "-E", "-x", "c++", "/dev/null")
		err = o.Exec(ctx, Command{Argv: argv, Env: o.Env, Stdout: &out, Stderr: &words})
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return compiler{}, fmt.Errorf("ask %s for its macros: %w\n%s", o.CXX, err, strings.TrimSpace(words.String()))
	}
	text := out.String()
	if !strings.Contains(text, "#define __GNUC__ ") {
		return compiler{}, fmt.Errorf("ask %s for its macros: it is neither GCC nor Clang", o.CXX)
	}
	return compiler{
		path: o.CXX, identity: text, version: major(text),
		clang: strings.Contains(text, "#define __clang__ "), fma: strings.Contains(text, "#define __FMA__ "),
	}, nil
}

// major is what the macro __GNUC__ stands for.
func major(text string) int {
	_, rest, _ := strings.Cut(text, "#define __GNUC__ ")
	n, _, _ := strings.Cut(rest, "\n")
	version, _ := strconv.Atoi(strings.TrimSpace(n))
	return version
}
