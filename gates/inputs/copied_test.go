package inputs

import (
	"context"
	"os"
	"testing"
	"time"

	"gpuci/worktrees"
)

// Another lane's program that was copied here: what the compiler wrote into it
// says so, and without that, that a run there judged the same bytes, of sources
// that are not these.
func TestCopiedFromAnotherLane(t *testing.T) {
	needs(t, "gcc")
	one := newRepo(t, map[string]string{".gitignore": "/tool\n", "a.c": "int main(void) { return 0; }\n", "README.md": "1\n"})
	two := one.linked("two")
	two.write("a.c", "int main(void) { return 1; }\n")
	carry := func(flags ...string) Product {
		t.Helper()
		one.run(append(append([]string{"gcc"}, flags...), "-o", "tool", "a.c")...)
		data, err := os.ReadFile(one.path("tool"))
		one.check(err)
		one.check(os.WriteFile(two.path("tool"), data, 0o755))
		p, err := Examine(t.Context(), one.path("tool"))
		one.check(err)
		return p
	}
	carry("-g")
	says(t, two.judge(two.path("tool"), Inputs{}), Foreign, "holds code that was built in lane main ("+one.dir+")", "judged for lane two")
	says(t, one.judge(one.path("tool"), Inputs{}), "")

	p := carry("-s")
	s := one.take(Inputs{})
	draft := func() worktrees.Draft {
		d, err := worktrees.ReadDraft(t.Context(), two.lane(), two.state())
		two.check(err)
		return d
	}
	there := Earlier{Lane: "main", Path: one.path("tool"), SHA256: p.SHA256, Sources: func(ctx context.Context) (Change, error) {
		return s.Sources(ctx, two.lane(), draft())
	}}
	with := func(list ...Earlier) func(*Site) { return func(s *Site) { s.Earlier = list } }
	says(t, two.judge(two.path("tool"), Inputs{}), "") // nothing tells
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), Perhaps, "tool may be lane main's build product", one.path("tool"), "here a.c is not as it was there", "build it here")
	byID := there
	byID.SHA256, byID.BuildID = "other", p.BuildID
	if p.BuildID != "" {
		says(t, two.judge(two.path("tool"), Inputs{}, with(byID)), Perhaps, "tool may be lane main's")
	}
	says(t, two.judge(two.path("tool"), Inputs{}, with(there, Earlier{Lane: "two", SHA256: p.SHA256})), "") // it was ours before
	says(t, two.judge(two.path("tool"), Inputs{}, with(there, Earlier{Lane: "two", SHA256: p.SHA256, Doubted: true})), Perhaps)
	if got := two.judge(two.path("tool"), Inputs{}, with(there)); !Doubted([]string{"x", got[0].Text}) || Doubted([]string{"x"}) {
		t.Errorf("%+v", got)
	}
	building := func(s *Site) { s.Builds, s.Begun, s.Earlier = true, time.Now().Add(-time.Minute), []Earlier{there} }
	says(t, two.judge(two.path("tool"), Inputs{}, building), "")
	two.touch("tool", time.Now().Add(-time.Hour))
	says(t, two.judge(two.path("tool"), Inputs{}, building), Perhaps, "tool may be lane main's")

	// It was here before the source was changed; or it came with the other's time.
	two.touch("a.c", time.Now().Add(time.Minute))
	two.touch("tool", time.Now().Add(-time.Hour))
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), Foreign, "tool is lane main's")
	two.touch("a.c", time.Now().Add(-time.Hour))
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), Perhaps)
	there.Built = p.Built
	two.touch("tool", p.Built)
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), Foreign, "tool is lane main's")
	two.touch("tool", time.Now().Add(-time.Hour))

	// The same sources make the same program.
	two.write("a.c", "int main(void) { return 0; }\n")
	two.write("README.md", "2\n")
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), "")
}

// Lanes that differ in a comment, or in what no compiler reads, build the same
// bytes by hand: what a compiler wrote down here says that it was here.
func TestSameBytesBuiltHere(t *testing.T) {
	needs(t, "gcc")
	one := newRepo(t, map[string]string{".gitignore": "/a.o\n/a.d\n", "a.c": "int a;\n", "data.json": "1\n"})
	two := one.linked("two")
	two.write("a.c", "int a; // two\n")
	for _, r := range []repo{one, two} {
		r.run("gcc", "-MMD", "-O2", "-c", "a.c")
	}
	p, err := Examine(t.Context(), one.path("a.o"))
	one.check(err)
	s := one.take(Of([]string{one.path("a.o")}, one.dir, ""))
	earlier := func(si *Site) {
		si.Begun = time.Now().Add(time.Hour)
		si.Earlier = []Earlier{{Lane: "main", Path: one.path("a.o"), SHA256: p.SHA256, Sources: func(ctx context.Context) (Change, error) {
			d, err := worktrees.ReadDraft(ctx, two.lane(), two.state())
			two.check(err)
			return s.Sources(ctx, two.lane(), d)
		}}}
	}
	of := func() Inputs { return Of([]string{two.path("a.o")}, two.dir, "") }
	if q, err := Examine(t.Context(), two.path("a.o")); err != nil || q.SHA256 != p.SHA256 {
		t.Fatalf("not the same bytes, %v: this test is about nothing", err)
	}
	says(t, two.judge(two.path("a.o"), of(), earlier), "")
	// Without the compiler's word, nobody knows.
	two.check(os.Remove(two.path("a.d")))
	says(t, two.judge(two.path("a.o"), of(), earlier), Perhaps, "here a.c is not as it was there")
	// A word for somewhere else is none for here.
	two.write("a.d", one.path("a.o")+": "+one.path("a.c")+"\n")
	says(t, two.judge(two.path("a.o"), of(), earlier), Perhaps, "a.o may be lane main's")

	// Data that was changed after the build is in no product.
	two.check(os.Remove(two.path("a.d")))
	two.write("a.c", "int a;\n")
	s = one.take(Inputs{})
	two.write("data.json", "2\n")
	two.touch("data.json", time.Now().Add(time.Minute))
	says(t, two.judge(two.path("a.o"), Inputs{}, earlier), Perhaps, "data.json")
}
