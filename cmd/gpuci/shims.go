package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/buildlock/shim/link"
	"gpuci/gates"
	"gpuci/pressure"
)

// linkProgram is the shim's program, which stands beside gpuci.
const linkProgram = "gpuci-link"

// playsShim says whether we were called in the place of a tool: where no
// gpuci-link stands beside it, gpuci is its own shim, and a slower one.
func playsShim(argv0 string) bool {
	return link.Is(argv0) || filepath.Base(argv0) == linkProgram
}

// shims makes the directory of shims for where we stand, and writes down how
// many links the machine's own file allows.
func (p place) shims(env []string) (shim.Directory, error) {
	self, err := os.Executable()
	if err != nil {
		return shim.Directory{}, fmt.Errorf("find our own program: %w", err)
	}
	program := filepath.Join(filepath.Dir(self), linkProgram)
	if _, err := os.Stat(program); err != nil {
		program = self
	}
	if err := buildlock.Usable(p.lockDir()); err != nil { // before anything is made
		return shim.Directory{}, err
	}
	if err := buildlock.SetLinks(p.lockDir(), max(1, p.config.MachineLinks)); err != nil {
		return shim.Directory{}, err
	}
	settings := shim.Settings{Links: p.links()}
	if dir := p.lockDir(); os.Getenv(shim.LockDirVar) != "" || p.config.LockDir != "" {
		settings.LockDir = dir
	}
	return shim.Install{Program: program, Env: env, Settings: settings}.Make()
}

// links is the number that a personal or a workspace's file lowers the
// machine's to, 0 where none does.
func (p place) links() int {
	if _, said := p.config.Origin("links"); !said || p.config.Links == p.config.MachineLinks {
		return 0
	}
	return p.config.Links
}

// values are what the configuration tells the shims. What the environment says
// already goes before it, except that the lower number of links counts.
func (p place) values(env []string) shim.Values {
	v := shim.Values{Links: p.links()}
	if n := number(env, shim.LinksVar); n > 0 && n <= v.Links {
		v.Links = 0
	}
	if _, said := p.config.Origin("build.wait"); said {
		if _, set := shim.Lookup(env, shim.WaitVar); !set {
			v.Wait = max(p.config.Build.Wait, time.Nanosecond) // 0 would leave the shims their own
		}
	}
	if r := gates.RuleOf(p.config.Pressure); r != pressure.DefaultRule() {
		if _, set := shim.Lookup(env, shim.PressureVar); !set {
			v.Rule = r.String()
		}
	}
	return v
}

// rule says when work is held back: as the environment has it, which a gpuci
// above us may have set, else as the configuration says.
func (p place) rule(env []string, off bool) (pressure.Rule, error) {
	if off {
		return pressure.Rule{Off: true, OffBy: "--no-pressure"}, nil
	}
	if text, set := shim.Lookup(env, shim.PressureVar); set {
		r, err := pressure.ParseRule(text)
		if err != nil {
			return r, coded{gates.ExitConfig, fmt.Sprintf("%s: %v", shim.PressureVar, err), "unset it, or write it as gpuci env does: " + pressure.DefaultRule().String()}
		}
		if r.Off {
			r.OffBy = shim.PressureVar + "=" + r.String()
		}
		return r, nil
	}
	return gates.RuleOf(p.config.Pressure), nil
}

// number is the value of a variable that holds a positive number, else 0.
func number(env []string, name string) int {
	text, _ := shim.Lookup(env, name)
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(0, n)
}

// envVariable lists the variables that `gpuci env` set in a shell, so that they
// are not taken for what the user says.
const envVariable = "GPUCI_ENV"

// ownEnv is our environment without what `gpuci env` added to it beside the
// shims themselves.
func ownEnv() []string {
	env := os.Environ()
	list, ok := shim.Lookup(env, envVariable)
	if !ok {
		return env
	}
	names := append(strings.Split(list, ":"), envVariable)
	return slices.DeleteFunc(env, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(names, name)
	})
}
