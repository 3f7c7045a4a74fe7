package lint

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// unit is a text that is read: a file, or a command in gpuci.toml.
type unit struct {
	*look
	path     string // from the directory of gpuci.toml
	dir      string // where its commands run, absolute
	text     string // what is parsed: as long as what stands in the file, byte for byte
	shift    int    // where text begins in the file
	whole    string // of the file
	language language
	own      *edit // of a gate's own command; nil for a file
	line     int   // of a gate's own command, where it begins
	nowhere  bool  // it is not known where its commands run
	quoted   bool  // it stands in single quotes
	at       int   // the command that is followed
}

// look is one gate that is looked through.
type look struct {
	report *Report
	root   string
	gate   config.Gate
	build  bool
	seen   map[string]bool // files, with how they are run
	spaces *spaces
	depth  int
}

// maxShown bounds what is shown of a line, in bytes: there are scripts of one line.
const maxShown = 400

// finding is one at an offset of the text.
func (u *unit) finding(k Kind, at int) Finding {
	line, text := u.place(at)
	f := Finding{Kind: k, Gates: []string{u.gate.Name}, File: u.path, Line: line, Text: clip(strings.TrimSpace(text))}
	f.acceptAt(u.whole, line)
	return f
}

func clip(text string) string {
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}

// place is the line of an offset, and its text.
func (u *unit) place(at int) (int, string) {
	if u.own == nil {
		return lineAt(u.whole, u.shift+at)
	}
	_, want := lineAt(u.text, at)
	lines := strings.Split(u.whole, "\n")
	for i := max(u.line, 1) - 1; i < len(lines); i++ { // the string can go on over lines, and be written with escapes
		if strings.Contains(lines[i], strings.TrimSpace(want)) {
			return i + 1, lines[i]
		}
	}
	if u.line > 0 && u.line <= len(lines) {
		return u.line, lines[u.line-1]
	}
	return max(u.line, 1), want
}

func lineAt(text string, at int) (int, string) {
	at = min(max(at, 0), len(text))
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return strings.Count(text[:at], "\n") + 1, line
}

// edit is the place of a piece of the text, for a proof.
func (u *unit) edit(from, to int, succeed bool) edit {
	e := edit{file: u.path, build: u.build, from: u.shift + from, to: u.shift + to, language: u.language, succeed: succeed, quoted: u.quoted}
	if u.own != nil {
		e.file, e.command, e.arg = "", u.own.command, u.own.arg
	}
	return e
}

// cannot notes what could not be read, unless its line says why that may be so.
func (u *unit) cannot(format string, args ...any) {
	line, _ := u.place(u.at)
	f := Finding{}
	f.acceptAt(u.whole, line)
	said := fmt.Sprintf("%s:%d: gate %s: ", u.path, line, u.gate.Name) + fmt.Sprintf(format, args...)
	if f.Accepted != "" {
		u.beyond("%s: accepted: %s", said, f.Accepted)
	} else if !slices.Contains(u.report.Unread, said) {
		u.report.Unread = append(u.report.Unread, said)
	}
}

// beyond notes what is run and not looked through.
func (u *unit) beyond(format string, args ...any) {
	said := fmt.Sprintf(format, args...)
	if !slices.Contains(u.report.Beyond, said) {
		u.report.Beyond = append(u.report.Beyond, said)
	}
}

// maxFile is more than anybody writes by hand, in bytes.
const maxFile = 4 << 20

// open reads a file that a command names: from the directory in which it runs, from
// that of the script that calls it, or from that of gpuci.toml. ok is false where there
// is none in the workspace.
func (l *look) open(name string, dirs ...string) (path, text string, ok bool) {
	for _, dir := range append(dirs, l.root) {
		at := name
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, name)
		}
		rel, err := filepath.Rel(l.root, at)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		info, err := os.Stat(at)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			continue
		}
		data, err := os.ReadFile(at)
		if err != nil {
			l.report.Unread = append(l.report.Unread, rel+": "+err.Error())
			continue
		}
		if bytes.IndexByte(data, 0) >= 0 {
			return "", "", false // a program
		}
		return rel, string(data), true
	}
	return "", "", false
}

// maxSeen bounds scripts that call each other with ever new arguments.
const maxSeen = 50_000

// reads notes that a file is read; it is not read twice in the same way.
func (l *look) reads(path, how string) bool {
	key := path + "\x00" + how
	if l.seen[key] || len(l.seen) > maxSeen {
		return false
	}
	l.seen[key] = true
	l.report.by(path, l.gate.Name)
	if !slices.Contains(l.report.Read, path) {
		l.report.Read = append(l.report.Read, path)
	}
	return true
}
