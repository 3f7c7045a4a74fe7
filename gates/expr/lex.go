package expr

import (
	"go/scanner"
	"go/token"
)

// maxParens bounds how deep parentheses stand inside one another.
const maxParens = 50

// lex goes over the words of a relation before Go's parser sees them, so that
// everything outside the language gets a plain sentence and the parser meets
// only numbers, names, operators and parentheses. It returns the names.
func lex(src string) ([]Name, *Error) {
	var (
		s     scanner.Scanner
		file  = token.NewFileSet().AddFile("", -1, len(src))
		names []Name
		seen  = map[string]bool{}
		depth int
	)
	// The scanner's own complaints are about literals that word refuses anyway.
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return names, nil
		}
		at := file.Offset(pos)
		if tok == token.LPAREN {
			depth++
		} else if tok == token.RPAREN {
			depth--
		}
		if depth > maxParens {
			return nil, errorAt(at, "more than %d parentheses stand inside one another", maxParens)
		}
		if msg := refuse(tok, lit); msg != "" {
			return nil, errorAt(at, "%s", msg)
		}
		if tok == token.IDENT && !seen[lit] {
			seen[lit] = true
			names = append(names, Name{Text: lit, Offset: at})
		}
	}
}

// refuse says why a word is not of the language; empty if it is.
func refuse(tok token.Token, lit string) string {
	switch tok {
	case token.LPAREN, token.RPAREN, token.ADD, token.SUB, token.MUL, token.QUO, token.REM,
		token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR, token.NOT:
		return ""
	case token.SEMICOLON:
		if lit == "\n" { // put in by the scanner at the end
			return ""
		}
	case token.IDENT:
		if lit == "true" || lit == "false" {
			return lit + " is not part of the language: write what must hold between the counters"
		}
		return ""
	case token.INT, token.FLOAT:
		return refuseNumber(lit)
	case token.COMMENT:
		return "a relation has no comments: write it beside the relation"
	case token.STRING, token.CHAR:
		return "a relation compares numbers, not text"
	case token.ASSIGN:
		return "= does not compare: write =="
	case token.ARROW:
		return "<- is read as one word: write a space between < and -"
	case token.DEC, token.INC:
		return tok.String() + " is read as one word: write a space in between"
	case token.PERIOD:
		return "a name has no dots in it: use letters, digits and _"
	case token.AND:
		return "& is not part of the language: write && for both"
	case token.OR:
		return "| is not part of the language: write || for either"
	case token.ILLEGAL, token.IMAG:
		return shorten(lit) + " is not part of the language"
	}
	if tok.IsKeyword() {
		return tok.String() + " is a word of Go and cannot name a counter: rename the group in the pattern"
	}
	return tok.String() + " is not part of the language: it has + - * / %, comparisons, && || ! and parentheses"
}
