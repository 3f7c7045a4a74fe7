package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuci/gates"
)

// equip adds doctor, the completion of shells and the man pages, and says for
// every command and flag what completes its words. It comes after the commands
// that it says this of.
func (a *app) equip(root *cobra.Command) {
	root.AddCommand(a.doctorCommand(), a.completionCommand(), a.manCommand())
	root.InitDefaultHelpCmd()
	_ = root.MarkPersistentFlagDirname("directory")
	a.completeBelow(root)
}

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "print what has a shell complete gpuci's words",
		Long: `completion prints a script for bash, zsh, fish or powershell. Evaluated by the
shell, it completes commands and flags, the gates of the workspace that you
stand in (with what they are about, where the shell shows that), its lanes, and
the branches of the repository.

For this shell:
  source <(gpuci completion bash)
  source <(gpuci completion zsh)               # after compinit
  gpuci completion fish | source
  gpuci completion powershell | Out-String | Invoke-Expression

For every new one, Examples:
  gpuci completion bash > ~/.local/share/bash-completion/completions/gpuci
  gpuci completion zsh > "${fpath[1]}/_gpuci"  # a directory of yours in fpath
  gpuci completion fish > ~/.config/fish/completions/gpuci.fish

Completing runs nothing but git worktree list and git for-each-ref, for a second
at most, and writes nothing; where gpuci.toml is wrong there are no names.

Exit codes: 0, 64 usage, also a shell that there is no script for.`,
		Args:      oneOf(shells),
		ValidArgs: shells,
		RunE:      func(cmd *cobra.Command, args []string) error { return a.completion(cmd.Root(), args[0]) },
	}
}

// oneOf wants one word of a list.
func oneOf(list []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && slices.Contains(list, args[0]) {
			return nil
		}
		return coded{gates.ExitUsage, fmt.Sprintf("%s takes one of %s", cmd.CommandPath(), strings.Join(list, ", ")), nearHint(strings.Join(args, " "), list, cmd.CommandPath()+" --help says how to install it")}
	}
}

func (a *app) completion(root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		if err := root.GenBashCompletionV2(a.out, true); err != nil {
			return err
		}
		_, err := io.WriteString(a.out, bashWords)
		return err
	case "zsh":
		return root.GenZshCompletion(a.out)
	case "fish":
		return root.GenFishCompletion(a.out, true)
	}
	return root.GenPowerShellCompletionWithDesc(a.out)
}

// bashWords takes the place of a function in cobra's script, which needs the
// package bash-completion: without that, the words are as bash has split them.
const bashWords = `
__gpuci_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    fi
}
`

// completer says what words can stand where one is being written.
type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// words are the commands whose words are known, by their path below gpuci. Of
// those with files, the rest is left to the shell; of all others there are none.
func (a *app) words() map[string]completer {
	return map[string]completer{
		"gate": a.gateWords, "scope": a.gateWords, "history": a.gateWord, "ci run": a.gateWords, "notes": a.gateWords,
		"build": fileWords, "lock run": fileWords, "gpu hold": fileWords, "man": dirWords, "history check": fileWords,
		"kernels inspect": fileWords,
	}
}

func fileWords(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func dirWords(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeBelow gives a command, and all below it, its completion.
func (a *app) completeBelow(cmd *cobra.Command) {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	switch known, ok := a.words()[path]; {
	case cmd.ValidArgsFunction != nil || len(cmd.ValidArgs) > 0: // its own
	case ok:
		cmd.ValidArgsFunction = known
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { a.completeFlag(cmd, f) })
	for _, sub := range cmd.Commands() {
		a.completeBelow(sub)
	}
}

// completeFlag gives a flag its completion: files only where the help calls the
// value one.
func (a *app) completeFlag(cmd *cobra.Command, f *pflag.Flag) {
	if _, taken := cmd.GetFlagCompletionFunc(f.Name); taken || f.NoOptDefVal != "" || f.Name == "directory" {
		return
	}
	complete := cobra.NoFileCompletions
	switch value, _ := pflag.UnquoteUsage(f); {
	case f.Name == "lane":
		complete = a.laneWords
	case f.Name == "branch", f.Name == "onto", f.Name == "base":
		complete = a.branchWords
	case f.Name == "gate":
		complete = a.gateFlag
	case f.Name == "metric":
		complete = a.metricWords
	case f.Name == "color":
		complete = cobra.FixedCompletions([]cobra.Completion{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "on":
		complete = cobra.FixedCompletions([]cobra.Completion{onSlurm, "local"}, cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "shell":
		complete = cobra.FixedCompletions([]cobra.Completion{"bash", "zsh", "sh", "fish", "direnv"}, cobra.ShellCompDirectiveNoFileComp)
	case value == "FILE":
		complete = fileWords
	case value == "DIR":
		complete = dirFlag
	}
	_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // it has none yet
}

func dirFlag(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
