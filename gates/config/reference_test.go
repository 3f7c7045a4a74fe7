package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func loadReference(t *testing.T) *Config {
	t.Helper()
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, Reference())
	return mustLoad(t, src)
}

// TestReferenceDefaults: what the reference calls a default is one.
func TestReferenceDefaults(t *testing.T) {
	c := loadReference(t)
	want := defaults()
	if d := cmp.Diff(want, c, cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Root", "Workspace", "Gates", "Notes", "Fixtures", "Kernels", "Slurm")); d != "" {
		t.Errorf("-defaults +reference\n%s", d)
	}
	slurm := want.Slurm
	slurm.Shared, slurm.Scratch, slurm.Partition, slurm.Account, slurm.QOS, slurm.Constraint, slurm.Options =
		c.Slurm.Shared, c.Slurm.Scratch, c.Slurm.Partition, c.Slurm.Account, c.Slurm.QOS, c.Slurm.Constraint, c.Slurm.Options // which have none
	if d := cmp.Diff(slurm, c.Slurm); d != "" {
		t.Errorf("[slurm]: -defaults +reference\n%s", d)
	}
	if len(c.Gates) != 2 {
		t.Fatalf("got %d gates, want 2", len(c.Gates))
	}
	g, plain := c.Gates[0], c.Gates[1] // the second leaves out what has a default
	for _, limits := range [][2]any{
		{plain.Dir, g.Dir}, {plain.MinTests, g.MinTests}, {plain.BuildTimeout, g.BuildTimeout}, {plain.Timeout, g.Timeout},
		{plain.NoProgress, g.NoProgress}, {plain.Grace, g.Grace}, {defaultTolerance, g.Bars[0].Tolerance}, {1, g.Bars[0].MinMatches},
	} {
		if limits[0] != limits[1] {
			t.Errorf("the reference says %v where the default is %v", limits[1], limits[0])
		}
	}
}

// TestReferenceIsComplete asks the reader for the keys it knows: an unknown
// key in every table makes it list them.
func TestReferenceIsComplete(t *testing.T) {
	known := make(map[string]map[string]bool) // kind of table: its keys
	for _, role := range []role{machine, workspace} {
		for _, p := range withUnknownKeys(t, role) {
			keys, ok := strings.CutPrefix(p.Hint, "known here: ")
			if !ok {
				continue // what stands in the wrong file
			}
			kind := tableKind(p.Msg)
			for _, key := range strings.Split(keys, ", ") {
				if known[kind] == nil {
					known[kind] = make(map[string]bool)
				}
				known[kind][key] = true
			}
		}
	}
	tables := []string{
		"[[fixture]]", "[[gate.bar]]", "[[gate.fault]]", "[[gate.metric]]", "[[gate.witness]]", "[[gate]]",
		"[[kernels.accept]]", "[[kernels.budget]]", "[[kernels.graph]]", "[[kernels.launch]]", "[[kernels]]", "[[note]]", "[bank]", "[build]",
		"[ci]", "[gate.scope]", "[gate.slurm]", "[gate.trace]", "[gpu]", "[history]", "[pressure.io-full]", "[pressure]", "[reaper]", "[slurm]", "[workspace]", "the file",
	}
	if d := cmp.Diff(tables, slices.Sorted(maps.Keys(known))); d != "" {
		t.Fatalf("tables that know keys: -want +got\n%s", d)
	}
	named := namedKeys()
	for kind, keys := range known {
		for key := range keys {
			if !named[kind][key] {
				t.Errorf("the reference does not name %q of %s", key, kind)
			}
		}
	}
}

// withUnknownKeys reads the reference with one unknown key more in every table.
func withUnknownKeys(t *testing.T, who role) Problems {
	t.Helper()
	r := &report{text: newText(FileName, Reference())}
	root := document(r)
	if root == nil {
		t.Fatal(r.problems)
	}
	var addTo func(*value)
	addTo = func(v *value) {
		for _, item := range v.items {
			addTo(item)
		}
		for _, e := range v.keys {
			addTo(e.value)
		}
		if v.kind == isTable {
			v.set("qqq-qqq-qqq-qqq", v.span, &value{kind: isBool, text: "true"})
		}
	}
	addTo(root)
	l := &layer{report: r, config: defaults(), role: who}
	l.top(root)
	return r.problems
}

// tableKind is the kind of table in "unknown key … in [[gate.bar]] "x" of …".
func tableKind(msg string) string {
	_, label, _ := strings.Cut(msg, `" in `)
	switch {
	case strings.HasPrefix(label, "["):
		label, _, _ = strings.Cut(label, " ")
	case strings.HasPrefix(label, `"replace" of [[gate.fault]]`):
		return "[[gate.fault]]"
	case strings.HasPrefix(label, `"tolerance" of [[fixture]]`):
		return "[[fixture]]"
	case strings.Contains(label, " of [gate.scope]"):
		return "[gate.scope]"
	}
	return label
}

