package ci

import (
	"fmt"
	"io"
	"strings"
)

// WriteAnnotations writes the workflow commands by which GitHub shows what a night
// found beside the run: errors, warnings, notices.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
func (r Report) WriteAnnotations(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.sections() {
		for _, i := range s.items {
			command := "notice"
			switch i.level {
			case alarm:
				command = "error"
			case warning:
				command = "warning"
			}
			title := oneLine(s.title + " " + i.lane + " " + i.gate)
			text := oneLine(i.text)
			if i.next != "" {
				text += "\n" + oneLine(i.next)
			}
			fmt.Fprintf(&b, "::%s title=%s::%s\n", command, githubProperty(title), githubData(text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// githubData escapes the message of a command, which ends with its line.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// githubProperty escapes a value within it, which ends at a comma or colon as well.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
