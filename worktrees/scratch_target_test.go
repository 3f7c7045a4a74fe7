package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Products go to a directory of the scratch lane's own, whoever says otherwise,
// and git sees none of them.
func TestScratchTarget(t *testing.T) {
	const config = ".cargo/config.toml"
	targetDir := func(dir string) string { return "[build]\ntarget-dir = \"" + dir + "\"\n" }
	for name, c := range map[string]struct {
		files map[string]string
		above string // configuration in a directory above the scratch lanes
		home  string // configuration in CARGO_HOME
		env   string
		want  string // of ROOT and BESIDE
		said  bool   // that Env has to say it
	}{
		"plain":             {want: "ROOT/target"},
		"named":             {files: map[string]string{config: targetDir("out"), ".gitignore": "out\n"}, want: "ROOT/out"},
		"absolute":          {files: map[string]string{config: targetDir("/far/away")}, want: "ROOT/target", said: true},
		"relative, outside": {files: map[string]string{config: targetDir("../shared")}, want: "ROOT/target", said: true},
		"above":             {above: targetDir("shared"), want: "ROOT/target", said: true},
		"home":              {home: targetDir("/far/away"), want: "ROOT/target", said: true},
		"nearer wins":       {files: map[string]string{config: targetDir("target")}, home: targetDir("/far/away"), want: "ROOT/target"},
		"environment":       {env: "/far/away", want: "ROOT/target", said: true},
		"below the root":    {files: map[string]string{"tools/" + config: targetDir("/far/away")}, want: "ROOT/target", said: true},
		"not ignored":       {files: map[string]string{".gitignore": "*.o\n"}, want: "BESIDE/target", said: true},
		"only its contents": {files: map[string]string{".gitignore": "target/**\n"}, want: "ROOT/target"},
		"named, kept":       {files: map[string]string{config: targetDir("out")}, want: "ROOT/target", said: true},
		"templated":         {files: map[string]string{config: targetDir("{workspace-root}/x")}, want: "ROOT/target", said: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			for path, text := range c.files {
				r.write(path, text)
			}
			up := repo{t, filepath.Dir(r.dir)}
			if c.above != "" {
				up.write(config, c.above)
			}
			t.Setenv("CARGO_HOME", up.path("home"))
			up.write("home/config.toml", c.home)
			s := r.targeted(c.env)
			where := map[string]string{"ROOT/target": s.Root + "/target", "ROOT/out": s.Root + "/out", "BESIDE/target": filepath.Dir(s.Root) + "/target"}
			var env []string
			if c.said {
				env = []string{"CARGO_TARGET_DIR=" + where[c.want]}
			}
			if s.Target != where[c.want] || !cmp.Equal(s.Env, env) {
				t.Errorf("target %s, env %q", s.Target, s.Env)
			}
			repo{t, s.Target}.write("debug/x", "")
			if got, want := r.in(s).draft(), r.draft(); !cmp.Equal(got, want) {
				t.Errorf("with products: %+v, the lane %+v", got, want)
			}
		})
	}
}

// targeted makes a scratch lane with CARGO_TARGET_DIR set.
func (r repo) targeted(target string) *Scratch {
	r.tb.Helper()
	r.tb.Setenv("CARGO_BUILD_TARGET_DIR", "")
	r.tb.Setenv("CARGO_TARGET_DIR", target)
	s, err := NewScratch(context.Background(), r.lane(), ScratchOptions{Dir: r.scratchHome()})
	r.check(err)
	r.tb.Cleanup(func() { r.check(s.Remove(context.Background())) })
	return s
}

// A link that is committed in the target directory's place leads nowhere.
func TestScratchTargetLink(t *testing.T) {
	r := newRepo(t)
	away := t.TempDir()
	r.symlink(away, "target")
	r.git("add", "-fA")
	r.git("commit", "-qm", "link")
	if s := r.targeted(""); s.Target != filepath.Dir(s.Root)+"/target" || len(s.Env) != 1 {
		t.Errorf("target %s, env %q", s.Target, s.Env)
	}
}

// A scratch lane that moves is clean at each commit, and keeps what was built.
func TestScratchMove(t *testing.T) {
	r := superproject(t)
	first, wantFirst := r.head(), r.all("lib/sub")
	sub := repo{t, r.path("lib/sub")}
	sub.write("README", "moved\n")
	sub.git("commit", "-qam", "moved")
	r.write("src/a.go", "package z\n")
	r.write(".gitignore", "*.o\n") // target is not ignored any more
	r.git("add", "-A")
	r.git("commit", "-qm", "second")
	second, wantSecond := r.head(), r.all("lib/sub")
	r.git("rm", "-q", "lib/sub")
	r.git("commit", "-qm", "third")
	third, wantThird := r.head(), r.disk()
	r.git("checkout", "-q", second)
	s := r.scratch(ScratchOptions{Commit: first})
	w := r.in(s)
	repo{t, s.Target}.write("debug/x", "built")
	for _, step := range []struct {
		commit string
		want   map[string]string
		below  []string
	}{{second, wantSecond, []string{"lib/sub"}}, {third, wantThird, nil}, {first, wantFirst, []string{"lib/sub"}}, {second, wantSecond, []string{"lib/sub"}}, {second, wantSecond, []string{"lib/sub"}}} {
		w.write("README", "edited")
		w.write("new/untracked", "")
		w.write("ignored.o", "")
		w.write("lib/sub/new", "")
		w.git("checkout", "-q", "--force", "-B", "someone's") // a gate may
		r.check(os.WriteFile(filepath.Join(s.GitDir, "index.lock"), nil, 0o644))
		r.check(s.Move(context.Background(), step.commit))
		if diff := cmp.Diff(step.want, w.all(step.below...)); diff != "" {
			t.Errorf("at %.7s: %s", step.commit, diff)
		}
		if st, err := ReadState(context.Background(), s.Lane); err != nil || st.Dirty || st.Commit != step.commit || st.Branch != "" {
			t.Errorf("state %+v, %v", st, err)
		}
		if data, _ := os.ReadFile(filepath.Join(s.Target, "debug/x")); string(data) != "built" || there(w.path("ignored.o")) {
			t.Errorf("at %.7s: target %s holds %q", step.commit, s.Target, data)
		}
		if (step.commit == first) != (s.Env == nil) {
			t.Errorf("at %.7s: env %q", step.commit, s.Env)
		}
	}
	w.git("branch", "-D", "someone's")
	if err := s.Move(context.Background(), "deadbeef"); err == nil {
		t.Error("moved to a commit that is none")
	}
}

// Files of a commit go before what was built in their place.
func TestScratchMoveToTrackedTarget(t *testing.T) {
	r := newRepo(t)
	first := r.head()
	r.write("target/x", "tracked")
	r.git("add", "-f", "target/x")
	r.git("commit", "-qm", "second")
	s := r.scratch(ScratchOptions{Commit: first})
	repo{t, s.Target}.write("debug/x", "built")
	r.check(s.Move(context.Background(), r.head()))
	if diff := cmp.Diff(r.disk(), r.in(s).disk()); diff != "" || len(s.Notes) != 1 || there(filepath.Join(s.Target, "debug")) {
		t.Errorf("notes %q, files: %s", s.Notes, diff)
	}
}
