package gates

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"gpuci/gates/config"
	"gpuci/reaper/proc"
)

// versionOf says how known tools are asked for their version. Only these are
// ever asked: running an unknown program with --version could do anything.
var versionOf = map[string][]string{
	"cargo": {"--version"}, "rustc": {"--version"}, "go": {"version"},
	"cc": {"--version"}, "c++": {"--version"}, "gcc": {"--version"}, "g++": {"--version"},
	"clang": {"--version"}, "clang++": {"--version"}, "nvcc": {"--version"},
	"cmake": {"--version"}, "ctest": {"--version"}, "ninja": {"--version"}, "make": {"--version"},
	"meson": {"--version"}, "python3": {"--version"}, "python": {"--version"}, "pytest": {"--version"},
	"node": {"--version"}, "bash": {"--version"},
}

// implied are the tools another tool runs.
var implied = map[string][]string{"cargo": {"rustc"}, "cmake": {"c++"}}

// toolTime bounds the wait for a version once the gate is over; a tool that
// hangs must not hang the verdict.
const toolTime = 2 * time.Second

// asking is a list of tools that are being asked for their versions.
type asking struct {
	done <-chan []Tool
	stop context.CancelFunc
}

// askTools starts to ask the tools for their versions, beside the gate, in
// its directory and environment: rustup and pyenv answer differently in
// different directories.
func (f *flow) askTools(ctx context.Context) asking {
	ctx, stop := context.WithCancel(ctx)
	out := make(chan []Tool, 1)
	dir, env := filepath.Join(f.opt.Root, f.gate.Dir), f.toolEnv()
	list := toolNames(append(slices.Clone(f.gate.Build), f.gate.Run...))
	go func() {
		var tools []Tool
		for _, name := range list {
			if path, err := proc.LookPath(name, dir, env); err == nil {
				tools = append(tools, Tool{Name: name, Path: path, Version: f.version(ctx, path, dir, env)})
			}
		}
		out <- tools
	}()
	return asking{out, stop}
}

// answers waits for the versions, and ends what is still being asked.
func (f *flow) answers(a asking) []Tool {
	defer a.stop()
	select {
	case tools := <-a.done:
		return tools
	case <-time.After(toolTime):
	case <-f.opt.Hurry:
	}
	f.mark("a tool did not say its version in time")
	a.stop()
	return <-a.done
}

// versionTime bounds the wait for one tool; rustup can take seconds to find
// its own.
const versionTime = 10 * time.Second

func (f *flow) version(ctx context.Context, path, dir string, env []string) string {
	args, known := versionOf[filepath.Base(path)]
	if !known || ctx.Err() != nil {
		return ""
	}
	a, err := f.ask(ctx, versionTime, append([]string{path}, args...), dir, env)
	if err != nil || !a.exit.Clean() {
		return ""
	}
	text := a.out
	if filepath.Base(path) == "nvcc" { // the release stands in its last lines
		text = bytes.TrimSpace(text)
		return string(text[bytes.LastIndexByte(text, '\n')+1:])
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return strings.TrimSpace(string(line))
}

// toolNames lists the programs that the commands name: the first word of an
// argv, and every word of a shell string that is a known tool.
func toolNames(commands []config.Command) []string {
	var out []string
	add := func(name string) {
		for _, n := range append([]string{name}, implied[name]...) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, c := range commands {
		if c.Shell == "" {
			if !strings.Contains(c.Argv[0], "/") {
				add(c.Argv[0])
			}
			continue
		}
		add("bash")
		for _, word := range strings.FieldsFunc(c.Shell, shellBreak) {
			if _, known := versionOf[word]; known {
				add(word)
			}
		}
	}
	return out
}

func shellBreak(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(";|&()`$\"'<>", r)
}
