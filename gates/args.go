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
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(shell), "")
	if err != nil {
		return false // bash will say what is wrong with it
	}
	uses := false
	syntax.Walk(file, func(node syntax.Node) bool {
		if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil {
			uses = uses || slices.Contains([]string{"@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, p.Param.Value)
		}
		return !uses
	})
	return uses
}
