package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"
)

// seeds are the files of the other tests, and the corners of TOML's rules on
// what may follow what.
func seeds(f *testing.F) []string {
	f.Helper()
	var all []string
	good, _ := filepath.Glob("testdata/good/*.toml")
	for _, path := range good {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, string(data))
	}
	bad, _ := filepath.Glob("testdata/bad/*.txtar")
	for _, path := range bad {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files[:len(a.Files)-1] {
			all = append(all, string(file.Data))
		}
	}
	if len(good) == 0 || len(bad) == 0 {
		f.Fatal("found no seeds")
	}
	return append(all,
		"a.b = 1\na.c = 2\n[d]\ne.f = 1\n[d.e.g]\nh = 1\n",
		"a.b = 1\n[a.b]\n", "[a.b.c]\n[a]\nb.d = 1\n", "[a]\nb.c = 1\n[a.b]\n",
		"[[a]]\n[a.b]\n[[a]]\n[a.b]\n", "[a.b]\n[[a]]\n", "a = []\n[[a]]\n", "a = { b = 1 }\n[a.c]\n",
		"a = { b.c = 1, b.d = 2 }\na.e = 1\n", "a = [[ ], # c\n [ { }, 'x' ] ,\n]\n", "'' = \"\"\n\"\\u0000\" = ''''''\n",
		"a = \"\"\"\r\n\\\r\n  x\"\"\"\"\"\n", "\r\n\r\n", "x = 1979-05-27 07:32:00Z\n",
	)
}

// FuzzLoad: whatever a file holds, it is a configuration that prints and loads
// again, or every mistake has its place in the file.
func FuzzLoad(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		c := defaults()
		c.Workspace.Name = "fuzz"
		problems := merge(c, workspace, FileName, data)
		lines := strings.Split(data, "\n")
		for _, p := range problems {
			if p.Line < 1 || p.Line > len(lines) {
				t.Fatalf("line %d of %d: %v", p.Line, len(lines), p)
			}
			if line := strings.TrimSuffix(lines[p.Line-1], "\r"); p.Source != line {
				t.Fatalf("the source of line %d is %q, not %q", p.Line, line, p.Source)
			}
			if n := len([]rune(p.Source)); p.Column < 1 || p.Column > n+1 || p.Width < 1 || p.Column+p.Width > n+2 {
				t.Fatalf("column %d, width %d in %q", p.Column, p.Width, p.Source)
			}
			if shown := p.String(); strings.ContainsFunc(shown, isControl) {
				t.Fatalf("control characters in %q", shown)
			}
		}
		if len(problems) > 0 {
			return
		}
		var out strings.Builder
		if err := c.Print(&out); err != nil {
			t.Fatal(err)
		}
		again := defaults()
		if p := merge(again, workspace, FileName, out.String()); len(p) > 0 {
			t.Fatalf("printed:\n%s\ngives %v", out.String(), p)
		}
		if d := cmp.Diff(c, again, cmpopts.IgnoreUnexported(Config{}), ignoreLines, cmpopts.IgnoreFields(Config{}, "Cards")); d != "" {
			t.Fatalf("printed:\n%s\n-first +again\n%s", out.String(), d)
		}
	})
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

// FuzzDocument holds our rules for tables and repeated keys against go-toml's.
func FuzzDocument(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		r := &report{text: newText(FileName, data)}
		root := document(r)
		var got map[string]any
		err := toml.Unmarshal([]byte(data), &got)
		ours := len(r.problems) == 0
		switch {
		case err == nil && !ours && !strings.HasPrefix(data, "\ufeff"):
			t.Fatalf("go-toml reads what we refuse: %v", r.problems)
		case err != nil && ours && !isRangeError(err):
			t.Fatalf("go-toml refuses what we read: %v", err)
		case err == nil && ours:
			if d := cmp.Diff(shape(got), treeShape(root)); d != "" {
				t.Fatalf("-theirs +ours\n%s", d)
			}
		}
	})
}

// isRangeError says whether go-toml refused a number or a date for its value:
// we look at values only where a key wants one.
func isRangeError(err error) bool {
	for _, s := range []string{"date", "time", "digit", "integer", "float", "number", "month", "day", "hour", "minute", "second", "range"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

// shape reduces a document to tables, arrays and strings.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any)
		for k, e := range v {
			out[k] = shape(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = shape(e)
		}
		return out
	case string:
		return v
	}
	return nil
}

func treeShape(v *value) any {
	switch v.kind {
	case isTable:
		out := make(map[string]any)
		for _, e := range v.keys {
			out[e.key] = treeShape(e.value)
		}
		return out
	case isArray:
		out := make([]any, len(v.items))
		for i, e := range v.items {
			out[i] = treeShape(e)
		}
		return out
	case isString:
		return v.text
	}
	return nil
}
