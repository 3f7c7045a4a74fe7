package main

import (
	"github.com/spf13/cobra"
)

// gpuOptions are the flags of `gpuci gpu status`.
type gpuOptions struct{ json, raw bool }

func (o *gpuOptions) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "print what the driver said, unjudged, as one JSON value")
}

// gpuText is the help of `gpuci gpu` and of its first command.
const gpuText = `It lists every card of this machine, what it is, and who is on it:

  quiet      nobody is on it, and nobody has it
  busy       somebody is on it
  held       a gate has its lock, or somebody by gpuci gpu hold
  unknown    it cannot be told: the driver does not answer, or memory is in use
             that no process owns. No gate takes it for quiet
  reserved   somebody wants it for himself (gpuci gpu hold)
  protected  a protected run of the machine's configuration ([[protect]]) is on it

Below that, as far as there is any: why, memory, processes with user, command
and the lane of this repository that they work in, who has the card's lock and
who waits for it, reservations, protected runs with when they may be over, and
what else was seen. Of a card that is cut into instances (MIG) each instance is
a card of its own. Looking makes no context on a card and takes nothing of it.

The driver is asked through NVML in a process of its own, or where that cannot be
loaded through nvidia-smi; either is given up when it hangs.
`

func (a *app) gpuCommand() *cobra.Command {
	var o gpuOptions
	cmd := &cobra.Command{
		Use:   "gpu",
		Short: "say what cards there are and who is on them; wait for one, keep one",
		Long: `gpu looks at the cards of this machine; it is the same as gpuci gpu status.
` + gpuText + `
Examples:
  gpuci gpu
  gpuci gpu who
  gpuci gpu wait --for quiet --wait 2h && ./bench
  gpuci gpu hold --until 07:00 --why "profiling the fused backward"

Exit codes: 0 it could look, 64 usage, 69 there is no NVIDIA driver on this
machine, or it does not answer (what is known all the same is printed before), 78
configuration, 130 and 143 interrupted.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return readerGone(a.gpuStatus(cmd.Context(), o)) },
	}
	o.register(cmd)
	cmd.AddCommand(a.gpuStatusCommand(), a.gpuWhoCommand(), a.gpuWaitCommand(), a.gpuHoldCommand(), a.gpuReleaseCommand())
	return cmd
}

func (a *app) gpuStatusCommand() *cobra.Command {
	var o gpuOptions
	cmd := &cobra.Command{
		Use:   "status",
		Short: "say what cards there are, and who is on each",
		Long: `status looks once at the cards of this machine.
` + gpuText + `
With --json a line of type "card" for each, and lines of the types "process",
"ticket" (of its lock), "reservation" and "protected" that name it; the last line
has the type "driver". Bytes are bytes; what is not known is left out.

With --raw, what the driver said and nothing that gpuci thinks of it.

Examples:
  gpuci gpu status
  gpuci gpu status --json | jq -r 'select(.type == "card" and .state == "quiet") | .uuid'
  gpuci gpu status --raw > answer.json

Exit codes: 0 it could look, 64 usage, 69 there is no NVIDIA driver on this
machine, or it does not answer (what is known all the same is printed before), 78
configuration, 130 and 143 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return readerGone(a.gpuStatus(cmd.Context(), o)) },
	}
	o.register(cmd)
	return cmd
}

func (a *app) gpuWhoCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "who",
		Short: "say who is on a card, and who has one",
		Long: `who lists, card by card, the processes on it, who has its lock and who waits for
it, who has reserved it, and protected runs. Cards that nobody is on and nobody
has are left out.

Examples:
  gpuci gpu who
  gpuci gpu who --json | jq 'select(.type == "process") | .pid'

Exit codes: 0 it could look, also when there is nobody; 64 usage, 69 there is no
NVIDIA driver on this machine, or it does not answer, 78 configuration, 130 and
143 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return readerGone(a.gpuWho(cmd.Context(), asJSON)) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}
