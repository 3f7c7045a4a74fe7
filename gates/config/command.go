package config

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Command is one command of a build or a run. Exactly one field is set.
type Command struct {
	Argv  []string // run without a shell
	Shell string   // run by bash -euo pipefail -c
}

// commands reads one of three forms: an array of strings is one command, an
// array of such arrays is several, a string is one for the shell.
func (f *fields) commands(key string) []Command {
	e := f.take(key)
	if e == nil {
		return nil
	}
	usage := fmt.Sprintf(`%s = ["cargo", "test"]`, key)
	switch {
	case e.value.kind == isString:
		if strings.TrimSpace(e.value.text) == "" || strings.Contains(e.value.text, "\x00") {
			f.bad(e, "write "+usage, "is no command: %s", quoted(e.value.text))
			return nil
		}
		f.note(e)
		return []Command{{Shell: e.value.text}}
	case e.value.kind != isArray:
		f.wrong(e, "an array of strings, an array of such arrays, or a string for the shell", usage)
		return nil
	case len(e.value.items) == 0:
		f.bad(e, "write "+usage, "is an empty array")
		return nil
	}
	f.note(e)
	if e.value.items[0].kind == isArray {
		return f.several(e, usage)
	}
	if argv := f.argv(e, e.value, usage); argv != nil {
		return []Command{{Argv: argv}}
	}
	return nil
}

func (f *fields) several(e *entry, usage string) []Command {
	var all []Command
	for _, item := range e.value.items {
		if item.kind != isArray {
			f.mixed(e, item, usage)
			return nil
		}
		argv := f.argv(e, item, usage)
		if argv == nil {
			return nil
		}
		all = append(all, Command{Argv: argv})
	}
	return all
}

// argv reads one command. Its program must not be empty; an argument may be.
func (f *fields) argv(e *entry, array *value, usage string) []string {
	if len(array.items) == 0 {
		f.add(array.span, "write "+usage, "%q in %s has an empty command", e.key, f.label)
		return nil
	}
	var argv []string
	for i, item := range array.items {
		switch {
		case item.kind == isArray:
			f.mixed(e, item, usage)
			return nil
		case item.kind != isString:
			f.add(item.span, "write "+usage, "%q in %s must hold strings, not %s", e.key, f.label, item)
			return nil
		case i == 0 && item.text == "":
			f.add(item.span, "write "+usage, "%q in %s names no program", e.key, f.label)
			return nil
		case i == 0 && len(array.items) == 1 && unsplit(item.text):
			f.add(item.span, splitHint(e.key, item.text),
				"%q in %s is one program with blanks in its name", e.key, f.label)
			return nil
		case strings.Contains(item.text, "\x00"):
			f.add(item.span, "", "%q in %s has a NUL byte in it", e.key, f.label)
			return nil
		}
		argv = append(argv, item.text)
	}
	return argv
}

// shellSigns are characters that mean something to a shell and hardly ever
// stand in the name of a file.
const shellSigns = ";|&<>$`\"'(){}*?\n"

// unsplit recognises a whole command line in the place of a program: words
// that no path of a file would have.
func unsplit(program string) bool {
	words := strings.Fields(program)
	return len(words) > 1 && (!strings.Contains(words[0], "/") || strings.ContainsAny(program, shellSigns))
}

// splitHint shows the array that was meant; for what only a shell understands,
// the string.
func splitHint(key, line string) string {
	if strings.ContainsAny(line, shellSigns) {
		return fmt.Sprintf("write %s = %s, without the brackets, for a shell", key, tomlString(clip(line)))
	}
	return fmt.Sprintf("write %s = [%s], or %s without the brackets for a shell", key, splitWords(line), quoted(line))
}

func splitWords(line string) string {
	words := strings.Fields(line)
	for i, w := range words {
		words[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(words, ", ")
}

func (f *fields) mixed(e *entry, item *value, usage string) {
	hint := fmt.Sprintf("write %s for one command, or %s = [[…], […]] for several", usage, e.key)
	f.add(item.span, hint, "%q in %s mixes strings and arrays", e.key, f.label)
}

// dir reads the working directory.
func (f *fields) dir(g *Gate) {
	if e := f.text("dir", `"crates/kernels"`, &g.Dir); e != nil {
		f.inside(e, e.value)
	}
}

// inside says whether a path stays in the workspace.
func (f *fields) inside(e *entry, v *value) bool {
	if filepath.IsLocal(v.text) {
		return true
	}
	f.add(v.span, "write a path from the directory of "+FileName, "%q in %s must stay inside the workspace, not %s", e.key, f.label, quoted(v.text))
	return false
}

// env reads what is added to the environment.
func (f *fields) env(g *Gate) {
	t := f.sub("env", `env = { RUST_BACKTRACE = "1" }`)
	if t == nil {
		return
	}
	for _, e := range t.table.keys {
		switch {
		case e.key == "" || strings.ContainsAny(e.key, "=\x00"):
			t.add(e.span, "", "%s in %s cannot name a variable", quoted(e.key), t.label)
		case e.value.kind != isString:
			t.wrong(e, "a string", fmt.Sprintf("%s = %s", tomlKey(clip(e.key)), tomlString(clip(e.value.text))))
		case strings.Contains(e.value.text, "\x00"):
			t.bad(e, "", "has a NUL byte in it")
		default:
			t.note(e)
			if g.Env == nil {
				g.Env = make(map[string]string)
			}
			g.Env[e.key] = e.value.text
		}
	}
}

// products reads the globs of build products.
func (f *fields) products(g *Gate) {
	e, items := f.texts("products", `["target/release/dormouse"]`)
	for _, item := range items {
		if !f.inside(e, item) {
			continue
		}
		if _, err := path.Match(item.text, ""); err != nil {
			f.add(item.span, "close the brackets", "%q in %s is no glob: %s", e.key, f.label, quoted(item.text))
			continue
		}
		g.Products = append(g.Products, item.text)
	}
}

// leave reads the names of daemons that a build may start on purpose.
func (f *fields) leave(g *Gate) {
	e, items := f.texts("leave", `["sccache"]`)
	g.Leave = f.programs(e, items, `leave = ["sccache"]`)
}

// programs are names of programs, without their directories.
func (f *fields) programs(e *entry, items []*value, example string) (out []string) {
	for _, item := range items {
		if strings.ContainsAny(item.text, "/ \t") {
			f.add(item.span, "write the program's name alone, as in "+example, "%q in %s is no name of a program: %s", e.key, f.label, quoted(item.text))
			continue
		}
		out = append(out, item.text)
	}
	return out
}
