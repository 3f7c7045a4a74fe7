package worktrees

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each way to make a clean lane dirty, and the paths it changes.
func TestDirty(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(r repo)
		paths []string
	}{
		"modified":          {func(r repo) { r.write("src/a.go", "package z\n") }, []string{"src/a.go"}},
		"longer":            {func(r repo) { r.write("src/a.go", "package a // longer\n") }, []string{"src/a.go"}},
		"deleted":           {func(r repo) { r.remove("src/deep/er/b.go") }, []string{"src/deep/er/b.go"}},
		"directory deleted": {func(r repo) { r.remove("src/deep") }, []string{"src/deep/.gitignore", "src/deep/er/b.go"}},
		"executable":        {func(r repo) { r.chmod("README", 0o755) }, []string{"README"}},
		"not executable":    {func(r repo) { r.chmod("bin/tool", 0o644) }, []string{"bin/tool"}},
		"untracked":         {func(r repo) { r.write("new/deep/file", "") }, []string{"new/deep/file"}},
		"untracked magic":   {func(r repo) { r.write(":(top)x*", "") }, []string{":(top)x*"}},
		"untracked newline": {func(r repo) { r.write("a\nb ü", "") }, []string{"a\nb ü"}},
		"untracked link":    {func(r repo) { r.symlink("nowhere", "dangling") }, []string{"dangling"}},
		"link target":       {func(r repo) { r.remove("link"); r.symlink("bin", "link") }, []string{"link"}},
		"link to file":      {func(r repo) { r.remove("link"); r.write("link", "README") }, []string{"link"}},
		"file to link":      {func(r repo) { r.remove("README"); r.symlink("bin", "README") }, []string{"README"}},
		"file to directory": {func(r repo) { r.remove("README"); r.write("README/x", "") }, []string{"README", "README/x"}},
		"directory to file": {func(r repo) { r.remove("src-x"); r.write("src-x", "") }, []string{"src-x", "src-x/c.go"}},
		"directory to link": {func(r repo) { r.rename("src-x", "target/y"); r.symlink("target/y", "src-x") }, []string{"src-x", "src-x/c.go"}},
		"staged":            {func(r repo) { r.write("README", "staged\n"); r.git("add", "README") }, []string{"README"}},
		"staged new":        {func(r repo) { r.write("n", "n\n"); r.git("add", "n") }, []string{"n"}},
		"staged and more":   {func(r repo) { r.write("README", "1\n"); r.git("add", "README"); r.write("README", "22\n") }, []string{"README"}},
		"staged, undone":    {func(r repo) { r.write("README", "1\n"); r.git("add", "README"); r.write("README", "read me\n") }, []string{"README"}},
		"removed, kept":     {func(r repo) { r.git("rm", "-q", "--cached", "README") }, []string{"README"}},
		"renamed":           {func(r repo) { r.git("mv", "src/a.go", "moved.go") }, []string{"moved.go", "src/a.go"}},
		"intent to add":     {func(r repo) { r.write("n", "n\n"); r.git("add", "-N", "n") }, []string{"n"}},
		"intent, empty":     {func(r repo) { r.write("n", ""); r.git("add", "-N", "n") }, []string{"n"}},
		"reset --soft": {func(r repo) {
			r.write("README", "1\n")
			r.git("commit", "-qam", "1")
			r.git("reset", "-q", "--soft", "HEAD~")
		}, []string{"README"}},
		"late line endings":  {lateLineEndings, []string{"crlf.txt"}},
		"unignored":          {func(r repo) { r.write("src/deep/keep.log", "") }, []string{"src/deep/keep.log"}},
		"odd names modified": {func(r repo) { r.write("[glob]*/:(top)?", "2"); r.write("with\nnewline/x\ny", "2") }, []string{"[glob]*/:(top)?", "with\nnewline/x\ny"}},
		"fifo for file":      {func(r repo) { r.remove("README"); r.check(syscall.Mkfifo(r.path("README"), 0o644)) }, []string{"README"}},
		"nested repository": {func(r repo) {
			r.mkdir("nest")
			n := repo{r.tb, r.path("nest")}
			n.git("init", "-q")
			n.identify()
			n.git("commit", "-qm", "x", "--allow-empty")
		}, []string{"nest"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.do(r)
			st := r.state()
			if diff := cmp.Diff(c.paths, st.Paths); diff != "" || st.Count != len(c.paths) || !st.Dirty {
				t.Errorf("state %+v\n%s", st, diff)
			}
			if ask, err := r.proven(); err != nil || len(ask) == 0 {
				t.Errorf("candidates = %q, %v", ask, err)
			}
		})
	}
}

