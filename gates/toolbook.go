package gates

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gpuci/reaper/proc"
)

// ToolBook remembers what tools said of themselves, so that many gates of one
// lane ask each once. A tool can answer differently in another directory or
// environment (rustup, pyenv, go with a toolchain line), so nothing is taken from
// one to the other. Its zero value is ready.
type ToolBook struct {
	mu   sync.Mutex
	said map[string]Tool
}

// Of gives the programs that the commands of a gate name, with their versions, as
// a verdict would be bound to them now. It runs no command of the gate. A tool
// that does not answer within 10 s has no version.
func (b *ToolBook) Of(ctx context.Context, opt Options) (list []Tool) {
	f := &flow{opt: opt, gate: opt.Gate, v: &Verdict{}}
	dir, env := filepath.Join(opt.Root, opt.Gate.Dir), f.toolEnv()
	own := strings.Join(asTold(opt), "\x00")
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.said == nil {
		b.said = make(map[string]Tool)
	}
	for _, name := range toolNames(append(slices.Clone(opt.Gate.Build), opt.Gate.Run...)) {
		key := strings.Join([]string{name, dir, own}, "\x00")
		tool, asked := b.said[key]
		if !asked {
			if path, err := proc.LookPath(name, dir, env); err == nil {
				version, _ := f.version(ctx, path, dir, env)
				tool = Tool{Name: name, Path: path, Version: version}
			}
			if ctx.Err() == nil {
				b.said[key] = tool
			}
		}
		if tool.Name != "" {
			list = append(list, tool)
		}
	}
	return list
}

// asTold is what the environment of a gate has beside our own.
func asTold(opt Options) (out []string) {
	for k, v := range opt.Gate.Env {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return append(out, opt.Env...)
}
