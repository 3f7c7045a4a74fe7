package gates

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// usesArgs says whether a shell string reads its positional parameters. The
// string is parsed: awk's '{print $1}' does not, and no pattern over the text
// can tell.
func usesArgs(shell string) bool {
	uses := false
	syntax.Walk(parseShell(shell), func(node syntax.Node) bool {
		if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil {
			uses = uses || slices.Contains([]string{"@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, p.Param.Value)
		}
		return !uses
	})
	return uses
}

// parseShell parses a shell string. One that is wrong is an empty file: bash will say
// what is wrong with it.
func parseShell(text string) *syntax.File {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return &syntax.File{}
	}
	return file
}
