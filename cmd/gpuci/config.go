package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuci/gates/config"
)

func (a *app) configCommand() *cobra.Command {
	reference := false
	cmd := &cobra.Command{
		Use:   "config",
		Short: "print the configuration that holds here, and where each value was written",
		Long: `config reads the machine's, your own and the workspace's file, and prints what
they say together as TOML. Each value is followed by the file and line it
comes from. Mistakes are listed with line and caret, all of them at once. Where
there is no workspace it prints what the first two say.

Files, the later ones stronger: /etc/gpuci.toml (or $GPUCI_MACHINE_FILE),
$XDG_CONFIG_HOME/gpuci/config.toml, and the nearest gpuci.toml upwards.

Examples:
  gpuci config
  gpuci config --reference > gpuci.toml   # every key there is, with its default
  gpuci -C ../other-lane config

Exit codes: 0, 64 usage, 78 a file that is wrong or cannot be read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if reference {
				_, err := io.WriteString(a.out, config.Reference())
				return err
			}
			cfg, _, err := a.workspace(cmd)
			if errors.Is(err, config.ErrNotFound) {
				cfg, err = a.settings(cmd.Context())
			}
			if err != nil {
				return err
			}
			for _, d := range cfg.Dropped() {
				a.console.note(d.String())
			}
			return cfg.Print(a.out)
		},
	}
	cmd.Flags().BoolVar(&reference, "reference", false, "print a commented gpuci.toml with every key and its default")
	return cmd
}

// settings are what the machine's and the user's own file say, where there is no
// workspace.
func (a *app) settings(ctx context.Context) (*config.Config, error) {
	p, err := a.place(ctx, false)
	if err != nil {
		return nil, err
	}
	p.config.Root, p.config.Workspace.Name = p.dir, filepath.Base(p.dir)
	a.console.note("there is no " + config.FileName + " here: this is what the machine's and your own file say")
	return p.config, nil
}
