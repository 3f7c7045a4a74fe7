package protected

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Rule is one [[protect]] of the machine's configuration. A process is the run's
// if all of Command, Cwd, User, PIDFile and Unit that are given fit it.
type Rule struct {
	Name    string
	Command string // regular expression (RE2), searched anywhere in the command line, its arguments joined by spaces: see Run.Hint
	Cwd     string // absolute path: the process works in it or below it
	User    string // name or uid, of the effective user
	PIDFile string // absolute path of a file that holds the pid
	Unit    string // service of systemd's: "train.service"

	Cards    []string // UUIDs, or beginnings of some, or NVML's indices; empty: the cards that its processes are on
	Log      string   // glob of its log, absolute: the one it has open is read, else the newest
	Progress string   // regular expression of a line of the log: see Check
	Share    bool     // gates that share a card may run beside it
}

// Check says what is wrong with a rule, and names the key. One of Command, User,
// PIDFile and Unit must be given, since the working directories of other users'
// processes cannot be read. Progress has the named groups "done" and "total"
// (numbers: 41200, 41,200, 41.2k), or "percent", or "eta" (1:23:45, 2-03:00:00,
// 3h20m, seconds); "unit" (what is counted) and "time" (when the line was written)
// may stand beside them.
func (r Rule) Check() error {
	if r.Name == "" {
		return errors.New("name: a protected run needs one, for people")
	}
	if r.Command == "" && r.User == "" && r.PIDFile == "" && r.Unit == "" {
		return errors.New("command: say how the run is found: by command, user, pidfile or unit (cwd alone cannot be read of other users' processes)")
	}
	if _, err := regexp.Compile(r.Command); err != nil {
		return fmt.Errorf("command: %w", err)
	}
	for _, p := range []struct{ key, path string }{{"cwd", r.Cwd}, {"pidfile", r.PIDFile}, {"log", r.Log}} {
		if p.path != "" && !filepath.IsAbs(p.path) {
			return fmt.Errorf("%s: %q is no absolute path", p.key, p.path)
		}
	}
	if _, err := filepath.Match(r.Log, ""); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	for _, card := range r.Cards {
		if !IsCard(card) {
			return fmt.Errorf("cards: %q is no UUID, no beginning of one with %d characters at least, and no index", card, minUUID)
		}
	}
	return r.checkProgress()
}

// minUUID is how much of a UUID says which one, in characters: GPU-8f6d.
const minUUID = 8

// cardName is what may stand for a card: an index, or a UUID as nvidia-smi -L prints
// it, of a MIG instance too (MIG-8f6d…, MIG-GPU-8f6d…/1/0), or the beginning of one.
var cardName = regexp.MustCompile(`^(0|[1-9]\d{0,3}|(?i:GPU|MIG|MIG-GPU)-[0-9A-Fa-f][0-9A-Fa-f/-]*)$`)

// IsCard says whether a text can name a card in a rule.
func IsCard(text string) bool {
	return cardName.MatchString(text) && (len(text) >= minUUID || text[0] <= '9')
}

func (r Rule) checkProgress() error {
	if r.Progress == "" {
		return nil
	}
	re, err := regexp.Compile(r.Progress)
	if err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	has := func(name string) bool { return slices.Contains(re.SubexpNames(), name) }
	switch {
	case !(has("done") && has("total")) && !has("percent") && !has("eta"):
		return errors.New("progress: it needs the named groups done and total, or percent, or eta: (?P<done>\\d+)/(?P<total>\\d+)")
	case r.Log == "":
		return errors.New("progress: say in which log it is found")
	}
	return nil
}

// Card is a card as far as a rule can name it.
type Card struct {
	UUID, Parent string // Parent: of a MIG instance, the UUID of its card
	Index        int    // NVML's, of a MIG instance that of its card; below 0 for none
	PIDs         []int  // of the processes on it
}

// names says whether a rule names a card.
func (r Rule) names(c Card) bool {
	return slices.ContainsFunc(r.Cards, c.called)
}

// called says whether a text of a rule means the card.
func (c Card) called(text string) bool {
	if c.Index >= 0 && text == fmt.Sprint(c.Index) {
		return true
	}
	text = strings.ToLower(text)
	return len(text) >= minUUID && (strings.HasPrefix(strings.ToLower(c.UUID), text) || strings.HasPrefix(strings.ToLower(c.Parent), text))
}

// Missing are the cards that the rule names and that are not among some.
func (r Rule) Missing(here []Card) (out []string) {
	for _, text := range r.Cards {
		if !slices.ContainsFunc(here, func(c Card) bool { return c.called(text) }) {
			out = append(out, text)
		}
	}
	return out
}