// What git does not call a change is none here, and is proven without asking
// git about it unless said otherwise.
func TestCleanAllTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r repo)
		asks bool
	}{
		"ignored file":      {do: func(r repo) { r.write("src/x.o", "") }},
		"ignored directory": {do: func(r repo) { r.write("target/debug/a", ""); r.write("target/b", "") }},
		"nested ignore":     {do: func(r repo) { r.write("src/deep/er/x.log", "") }},
		"touched":           {do: func(r repo) { now := time.Now().Add(-time.Minute); r.check(os.Chtimes(r.path("README"), now, now)) }},
		"rewritten":         {do: func(r repo) { r.remove("README"); r.write("README", "read me\n") }},
		"link made again":   {do: func(r repo) { r.remove("link"); r.symlink("README", "link") }},
		"fifo":              {do: func(r repo) { r.check(syscall.Mkfifo(r.path("src/fifo"), 0o644)) }},
		"skip-worktree":     {do: func(r repo) { r.git("update-index", "--skip-worktree", "README"); r.remove("README") }},
		"amended":           {do: func(r repo) { r.write("README", "more\n"); r.git("commit", "-qam", "more") }},
		"racily clean":      {do: func(r repo) { r.write("n", "n\n"); r.git("add", "n"); r.git("commit", "-qm", "n") }},
		"version 4":         {do: func(r repo) { r.git("update-index", "--index-version", "4") }},
		"version 3": {do: func(r repo) {
			r.git("update-index", "--index-version", "3")
			r.git("update-index", "--skip-worktree", "bin/tool")
		}},
		"no cache-tree":    {do: func(r repo) { r.git("read-tree", "--empty"); r.git("add", "-A"); r.settle() }},
		"assume-unchanged": {do: func(r repo) { r.git("update-index", "--assume-unchanged", "README") }},
		"assumed, touched": {do: func(r repo) {
			r.git("update-index", "--assume-unchanged", "README")
			r.remove("README")
			r.write("README", "read me\n")
			r.write("cache/x.o", "")
		}, asks: true},
		"assumed, mode not kept": {do: func(r repo) {
			r.git("config", "core.fileMode", "false")
			r.git("update-index", "--assume-unchanged", "README")
			r.chmod("README", 0o755)
		}, asks: true},
		"sparse":           {do: func(r repo) { r.git("sparse-checkout", "set", "src"); r.write("src/only/x.o", "") }, asks: true},
		"empty directory":  {do: func(r repo) { r.mkdir("empty/empty") }, asks: true},
		"only ignored":     {do: func(r repo) { r.write("cache/x.o", "") }, asks: true},
		"mode not kept":    {do: func(r repo) { r.git("config", "core.fileMode", "false"); r.chmod("README", 0o755) }, asks: true},
		"empty repository": {do: func(r repo) { r.mkdir("nest"); repo{r.tb, r.path("nest")}.git("init", "-q") }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.do(r)
			if st := r.state(); st.Dirty && name != "empty repository" {
				t.Errorf("state %+v", st)
			}
			if ask, err := r.proven(); err != nil || (len(ask) > 0) != c.asks {
				t.Errorf("candidates = %q, %v; want some: %v", ask, err, c.asks)
			}
		})
	}
}
