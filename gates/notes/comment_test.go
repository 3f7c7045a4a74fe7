package notes

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// on is a whole note, as the rest of a comment.
const on = Marker + ` text="a b" owner=x about=g until=2026-12-15`

// TestIn: what is a note and what only looks like one.
func TestIn(t *testing.T) {
	for _, c := range []struct {
		name, text string
		notes, bad int
	}{
		{"a.rs", "// " + on, 1, 0},
		{"a.rs", "\t/// " + on + "\r\nx", 1, 0},
		{"a.py", "# " + on, 1, 0},
		{"Makefile", "##" + on, 1, 0},
		{"a.c", "/* " + on + " */", 1, 0},
		{"a.c", "/*\n * " + on + "\n */", 1, 0},
		{"a.sql", "-- " + on, 1, 0},
		{"a.el", ";; " + on, 1, 0},
		{"a.tex", "% " + on, 1, 0},
		{"a.xml", "<!-- " + on + " -->", 1, 0},
		{"CMakeLists.txt", "# " + on, 1, 0},
		{"a.go", "package a\n\n// " + on + "\n/*\n" + " * " + on + "\n*/\n", 2, 0},
		{"a.go", "package a\n\nconst a = `\n// " + on + "\n`\n", 0, 0},
		{"a.go", "package a\n\nvar b = 1 // " + on + "\n", 0, 0},
		{"a.rs", "let a = 1; // " + on, 0, 0},
		{"a.rs", on, 0, 0},
		{"a.rs", `"// ` + on + `"`, 0, 0},
		{"a.rs", "// see " + on, 0, 0},
		{"a.rs", "// " + Marker + " is how to write one", 0, 0},
		{"a.rs", "// " + Marker + "s text=a", 0, 0},
		{"README.md", "# " + on, 0, 0},
		{"docs/a.rst", "# " + on, 0, 0},
		{"a.txt", "# " + on, 0, 0},
		{"x/testdata/a.c", "// " + on, 0, 0},
		{"a.bin", "// " + on + "\n\x00", 0, 0},
		{"a.rs", "// " + Marker + " text=a", 0, 1},
		{"a.rs", "// " + on + ` text=again`, 0, 1},
		{"a.rs", "// " + on + ` whlie-red=x`, 0, 1},
		{"a.rs", "// " + on + ` expects="1 < 2"`, 0, 1},
		{"a.rs", "// " + on + ` since=3ab57a0`, 0, 1},
		{"a.rs", "// " + on + ` while-unchanged=../x since=3ab57a0`, 0, 1},
		{"a.rs", "// " + on + ` while-red="`, 0, 1},
		{"a.rs", "// " + Marker + " text=\xff owner=x until=2026-12-15", 0, 1},
		{"a.rs", "// " + on + ` while-red=` + strings.Repeat("x", maxLine), 0, 1},
		{"a.f90", "! " + on, 1, 0},
		{"a.ml", "(* " + on + " *)", 1, 0},
		{"a.hs", "{- " + on + " -}", 1, 0},
		{"a.bat", "REM " + on, 1, 0},
		{"a.m4", "dnl " + on, 1, 0},
		{"a.bat", "@rem " + on, 1, 0},
		{"a.bat", "@REM " + on, 1, 0},
		{"a.rs", "// TODO " + on, 0, 1},
		{"a.rs", "// TODO(kai): " + on, 0, 1},
		{"a.py", "# fixme - " + on, 0, 1},
		{"a.rs", "// " + strings.ToUpper(Marker) + on[len(Marker):], 0, 1},
		{"a.rs", "// gpuci: note" + on[len(Marker):], 0, 1},
		{"a.rs", "// Gpuci :  Note" + on[len(Marker):], 0, 1},
		{"a.rs", "// TODO GPUCI:note" + on[len(Marker):], 0, 1},
		{"a.rs", "// TODO write a " + on, 0, 0},
		{"a.rs", "// TODO " + Marker + " needs a text=", 0, 0},
		{"a.rs", "// gpuci: note that owner= is needed", 0, 0},
		{"a.rs", "// gpuci: notes text=a owner=b", 0, 0},
		{"a.rs", "\ufeff// " + on, 1, 0},
		{"a.rs", "// " + Marker + ": text=a owner=x until=2026-12-15", 0, 1},
		{"a.rs", "// " + Marker + " text = a", 0, 1},
		{"a.rs", "// " + Marker + " owner: a", 0, 1},
		{"a.rs", "// " + Marker, 0, 1},
		{"a.f", "C " + on, 0, 1},
		{"a.lua", "--[[ " + on, 0, 1},
		{"a.py", "def a():\n    \"\"\"b\n    " + on + "\n    \"\"\"", 0, 1},
		{"a.py", "print('" + on + "')", 0, 0},
		{"a.go", "package a\n\n/*\n" + on + "\n*/\n", 0, 1},
		{"a.sh", "echo " + on, 0, 0},
		{"a.rs", "// the " + Marker + " text=a owner=b", 0, 0},
		{"a.rs", "// " + Marker + ", as it is written", 0, 0},
		{"a.rs", "    '// " + on + "',", 0, 0},
		{"a.rs", strings.Repeat("// "+on+"\n", maxIn+5), maxIn, 0},
		{"a.rs", strings.Repeat("// "+Marker+" text=a\n", maxBad+5), 0, maxBad},
	} {
		list, bad := In(c.name, []byte(c.text))
		if len(list) != c.notes || len(bad) != c.bad {
			t.Errorf("%s, %.90q: %d notes, %d bad %+.2v", c.name, c.text, len(list), len(bad), bad)
		}
	}
	list, _ := In("src/a.rs", []byte("fn x() {}\n// "+Marker+` text="a b" owner="c d" while-unchanged="x, y/../z" since=3ab57a0`))
	if len(list) != 1 || list[0].About != "src/a.rs" || list[0].At() != "src/a.rs:2" || strings.Join(list[0].WhileUnchanged, " ") != "x z" || list[0].Owner != "c d" {
		t.Errorf("%+v", list)
	}
}

// FuzzIn: whatever a file holds, what comes of it is whole, has its place in the
// file, and is the same the second time.
func FuzzIn(f *testing.F) {
	for _, name := range []string{"a.go", "a.rs", "a.py"} {
		f.Add(name, []byte("// "+on+"\n# "+on+" expects=\"a-b < 2\"\n/* "+on+" */"))
		f.Add(name, []byte("package a\nconst a = `\n// "+on+"\n`\n/*\n * "+on+"\n//"))
		f.Add(name, []byte("//"+Marker+" text=\"\n--"+Marker+"\ttext=a owner=b while-unchanged=,, since=1234567\r\n"))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		list, bad := In(name, data)
		lines := strings.Count(string(data), "\n") + 1
		for _, n := range list {
			if n.Text == "" || n.Owner == "" || n.About == "" || len(n.Conditions()) == 0 || n.Line < 1 || n.Line > lines || n.ID() == "" {
				t.Fatalf("%+v", n)
			}
			if !utf8.ValidString(n.Text+n.Owner) || strings.Contains(n.Text+n.Owner+n.WhileRed, "\n") {
				t.Fatalf("%+v", n)
			}
			again := n
			again.Line++
			if again.ID() != n.ID() {
				t.Fatal("a note is another one where it stands elsewhere")
			}
		}
		for _, b := range bad {
			if b.Why == "" || b.Line < 1 || b.Line > lines {
				t.Fatalf("%+v", b)
			}
		}
		if two, _ := In(name, data); len(two) != len(list) {
			t.Fatal("not the same the second time")
		}
	})
}
