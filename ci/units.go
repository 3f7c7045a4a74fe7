package ci

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// UnitsMark is the first line of every file that gpuci ci units writes: a file
// without it is somebody else's.
const UnitsMark = "# written by gpuci ci units, which may write it anew"

// Schedule is a night of one workspace, every day at a time.
type Schedule struct {
	Workspace string      // directory of gpuci.toml, absolute
	Gpuci     string      // the program, absolute
	At        string      // "02:00", local time
	On        string      // what runs the gates; "" is this machine
	User      string      // who runs it, of a system unit; "" leaves that out
	Env       [][2]string // what it needs of an environment: systemd and cron give it none
	Stop      time.Duration
}

// DefaultStop is how long a night may take to end once it is told to: what runs has
// its grace, and the scratch lanes are to be removed from a disk that may be slow.
const DefaultStop = 2 * time.Minute

// Check finds what a unit file or a crontab cannot say.
func (s Schedule) Check() error {
	for _, text := range []struct{ what, text string }{{"workspace", s.Workspace}, {"program", s.Gpuci}} {
		switch {
		case !filepath.IsAbs(text.text):
			return fmt.Errorf("the path of the %s is not absolute: %q", text.what, text.text)
		case !utf8.ValidString(text.text), strings.ContainsFunc(text.text, unicode.IsControl):
			return fmt.Errorf("the path of the %s has characters that no unit file can hold: %q", text.what, text.text)
		case strings.TrimSpace(text.text) != text.text, strings.HasSuffix(text.text, `\`):
			return fmt.Errorf("the path of the %s ends in what systemd takes off: %q", text.what, text.text)
		}
	}
	if strings.ContainsAny(s.Gpuci, `"'\`) { // however they are written, systemd starts no such program
		return fmt.Errorf("the path of the program has quotes or a backslash: %s", s.Gpuci)
	}
	if _, err := time.Parse("15:04", s.At); err != nil || len(s.At) != len("15:04") {
		return fmt.Errorf("%q is no time of day, such as 02:00", s.At)
	}
	if strings.ContainsFunc(s.On, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return fmt.Errorf("%q is no name of what runs gates", s.On)
	}
	for _, v := range s.Env {
		if !utf8.ValidString(v[1]) || strings.ContainsFunc(v[1], unicode.IsControl) {
			return errors.New("the variable " + v[0] + " has characters that no unit file can hold")
		}
	}
	return nil
}

// Service is the unit that runs the night. It shares the machine's /tmp and its
// locks with everybody else's builds (PrivateTmp), may make cgroups for what it
// starts (Delegate), and is told to stop before anything it has started is
// (KillMode), which it then ends by itself.
func (s Schedule) Service() string {
	lines := []string{
		UnitsMark,
		"[Unit]",
		"Description=" + s.description(),
		"",
		"[Service]",
		"Type=oneshot",
	}
	if s.User != "" {
		lines = append(lines, "User="+percent(s.User))
	}
	lines = append(lines, "WorkingDirectory="+percent(s.Workspace))
	for _, v := range s.Env {
		lines = append(lines, "Environment="+quoted(v[0]+"="+v[1]))
	}
	lines = append(lines,
		"ExecStart="+quoted(s.Gpuci)+s.night(),
		"Nice=10",
		"IOSchedulingClass=idle",
		"PrivateTmp=no",
		"Delegate=yes",
		"KillMode=mixed",
		fmt.Sprintf("TimeoutStopSec=%ds", int(s.stop().Seconds())),
	)
	return strings.Join(lines, "\n") + "\n"
}

// Timer is the unit that starts it: once a day, and at once where the machine was
// off at that time.
func (s Schedule) Timer() string {
	return strings.Join([]string{
		UnitsMark,
		"[Unit]",
		"Description=" + s.description(),
		"",
		"[Timer]",
		"OnCalendar=*-*-* " + s.At + ":00",
		"Persistent=true",
		"",
		"[Install]",
		"WantedBy=timers.target",
	}, "\n") + "\n"
}

// Cron is a line for crontab(5), where there is no systemd. There a % would be the
// end of the line.
func (s Schedule) Cron() string {
	hour, minute, _ := strings.Cut(s.At, ":")
	var env strings.Builder
	for _, v := range s.Env {
		env.WriteString(v[0] + "=" + shellWord(v[1]) + " ")
	}
	command := "cd " + shellWord(s.Workspace) + " && " + env.String() + "nice -n 10 ionice -c 3 " + shellWord(s.Gpuci) + s.night()
	return fmt.Sprintf("%s %s * * * %s\n", digits(minute), digits(hour), strings.ReplaceAll(command, "%", `\%`))
}

// night is what the program is to do.
func (s Schedule) night() string {
	if s.On == "" {
		return " ci nightly"
	}
	return " ci nightly --on " + s.On
}

func (s Schedule) stop() time.Duration { return max(s.Stop, DefaultStop) }

func (s Schedule) description() string {
	return "gpuci night of " + percent(s.Workspace)
}

// percent writes a % as systemd reads one: alone it would be a specifier
// (systemd.unit(5)).
func percent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// quoted is a word as systemd.syntax(7) has it. A $ is one in the first word of a
// command and in Environment, which are all that is quoted here.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s) + `"`
}

// shellWord is one word for sh.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// digits is a number without the zero before it, which a crontab need not know.
func digits(s string) string {
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return s
}
