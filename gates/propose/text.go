package propose

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"gpuci/gates/config"
	"gpuci/gates/reader"
)

// writer writes a proposal. A key is explained where it stands first.
type writer struct {
	strings.Builder
	explained map[string]bool
}

func (w *writer) linef(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// key writes one value, with a comment the first time that key is written.
func (w *writer) key(name, value, comment string) {
	line := name + " = " + value
	if !w.explained[name+comment] && comment != "" {
		w.explained[name+comment] = true
		line += "  # " + comment
	}
	w.linef("%s", line)
}

const head = `# The gates of this workspace, as gpuci init found them. A gate is a check with a
# name: gpuci builds what it needs, runs it, counts the tests that really ran, and
# ends with an outcome that a script can act on.
#
`

// text is the whole file.
func (s *survey) text() string {
	w := &writer{explained: make(map[string]bool)}
	w.WriteString(head)
	w.commands(s)
	w.remarks("Found, and no gate made of it:", s.left)
	w.linef("")
	w.linef("[workspace]")
	w.key("name", config.TOMLString(workspaceName(s.opt.Root)), "the same in every lane")
	for _, g := range s.gates {
		w.gate(g)
	}
	for _, k := range s.kernels {
		w.kernelSet(k, len(s.opt.Cards) > 0)
	}
	return w.String()
}

// commands are what to do with the file next.
func (w *writer) commands(s *survey) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(s.gates) > 0 {
		gate := s.gates[0].Name
		fmt.Fprintln(t, "#   gpuci gate --list\tthese gates")
		fmt.Fprintf(t, "#   gpuci gate %s\trun one\n", gate)
		fmt.Fprintf(t, "#   gpuci gate %s --learn\tpropose limits for what its output holds\n", gate)
	}
	if len(s.kernels) > 0 {
		fmt.Fprintln(t, "#   gpuci kernels check\tcompile the CUDA sources, and check what comes of them")
	}
	fmt.Fprintln(t, "#   gpuci config --reference\tevery key there is, with its default")
	_ = t.Flush()
	if len(s.gates) > 0 {
		w.linef("#\n# Edit next: min-tests of the gates you care for, then bars on their numbers.")
	}
}

func (w *writer) remarks(title string, left []Left) {
	if len(left) == 0 {
		return
	}
	w.linef("#\n# %s", title)
	for _, l := range left {
		w.linef("#   %s", l)
	}
}

// workspaceName is the name of the directory; of the main worktree's where
// lanes stand side by side is for a person to say.
func workspaceName(root string) string {
	name := strings.TrimSpace(printable(strings.ToValidUTF8(filepath.Base(root), "?")))
	if name == "" || name == "/" || name == "." {
		return "workspace"
	}
	return name
}

func (w *writer) gate(g *Gate) {
	w.linef("")
	for _, r := range g.Remarks {
		w.linef("# %s", printable(r))
	}
	w.linef("[[gate]]")
	w.linef("name = %s", config.TOMLString(g.Name))
	w.linef("about = %s", config.TOMLString(printable(g.About)))
	if g.Dir != "." {
		w.key("dir", config.TOMLString(g.Dir), "where the commands run")
	}
	if len(g.Build) > 0 {
		w.key("build", tomlCommands(g.Build), "")
	}
	w.key("run", tomlCommands(g.Run), showWhy(g))
	if g.Profile != "" {
		w.key("profile", config.TOMLString(g.Profile), profileWhy(g.Profile))
	}
	w.key("reader", config.TOMLString(g.Reader), readerWhy(g.Reader))
	if g.Reader != "none" {
		w.key("min-tests", "1", minTestsWhy)
	}
	w.key("timeout", config.TOMLString("20m"), "of run alone, waiting for others not counted; tests that need longer than this hang, as a rule")
	if len(g.Env) > 0 {
		w.linef("\n  [gate.env]  # added to the environment")
		for _, k := range slices.Sorted(maps.Keys(g.Env)) {
			w.linef("  %s = %s", k, config.TOMLString(g.Env[k]))
		}
	}
}

// showWhy says how the numbers that tests print come to be seen.
func showWhy(g *Gate) string {
	h, ok := reader.Hides(g.Reader, g.Run[0], nil)
	if !ok || !h.Called {
		return ""
	}
	flags := tomlStrings(h.Flags)
	return "for a bar on a number that a test prints, end it with " + flags[1:len(flags)-1] + ": " + h.Tool + " shows it only then"
}

// minTestsWhy goes when min-tests is learned.
const minTestsWhy = "fewer than this and the gate is no green; raise it to what runs today, so that no test goes missing"

func profileWhy(profile string) string {
	if profile != "debug" {
		return ""
	}
	return "part of the series of its numbers; timings want a release build, and a gate of their own"
}

func readerWhy(reader string) string {
	switch reader {
	case "libtest":
		return "counts what cargo test says it ran"
	case "gotest":
		return "counts what go test says it ran; gpuci adds -json -count=1"
	case "pytest", "ctest":
		return "counts what " + reader + " says it ran"
	}
	return "counts nothing: the exit status decides"
}
