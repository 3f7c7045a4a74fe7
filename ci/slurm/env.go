package slurm

import (
	"slices"
	"strings"
)

// jobEnv is the environment of a job: the user's, as a gate here would have it, without
// what is of this machine or of this login.
//
// It goes along whole (--export=ALL). The other ways were tried on Slurm 22.05: with
// --export=NONE and with NIL slurmd runs a login shell of the user's on the node
// (SLURM_GET_USER_ENV=1), which can take two minutes, and gives the gate another PATH
// than the one it is green with here. What a gate needs by name belongs in [gate.env].
func (c *Client) jobEnv() []string {
	return slices.DeleteFunc(c.own(), func(v string) bool { return isHere(name(v)) })
}

// isHere says whether a variable means something on this machine, or in this login, alone.
func isHere(name string) bool {
	for _, p := range []string{"GPUCI_", "SSH_", "XDG_RUNTIME_", "XDG_SESSION_", "XDG_VTNR", "XDG_SEAT", "DBUS_", "TMUX", "STY"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return slices.Contains([]string{
		"TMPDIR", "TMP", "TEMP", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "TERM", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_",
		// which cards a job has is for the node to say
		"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
	}, name)
}
