package protected

import (
	"fmt"
	"regexp"
	"strings"

	"gpuci/reaper/proc"
)

// Hint is what to do where the process is not the run, "" where its rule says enough
// of it: a rule whose command fits arguments alone fits an editor of them as well.
func (r Run) Hint() string {
	if !r.Loose || r.Rule.PIDFile != "" || r.Rule.Unit != "" {
		return ""
	}
	return proc.Printable(fmt.Sprintf("if pid %d (%s) is not the run: command of [[protect]] %s fits an argument of it; name the program too, as in '^(\\S*/)?python3? .*train\\.py', or give user, cwd, unit or pidfile as well",
		r.Process.PID, r.Command, r.Rule.Name))
}

// loose says whether a pattern fits arguments of a command line alone.
func loose(text string, re *regexp.Regexp) bool {
	at := re.FindStringIndex(text)
	return at != nil && strings.Contains(text[:at[0]], " ")
}

// around clips a command line, so that what of it a pattern fits can be read.
func around(text string, re *regexp.Regexp) string {
	at := re.FindStringIndex(text)
	if len(text) <= maxCommand || at == nil || at[1] <= maxCommand {
		return clip(text)
	}
	const head = 40 // the program
	from := max(head, min(at[0]-head, len(text)-maxCommand+head))
	return clip(strings.ToValidUTF8(text[:head], "") + "…" + strings.ToValidUTF8(text[from:], ""))
}
