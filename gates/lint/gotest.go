package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// goTests looks through the Go tests of a gate.
func (l *look) goTests(words []string) {
	var dirs []string
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "./") && !strings.HasSuffix(w, "...") {
			dirs = append(dirs, w)
		}
	}
	is := func(name string) bool { return strings.HasSuffix(name, "_test.go") }
	var paths []string
	for _, d := range dirs {
		found, _ := filepath.Glob(filepath.Join(l.root, l.gate.Dir, d, "*_test.go"))
		for _, p := range found {
			if rel, err := filepath.Rel(l.root, p); err == nil {
				paths = append(paths, rel)
			}
		}
	}
	if len(dirs) == 0 {
		paths = l.files(l.gate.Dir, is)
	}
	for _, p := range paths {
		if u, ok := l.readTests(p); ok {
			u.golang()
		}
	}
}

// golang looks through a file of Go tests.
func (u *unit) golang() {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, u.path, u.text, parser.SkipObjectResolution)
	if err != nil {
		return // the compiler says it
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Body == nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Name.Name == "TestMain" {
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
				u.ignored(at(st), f.Name.Name, skipReason(st.X))
				return
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
		case *ast.AssignStmt, *ast.DeclStmt:
		default:
			return
		}
	}
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
