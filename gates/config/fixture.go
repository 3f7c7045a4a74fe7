package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Fixture is files that are committed though a program makes them, and how they are
// held against what it makes.
type Fixture struct {
	Name  string
	Paths []string // patterns from the directory of gpuci.toml, with slashes; ** is any directories

	Generator []Command // empty where ByHand says why
	ByHand    string
	Dir       string // where the generator runs, relative to Root
	Env       map[string]string
	Output    string // directory that it writes to, relative to Root; "" writes the files at their own paths
	Timeout   time.Duration
	Repeat    int // how often it is run; at least 1

	Compare  string // CompareBytes or CompareNumbers
	Format   string // of numbers: one of Formats; "" goes by each file's name
	Rel, Abs float64
	Type     string   // of raw numbers: "f32"
	Shape    string   // shape file, relative to Root, in which * is a file's name without its ending; "" for none
	Values   []string // columns of CSV, paths of JSON; none are all

	UsedBy   []string // gates
	MayEqual bool     // it may be the same as another one
}

// What compare of a fixture can be.
const (
	CompareBytes   = "bytes"
	CompareNumbers = "numbers"
)

// Formats are those of which numbers are read.
func Formats() []string { return []string{"safetensors", "npy", "npz", "raw", "csv", "json"} }

// Types are the elements of raw numbers.
func Types() []string {
	return []string{
		"f64", "f32", "f16", "bf16", "f8_e4m3", "f8_e5m2", "f8_e8m0", "f8_e4m3fnuz", "f8_e5m2fnuz",
		"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "c64", "c128",
	}
}

// fixtures reads every [[fixture]]. It comes after the gates, which it names.
func (l *layer) fixtures(f *fields) {
	if !f.only("fixture", l.role == workspace, "the workspace's "+FileName) {
		return
	}
	seen := make(map[string]int)
	for _, table := range f.tables("fixture") {
		at, label := place{}.in("fixture"), "[[fixture]]"
		if e := table.get("name"); e != nil && e.value.kind == isString {
			at, label = place{}.named("fixture", e.value.text), "[[fixture]] "+quoted(e.value.text)
		}
		t := l.fields(at, label, table)
		l.config.Fixtures = append(l.config.Fixtures, t.fixture(seen))
	}
}

func (f *fields) fixture(seen map[string]int) Fixture {
	x := Fixture{Dir: defaultDir, Timeout: defaultTimeout, Repeat: 1, Compare: CompareBytes}
	f.need("name", `"oracle"`)
	if e := f.word("name", `"oracle"`, &x.Name); e != nil {
		f.once(e, seen, "a second fixture %s, the first is on line %d")
	}
	f.fixturePaths(&x)
	f.generator(&x)
	f.comparison(&x)
	e, items := f.texts("used-by", `["fused-adjoint"]`)
	for _, item := range items {
		if _, known := f.config.Gate(item.text); !known {
			f.add(item.span, f.nearGate(item.text), "%q in %s names no gate: %s", e.key, f.label, quoted(item.text))
			continue
		}
		x.UsedBy = append(x.UsedBy, item.text)
	}
	f.truth("may-equal", &x.MayEqual)
	f.done()
	return x
}

// fixturePaths reads path or paths.
func (f *fields) fixturePaths(x *Fixture) {
	var one string
	single := f.text("path", `"tests/fixtures/oracle.npy"`, &one)
	several, items := f.texts("paths", `["tests/fixtures/*.npy"]`)
	switch {
	case single != nil && several != nil:
		f.add(several.span, "leave one of the two out", "%q and %q in %s exclude each other", "path", "paths", f.label)
	case single != nil:
		x.Paths = f.globs(single, []*value{single.value})
	case several != nil:
		x.Paths = f.globs(several, items)
		if len(items) == 0 {
			f.bad(several, `write paths = ["tests/fixtures/*.npy"]`, "names nothing")
		}
	default:
		f.needOr("path", `"tests/fixtures/oracle.npy"`, `, or paths = ["tests/fixtures/*.npy"]`)
	}
}

// globs are patterns of paths within the workspace.
func (f *fields) globs(e *entry, items []*value) (out []string) {
	for _, item := range items {
		if !f.inside(e, item) {
			continue
		}
		clean := filepath.ToSlash(filepath.Clean(item.text))
		if _, err := path.Match(strings.ReplaceAll(clean, "**", "*"), ""); err != nil || clean == "." {
			f.add(item.span, "name files, with * for any letters and ** for any directories", "%q in %s names no files: %s", e.key, f.label, quoted(item.text))
			continue
		}
		if slices.ContainsFunc(strings.Split(clean, "/"), func(s string) bool { return s != "**" && strings.Contains(s, "**") }) {
			f.add(item.span, "write ** between slashes, as in tests/**/*.npy", "%q in %s has ** beside other letters: %s", e.key, f.label, quoted(item.text))
			continue
		}
		out = append(out, clean)
	}
	return out
}

// generator reads what makes the files, or why nothing does.
func (f *fields) generator(x *Fixture) {
	x.Generator = f.commands("generator")
	hand := f.title("by-hand", `"captured on the old cluster, which is gone"`, &x.ByHand)
	made := f.table.get("generator")
	switch {
	case made == nil && f.table.get("by-hand") == nil:
		f.needOr("generator", `["python3", "tools/fixtures.py"]`, `, or by-hand = "why nothing makes it"`)
	case made != nil && hand != nil:
		f.add(hand.span, "leave one of the two out", "%q and %q in %s exclude each other", "generator", "by-hand", f.label)
	}
	var g Gate
	g.Dir = defaultDir
	f.dir(&g)
	f.env(&g)
	x.Dir, x.Env = g.Dir, g.Env
	if e := f.text("output", `"target/fixtures"`, &x.Output); e != nil && f.inside(e, e.value) {
		x.Output = filepath.ToSlash(filepath.Clean(x.Output))
		if x.Output == "." {
			f.bad(e, "leave the line out", "is the whole workspace")
		}
	}
	f.duration("timeout", 1, &x.Timeout)
	f.whole("repeat", 1, maxGenerations, &x.Repeat)
	for _, key := range []string{"dir", "env", "output", "timeout", "repeat"} {
		if e := f.table.get(key); e != nil && made == nil && hand != nil {
			f.add(e.span, "leave the line out", "%q in %s means nothing without %q", key, f.label, "generator")
		}
	}
}

// maxGenerations is more than tells anything new.
const maxGenerations = 100

// truth reads true or false.
func (f *fields) truth(key string, into *bool) {
	e := f.take(key)
	switch {
	case e == nil:
	case e.value.kind != isBool:
		f.wrong(e, "true or false", key+" = true")
	default:
		f.note(e)
		*into = e.value.text == "true"
	}
}
