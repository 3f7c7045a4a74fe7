package lint

import (
	"path/filepath"
	"regexp"
	"strings"
)

// pyNames are the names by which a script calls what starts programs.
type pyNames struct{ run, check string } // expressions, for what raises and for what does not

var (
	pyModule = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+(?:[\w., \t]*,[ \t]*)?subprocess(?:[ \t]+as[ \t]+(\w+))?`)
	pyFrom   = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+subprocess[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)`)
)

// namesOf reads the imports of a script, without strings and comments.
func namesOf(code string) pyNames {
	plain, raises := []string{`os\.system`}, []string(nil)
	if m := pyModule.FindStringSubmatch(code); m != nil {
		name := regexp.QuoteMeta(or(m[1], "subprocess"))
		plain = append(plain, name+`\.(?:run|call|Popen)`)
		raises = append(raises, name+`\.(?:check_call|check_output|run)`)
	}
	if m := pyFrom.FindStringSubmatch(code); m != nil {
		for part := range strings.SplitSeq(strings.Trim(m[1], "()"), ",") {
			words := strings.Fields(part)
			if len(words) == 0 {
				continue
			}
			name := regexp.QuoteMeta(words[len(words)-1]) // the one behind as
			switch words[0] {
			case "run":
				plain, raises = append(plain, name), append(raises, name)
			case "call", "Popen":
				plain = append(plain, name)
			case "check_call", "check_output":
				raises = append(raises, name)
			}
		}
	}
	return pyNames{strings.Join(plain, "|"), strings.Join(raises, "|")}
}

// python looks through a script for programs whose status nobody looks at. It is
// searched, not parsed.
func (u *unit) python(name string) {
	path, text, ok := u.open(name, u.dir, filepath.Join(u.root, filepath.Dir(u.path)))
	if !ok || !u.reads(path, "python") {
		return
	}
	in := &unit{look: u.look, path: path, dir: u.dir, text: text, whole: text, language: pythonCode}
	in.programs()
	in.caught()
}

// pythonC is the index of the script in python3 -c SCRIPT, 0 where there is none.
func pythonC(words []string) int {
	if len(words) < 3 || !strings.HasPrefix(base(words[0]), "python") {
		return 0
	}
	for i, w := range words[1 : len(words)-1] {
		switch {
		case w == "-c":
			return i + 2
		case !strings.HasPrefix(w, "-"), w == "-m":
			return 0
		}
	}
	return 0
}

// pythonText looks through a script that stands in another text. In single quotes nothing
// can be planted: that needs some itself.
func (u *unit) pythonText() {
	in, part := *u, &Report{}
	if u.quoted {
		own := *u.look
		own.report = part
		in.look = &own
	}
	in.language = pythonCode
	in.programs()
	in.caught()
	for _, f := range part.Findings {
		f.edits = nil
		u.report.add(f)
	}
}

// programs finds the statements that start one, and do nothing with what came of it:
// nothing takes the value, or what does is not asked, or only to be printed.
func (u *unit) programs() {
	code := pyBlank(u.text)
	starts := regexp.MustCompile(`(?m)^[ \t]*(?:(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*)?(` + namesOf(code).run + `)\(`)
	for _, m := range starts.FindAllStringSubmatchIndex(code, -1) {
		end := closing(code, m[5])
		if end < 0 || strings.Contains(code[m[5]:end], "check=True") {
			continue
		}
		line := code[end : end+strings.IndexAny(code[end:]+"\n", "\n;")]
		rest, popen := strings.TrimSpace(line), strings.HasSuffix(code[m[4]:m[5]], "Popen")
		variable := ""
		if m[2] >= 0 {
			variable = code[m[2]:m[3]]
		}
		switch {
		case variable != "" && (rest != "" || pyAsks(u.text, code, variable, m[2])):
			continue
		case popen && variable == "" && rest != ".wait()" && rest != ".communicate()":
			continue // it goes on in the background, as a server does
		case popen && variable != "":
			continue // what is done with it is not followed
		case variable == "" && (strings.HasPrefix(rest, ".") && !popen || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "or ")):
			continue // .check_returncode(), and whatever else is done with it
		}
		if popen {
			end += len(strings.TrimRight(line, " \t"))
		}
		f := u.finding(Unread, m[4])
		f.Why, f.Instead = "nobody looks at the status of the program that it starts", "subprocess.run(…, check=True)"
		f.Command = clip(oneLine(u.text[m[4]:end]))
		f.edits = []edit{u.edit(m[4], end, false)}
		u.report.add(f)
	}
}

// pyAsks says whether a variable, which has what came of a program, is asked for its
// status, or handed on, anywhere but in what is printed.
func pyAsks(text, code, variable string, at int) bool {
	word := regexp.MustCompile(`\b` + variable + `\b(\.(?:stdout|stderr|args|pid)\b)?`)
	for _, m := range word.FindAllStringSubmatchIndex(code, -1) {
		from := strings.LastIndexAny(code[:m[0]], "\n;") + 1
		line, _, _ := strings.Cut(code[from:], "\n")
		switch before := strings.TrimSpace(code[from:m[0]]); {
		case m[0] == at || m[2] >= 0:
		case before == "" && pyAssigned.MatchString(code[m[1]:]): // another value
		case pyPrints.MatchString(strings.TrimSpace(line)):
		case m[0] > 0 && code[m[0]-1] == '.': // of something else
		default:
			return true
		}
	}
	for line := range strings.Lines(text) { // f"{p}"
		if strings.Contains(line, "{"+variable) && !pyPrints.MatchString(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

var (
	pyAssigned = regexp.MustCompile(`^[ \t]*=[^=]`)
	pyPrints   = regexp.MustCompile(`^(?:print|(?:\w+\.)*(?:log|logger|logging)\.\w+)\(`)
)

// closing is the offset behind the parenthesis that closes the one at from, -1 for none.
func closing(text string, from int) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
