package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// goTests looks through the Go tests that a command runs.
func (u *unit) goTests(all, words []string) {
	dir, ok := u.where(all)
	if !ok {
		return
	}
	c, compiles, err := readGoTest(words)
	if compiles {
		return
	}
	var paths []string
	c.env = u.gate.Env
	if err == nil {
		paths, err = c.files(dir, u.inside)
	}
	if err != nil {
		u.cannot("which tests `%s` runs: %v", shown(all), err)
		return
	}
	for _, p := range paths {
		if in, ok := u.testFile(p, fmt.Sprint(c.run, c.skip)); ok {
			in.golang(c)
		}
	}
	u.none(all, len(paths))
}

// golang looks through a file of Go tests.
func (u *unit) golang(c goChoice) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, u.path, u.text, parser.SkipObjectResolution)
	if err != nil {
		return // the compiler says it
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Body == nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Name.Name == "TestMain" || !c.runs(f.Name.Name) {
			continue
		}
		u.goBody(files, f)
	}
}

// goBody looks at the statements of a test until the first that can fail it.
func (u *unit) goBody(files *token.FileSet, f *ast.FuncDecl) {
	at := func(n ast.Node) int { return files.Position(n.Pos()).Offset }
	for _, st := range f.Body.List {
		switch st := st.(type) {
		case *ast.ReturnStmt:
			u.early(at(st), f.Name.Name, "", true)
			return
		case *ast.ExprStmt:
			if name := called(st.X); name == "Skip" || name == "Skipf" || name == "SkipNow" {
				u.ignored(at(st), f.Name.Name, "let it run, or take it out", skipReason(st.X))
				return
			}
			if quiet(st.X) {
				continue
			}
			return // whatever is called may fail it
		case *ast.IfStmt:
			if ret := lastReturn(st.Body); ret != nil && looksOutside(st) {
				u.early(at(ret), f.Name.Name, " where "+oneLine(u.text[at(st.Cond):files.Position(st.Cond.End()).Offset]), false)
				return
			}
			if calls(st) {
				return
			}
		case *ast.AssignStmt, *ast.DeclStmt, *ast.DeferStmt:
		default:
			return
		}
	}
}

// quiet says whether a call cannot fail a test.
func quiet(e ast.Expr) bool {
	switch called(e) {
	case "Parallel", "Helper", "Log", "Logf", "Print", "Printf", "Println", "Cleanup", "Setenv":
		return true
	}
	return false
}

func called(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return ""
}

// skipReason is the text of t.Skip("…"): that the harness counts it is reason enough.
func skipReason(e ast.Expr) string {
	call, _ := e.(*ast.CallExpr)
	if call == nil || len(call.Args) == 0 {
		return ""
	}
	if lit, ok := call.Args[0].(*ast.BasicLit); ok {
		return strings.Trim(lit.Value, "\"`")
	}
	return "it says so itself"
}

// lastReturn is the return that ends a block which does nothing that could fail a test.
func lastReturn(b *ast.BlockStmt) ast.Node {
	if len(b.List) == 0 {
		return nil
	}
	ret, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	if !ok {
		return nil
	}
	for _, st := range b.List[:len(b.List)-1] {
		x, ok := st.(*ast.ExprStmt)
		if !ok {
			return nil
		}
		switch called(x.X) {
		case "Log", "Logf", "Println", "Printf", "Print":
		default:
			return nil
		}
	}
	return ret
}

// looksOutside says whether a condition asks what is there: the environment, a file, a
// program. Others are the test's own matter.
func looksOutside(st *ast.IfStmt) bool {
	found := false
	look := func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			switch called(e) {
			case "Getenv", "LookupEnv", "Stat", "Lstat", "LookPath", "Short":
				found = true
			}
		}
		return !found
	}
	ast.Inspect(st.Cond, look)
	if st.Init != nil {
		ast.Inspect(st.Init, look)
	}
	return found
}

func calls(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.CallExpr); ok {
			found = true
		}
		return !found
	})
	return found
}