// namedKeys are the keys that the lines of the reference set, in comments too,
// by kind of table. The keys of an axis count to the scope.
func namedKeys() map[string]map[string]bool {
	key := regexp.MustCompile(`(?:^|[{,])(?:\s|# )*([a-z-]+) = `)
	header := regexp.MustCompile(`^\s*(\[+([\w.-]+)\]+)`)
	named := map[string]map[string]bool{"the file": {}}
	table := "the file"
	for line := range strings.Lines(Reference()) {
		if name, ok := strings.CutPrefix(line, "# [["); ok { // of the machine's file
			name, _, _ = strings.Cut(name, "]]")
			named["the file"][name] = true
		}
		if m := header.FindStringSubmatch(line); m != nil {
			table = m[1]
			if named[table] == nil {
				named[table] = make(map[string]bool)
			}
			above, name := "the file", m[2]
			if i := strings.LastIndex(name, "."); i >= 0 {
				above, name = name[:i], name[i+1:]
				if above = "[" + above + "]"; above == "[gate]" || above == "[fixture]" || above == "[kernels]" {
					above = "[" + above + "]"
				}
			}
			named[above][name] = true
		}
		for _, m := range key.FindAllStringSubmatch(line, -1) {
			named[table][m[1]] = true
		}
	}
	return named
}

// TestReferenceRequired: what the reference calls required is missed where its line is
// taken out, with every reader but those that the line names.
func TestReferenceRequired(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ *([a-z-]+) = .*  # required(?:;.*|(, but with .*))?$`)
	looked := 0
	for _, reader := range []string{"libtest", "counters", "none"} {
		text := strings.ReplaceAll(Reference(), `reader = "libtest"`, fmt.Sprintf("reader = %q", reader))
		text = strings.ReplaceAll(text, "min-tests = 1  #", "# ")
		for _, at := range line.FindAllStringSubmatchIndex(text, -1) {
			key, but := text[at[2]:at[3]], ""
			if at[4] >= 0 {
				but = text[at[4]:at[5]]
			}
			src := sourcesIn(t.TempDir())
			write(t, src.Workspace, text[:at[0]]+text[at[1]:])
			_, err := Load(src)
			missed := err != nil && strings.Contains(err.Error(), fmt.Sprintf("has no %q", key))
			if excused := strings.Contains(but, fmt.Sprintf("%q", reader)); missed == excused {
				t.Errorf("reader %s without %q: %v, and the reference says: %s", reader, key, err, text[at[0]:at[1]])
			}
			looked++
		}
	}
	if looked < 36 {
		t.Errorf("looked at %d lines that are required, want at least 36", looked)
	}
}

// TestReferenceMarksLater: a line says "not acted on yet" if its key is in the
// Later list, and only then.
func TestReferenceMarksLater(t *testing.T) {
	const mark = "not acted on yet"
	c := loadReference(t)
	lines := strings.Split(Reference(), "\n")
	later := 0
	for key, s := range c.origins {
		if key == "gate.fused-library.build-timeout" {
			continue // given by the line of [build]
		}
		if got := strings.HasSuffix(lines[s.Line-1], "; "+mark); got != isLater(s.word) {
			t.Errorf("line %d marks %q as not acted on: %v, want %v", s.Line, key, got, isLater(s.word))
		}
		if isLater(s.word) {
			later++
		}
	}
	if later != len(c.Pending()) {
		t.Errorf("looked at %d keys that nothing acts on, want %d", later, len(c.Pending()))
	}
}

// TestReferenceComments: a key that stands in a comment loads where it may stand.
func TestReferenceComments(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, "")
	found := regexp.MustCompile(`(?m)^# ([a-z-]+ = .*)$`).FindAllStringSubmatch(Reference(), -1)
	if len(found) != 22 {
		t.Fatalf("got %d keys in comments, want lock-dir, base, tools, tsv, until, required, scratch, cards, harmless, capability, name, the 10 of [[protect]] and compiler", len(found))
	}
	gpu, protect := found[7:9], found[11:21]
	found = slices.Concat(found[:7], found[9:11], found[21:])
	write(t, src.Machine, found[0][1]+"\n[ci]\n"+found[6][1]+"\n[[card]]\n"+found[7][1]+"\n"+found[8][1])
	if c := mustLoad(t, src); !filepath.IsAbs(c.LockDir) || !filepath.IsAbs(c.CI.Scratch) {
		t.Errorf("%s and %s gave the directories %q and %q", found[0][1], found[6][1], c.LockDir, c.CI.Scratch)
	}
	if c := mustLoad(t, src); len(c.Cards) != 1 || c.Cards[0] != (Card{"H200", "9.0"}) {
		t.Errorf("%q gave the cards %+v", found[7:9], c.Cards)
	}
	text := "[gpu]\n" + gpu[0][1] + "\n" + gpu[1][1] + "\n[[protect]]\n"
	for _, line := range protect {
		text += line[1] + "\n"
	}
	write(t, src.Machine, text)
	if c := mustLoad(t, src); len(c.GPU.Cards) != 2 || len(c.GPU.Harmless) != 1 || len(c.Protected) != 1 || c.Protected[0].Progress == "" {
		t.Errorf("%s gave %+v and %+v", text, c.GPU, c.Protected)
	}
	write(t, src.Workspace, "[[kernels]]\nname = 'x'\nsources = ['x.cu']\narch = ['sm_90']\n"+found[9][1]+"\n[workspace]\n"+found[1][1]+"\n[reaper]\n"+found[2][1]+"\n[history]\n"+found[3][1]+"\n[ci]\n"+found[4][1]+"\n"+found[5][1]+"\n[[gate]]\nname = 'fused-adjoint'\nrun = ['true']\nreader = 'none'\n")
	c := mustLoad(t, src)
	if len(c.Tools) != 1 || c.Workspace.Base != "main" || c.History.TSV == "" || c.CI.Until == "" || len(c.CI.Required) != 1 {
		t.Errorf("%q gave the tools %q, the base %q, the file %q and %+v", found[1:], c.Tools, c.Workspace.Base, c.History.TSV, c.CI)
	}
}
