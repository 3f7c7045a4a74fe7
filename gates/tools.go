package gates

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	done <-chan told
	stop context.CancelFunc
}

// told is what came of asking.
type told struct {
	tools []Tool
	left  []string // what of them would not die
}

// askTools starts to ask the tools for their versions, beside the gate, in
// its directory and environment: rustup and pyenv answer differently in
// different directories.
func (f *flow) askTools(ctx context.Context) asking {
	ctx, stop := context.WithCancel(ctx)
	out := make(chan told, 1)
	if f.opt.Sample { // they were asked with the first run
		out <- told{}
		return asking{out, stop}
	}
	dir, env := filepath.Join(f.opt.Root, f.gate.Dir), f.toolEnv()
	list := toolNames(append(slices.Clone(f.gate.Build), f.gate.Run...))
	go func() {
		var all told
		for _, name := range list {
			if path, err := proc.LookPath(name, dir, env); err == nil {
				version, left := f.version(ctx, path, dir, env)
				all.tools, all.left = append(all.tools, Tool{Name: name, Path: path, Version: version}), append(all.left, left...)
			}
		}
		out <- all
	}()
	return asking{out, stop}
}

// answers waits for the versions, and ends what is still being asked.
func (f *flow) answers(a asking) []Tool {
	defer a.stop()
	select {
	case all := <-a.done:
		return f.told(all)
	case <-time.After(toolTime):
		f.mark("a tool did not say its version in time")
	case <-f.opt.Hurry: // nobody waited
	}
	a.stop()
	select {
	case all := <-a.done:
		return f.told(all)
	case <-time.After(toolTime): // its file is on a server that does not answer
		return nil
	}
}

func (f *flow) told(all told) []Tool {
	if len(all.left) > 0 {
		f.mark("could not be ended, of the tools that were asked for their version: " + strings.Join(all.left, ", "))
	}
	return all.tools
}

// versionTime bounds the wait for one tool; rustup can take seconds to find
// its own.
const versionTime = 10 * time.Second

func (f *flow) version(ctx context.Context, path, dir string, env []string) (text string, left []string) {
	args, known := versionOf[filepath.Base(path)]
	switch {
	case ctx.Err() != nil:
		return "", nil
	case !known:
		return digest(path), nil
	}
	a, err := f.ask(ctx, versionTime, append([]string{path}, args...), dir, env)
	if err != nil || !a.exit.Clean() {
		return "", a.left
	}
	if filepath.Base(path) == "nvcc" { // the release stands in its last lines
		said := bytes.TrimSpace(a.out)
		return string(said[bytes.LastIndexByte(said, '\n')+1:]), a.left
	}
	line, _, _ := bytes.Cut(a.out, []byte{'\n'})
	return strings.TrimSpace(string(line)), a.left
}
