package shim

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

var wordCases = []struct {
	text string
	want []string
}{
	{"", nil},
	{" \t\r\n\v\f", nil},
	{"a b\nc", []string{"a", "b", "c"}},
	{`'a b' "c d"`, []string{"a b", "c d"}},
	{`a'b 'c`, []string{"ab c"}},
	{`""`, []string{""}},
	{`a\ b \"c`, []string{"a b", `"c`}},
	{`'a\'b'`, []string{"a'b"}},
	{`"it's"`, []string{"it's"}},
	{`'open a`, []string{"open a"}},
	{"a\\\nb", []string{"a\nb"}},
	{"-c\x00-o", []string{"-c"}},
	{`C:\\dir\\x.o`, []string{`C:\dir\x.o`}},
}

func TestWords(t *testing.T) {
	for _, c := range wordCases {
		if diff := cmp.Diff(c.want, Words(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// TestWordsAsGCC holds the reader against gcc's own: every word is a macro,
// and gcc hands its macros on to the compiler proper, which here is us.
func TestWordsAsGCC(t *testing.T) {
	gcc := need(t, "gcc")
	dir := t.TempDir()
	source := write(t, dir+"/a.c", "int x;\n")
	for _, text := range []string{
		`-DA=1 '-DB=a b' "-DC=c \"d\"" -DD=e\ f`, `-DA='x'y"z" '-DB=\'' "-DC='"`, "-DA=\\\\ -DB=\"a\\\nb\"\n\n-DC=1", `-DA="un closed`, "-DA=1 -DB=\x0b-DC=2\x0c-DD",
	} {
		response := write(t, dir+"/r", text)
		cmd := exec.Command(gcc, "-wrapper", os.Args[0], "-E", source, "@"+response)
		cmd.Env = append(os.Environ(), playVar+"=arguments")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var got []string
		args := strings.Split(string(out), "\x00")
		for i, a := range args {
			if a == "-D" {
				got = append(got, "-D"+args[i+1])
			}
		}
		if diff := cmp.Diff(Words(text), got); diff != "" || len(got) == 0 {
			t.Errorf("%q (-ours +gcc):\n%s", text, diff)
		}
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	inner := write(t, dir+"/inner", "-c 'b c'")
	outer := write(t, dir+"/outer", "a @"+inner+" @missing")
	loop := dir + "/loop"
	write(t, loop, "x @"+loop)
	pipe := dir + "/pipe"
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := Expand([]string{"@" + outer, "@", "z", "@" + pipe, "@" + dir}, readResponse)
	want := []string{"a", "-c", "b c", "@missing", "@", "z", "@" + pipe, "@" + dir}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(Expand([]string{"@" + loop}, readResponse)); n != maxResponses+1 {
		t.Errorf("a file that names itself gave %d words, want %d and an end", n, maxResponses+1)
	}
}

// escape writes words so that every byte of them survives.
func escape(words []string) string {
	var b strings.Builder
	for _, w := range words {
		if w == "" {
			b.WriteString(`""`)
		}
		for i := range len(w) {
			b.WriteString(`\` + w[i:i+1])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// FuzzWords: no text breaks the reader, and what it read can be written so
// that it reads the same again.
func FuzzWords(f *testing.F) {
	for _, c := range wordCases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := Words(text)
		if again := Words(escape(words)); !slices.Equal(again, words) {
			t.Errorf("%q: %q, and read again %q", text, words, again)
		}
	})
}

// FuzzExpand: files that name each other in any way come to an end.
func FuzzExpand(f *testing.F) {
	f.Add("@b", "@a @b")
	f.Add("-c @b", "x.c")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 64 {
			return // the words grow by the files' size at every step
		}
		read := func(name string) (string, bool) {
			text, ok := map[string]string{"a": a, "b": b}[filepath.Base(name)]
			return text, ok
		}
		if out := Expand([]string{"@a"}, read); len(out) > 64*(maxResponses+1) {
			t.Errorf("%d words", len(out))
		}
	})
}
