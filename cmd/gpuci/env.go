package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/buildlock/shim"
	"gpuci/gates"
)

// envOptions are the flags of `gpuci env`.
type envOptions struct {
	shell string
	unset bool
}

func (a *app) envCommand() *cobra.Command {
	var o envOptions
	cmd := &cobra.Command{
		Use:   "env",
		Short: "print what puts the link shims in front of everything in a shell",
		Long: `env prints the lines that a shell evaluates to have the link shims first in PATH
and COMPILER_PATH, and a -toolexec of ours in GOFLAGS where there is a go: from
then on the links that are made from that shell queue, whatever build system
makes them. What GOFLAGS or go env -w said before is kept in it. A second time
changes nothing more. README.md, "What gets past", says which links do not queue.

The lines are for the shell that started gpuci; where that was no shell, for the
one that $SHELL names; --shell says otherwise. When gpuci env fails it prints the
line false, so that set -e; eval "$(gpuci env)" stops.

A link that waits says so on stderr if that is a terminal, else on the terminal
that its build is in the foreground of. Where there is none (a CI job, ssh with a
command, a job in the background) it waits without a word, because rustc makes a
warning of what its linker prints: gpuci lock status, elsewhere, has it in line;
and gpuci build says it in every case.

In the shell, for what is started from it:
  GPUCI_WAIT=10m     how long one link may wait (30m; [build] wait), then it fails
  GPUCI_LINKS=1      how many run at once; may only lower the machine's number
  GPUCI_LOCK_DIR     where the tickets are, for tests and containers: every user
                     of a machine needs the same one (lock-dir in /etc/gpuci.toml)

Examples:
  eval "$(gpuci env)"                    # bash, zsh, sh
  gpuci env | source                     # fish
  eval "$(gpuci env --shell direnv)"     # in an .envrc
  eval "$(gpuci env --unset)"            # take it back; fish: gpuci env --unset | source

Exit codes: 0, 64 usage, also a shell that there are no lines for, 69 shims
cannot be made or the lock directory cannot be used, 78 configuration.`,
		Annotations: map[string]string{onFailure: "false"}, // a command in every shell
		Args:        cobra.NoArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.env(cmd, o) },
	}
	cmd.Flags().StringVar(&o.shell, "shell", "", "bash, zsh, sh, fish or direnv; the shell that started gpuci if not given")
	cmd.Flags().BoolVar(&o.unset, "unset", false, "print what takes it back")
	return cmd
}

func (a *app) env(cmd *cobra.Command, o envOptions) error {
	sh, err := shellFor(o.shell, parentProgram(), os.Getenv("SHELL"))
	if err != nil {
		return err
	}
	have, base := os.Environ(), ownEnv()
	if o.unset {
		if sh.name == "direnv" {
			return coded{gates.ExitUsage, "direnv takes back by itself what an .envrc did", "remove the line from .envrc, then direnv allow"}
		}
		_, err := io.WriteString(a.out, sh.script(difference(have, shim.Bare(base))))
		return err
	}
	p, err := a.place(cmd.Context(), true)
	if err != nil {
		return err
	}
	d, err := p.shims(base)
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.out, sh.script(difference(have, p.shellEnv(base, d, sh))))
	return err
}

// shellEnv is the environment a shell is to have. It keeps the tickets that are
// held above it, and nobody watches what it links.
func (p place) shellEnv(base []string, d shim.Directory, sh shell) []string {
	base = shim.Without(base, shim.LogVar)
	v := p.values(base)
	v.Links = 0 // the directory of shims has it
	if _, set := shim.Lookup(base, shim.LaneVar); !set && sh.name == "direnv" {
		v.Lane, v.Root = p.lane.Name, p.lane.Root // a shell walks from lane to lane, an .envrc stays
	}
	env := d.Environ(base, v)
	var added []string
	for _, name := range []string{shim.LaneVar, shim.LaneRootVar, shim.WaitVar, shim.CUDAHomeVar, shim.PressureVar} {
		_, before := shim.Lookup(base, name)
		if _, after := shim.Lookup(env, name); after && !before {
			added = append(added, name)
		}
	}
	if len(added) > 0 {
		env = shim.With(env, envVariable, strings.Join(added, ":"))
	}
	return env
}

// change is what becomes of one variable.
type change struct {
	name, value string
	unset       bool
}

// difference is what leads from one environment to another, by name.
func difference(from, to []string) (out []change) {
	seen := make(map[string]bool)
	for _, e := range slices.Concat(from, to) {
		name, _, _ := strings.Cut(e, "=")
		if seen[name] || name == "" {
			continue
		}
		seen[name] = true
		old, had := shim.Lookup(from, name)
		value, has := shim.Lookup(to, name)
		if had != has || old != value {
			out = append(out, change{name, value, !has})
		}
	}
	slices.SortFunc(out, func(a, b change) int { return strings.Compare(a.name, b.name) })
	return out
}
