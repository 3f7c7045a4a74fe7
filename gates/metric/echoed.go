package metric

import "regexp"

// Echoed says that a marker, gpuci:metric or its like, stands in a piece of a program
// or in a comment, or in a word on what did not run: in a recipe that make echoes, in a
// line of `set -x` or of a backtrace. Such a line is neither a number nor a mistake:
// what it would print need not have been printed, and where it was, that is a line of
// its own. before is what the line has in front of the marker, and part what it has
// behind it, up to the next one. A line that begins with the marker is never asked.
func Echoed(before, part []byte) bool {
	if len(before) > maxBehind {
		before = before[len(before)-maxBehind:]
	}
	return printing.Match(before) || printingText.Match(before) || joined.Match(before) || comment.Match(before) || notRun.Match(before) ||
		opened.Match(before) || template.Match(part) || closed.Match(part)
}

var (
	// printing is a command or a function that prints, with nothing between it and the
	// marker that a logger has in front of its words.
	printing = regexp.MustCompile(`(?i)(?:^|[^\w-])(?:echo|e?print(?:f|ln)?!?|puts|say|fputs|emit|(?:write|log|info|warn|debug|error)(?:f|ln)?[ \t]*\()(?:$|[^\w:=\]>)-])[^:\]]*$|<<[ \t]*["']$`)
	// printingText is the same with a text of which the marker is not the beginning.
	printingText = regexp.MustCompile(`(?i)(?:^|[^\w-])(?:echo|e?print(?:f|ln)?!?|puts|say|fputs)[ \t(](?:[^"']|"(?:[^"\\]|\\.)*"|'[^']*')*(?:"(?:[^"\\]|\\.)*|'[^']*)$`)
	// joined are commands in front of the one that prints.
	joined = regexp.MustCompile(`&&|\|\||;[ \t]*(?:then|do|else|exec|\.?/|\$|@)|^[ \t@+-]*\w+=\S*;|^\+ `)
	// comment is the sign of one, right before the marker or at the start of the line.
	comment = regexp.MustCompile(`(?i)(?:^|[\s|@;])(?:#+!?|//+!?|/\*+|--|<!--|rem|dnl)[ \t]*$|^[ \t]*[@-]*(?:#|//|/\*|<!--|rem[ \t])`)
	// notRun says right before the marker that what it speaks of was not run.
	notRun = regexp.MustCompile(`(?i)(?:^|[^\w])(?:skip(?:s|ped|ping)?|(?:not|never)[ \t]+(?:yet[ \t]+)?(?:run|ran|cover(?:ed)?|tested|done|executed|reached|started|measured|built|printed|shown)|no|not|would(?:[ \t]+(?:be|run|print|cover|have))*|dry[ -]?run|to[ -]?do|fixme|disabled|ignor(?:ed|ing)|exclud(?:ed|ing)|omitted|omitting|without|untested|uncovered|missing)[ \t]*[\])}>]?[ \t]*[:,=-]*[ \t]*[(\["'` + "`" + `]?$`)
	// opened is a quote or a bracket that a program opens; a logger's field has a sign
	// before its quote.
	opened = regexp.MustCompile("(?:^|[^:=\\s])[ \t]*[\"'(]$|`$|[({][ \t]*[\"']$")
	// template is a value that is yet to be filled in.
	template = regexp.MustCompile(`="?(?:\$|%[-+ #0-9.]*l*[a-zA-Z]|\{\w*[:}]|<\w+>)`)
	// closed is what a shell has behind a text.
	closed = regexp.MustCompile(`["'][ \t]*(?:;|&&|\|\|?[ \t]|>>?[ \t]*[\w./&$"'])|[ \t](?:&&|\|\|)[ \t]`)
)
