package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuci/gates"
	"gpuci/gates/config"
)

// nearHint asks whether one of the names was meant that look like a name; where none
// does it is the other hint.
func nearHint(name string, among []string, otherwise string) string {
	if near := config.NearOf(name, among); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return otherwise
}

// flagError names the flags of a command that look like one it does not have. One
// that is written with a single dash is taken for its whole name, too.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, "--"+f.Name)
		}
	})
	name := unknown.GetSpecifiedName()
	if group := unknown.GetSpecifiedShortnames(); group != "" {
		name = group
	}
	return coded{gates.ExitUsage, err.Error(), nearHint("--"+name, flags, cmd.CommandPath()+" --help says what there is")}
}
