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
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), Foreign, "tool is lane main's build product", one.path("tool"), "here a.c is not as it was there", "build it here")
	byID := there
	byID.SHA256, byID.BuildID = "other", p.BuildID
	if p.BuildID != "" {
		says(t, two.judge(two.path("tool"), Inputs{}, with(byID)), Foreign, "tool is lane main's")
	}
	says(t, two.judge(two.path("tool"), Inputs{}, with(there, Earlier{Lane: "two", SHA256: p.SHA256})), "") // it was ours before
	building := func(s *Site) { s.Builds, s.Begun, s.Earlier = true, time.Now().Add(-time.Minute), []Earlier{there} }
	says(t, two.judge(two.path("tool"), Inputs{}, building), "")
	two.touch("tool", time.Now().Add(-time.Hour))
	says(t, two.judge(two.path("tool"), Inputs{}, building), Foreign, "tool is lane main's")

	// The same sources make the same program.
	two.write("a.c", "int main(void) { return 0; }\n")
	two.write("README.md", "2\n")
	says(t, two.judge(two.path("tool"), Inputs{}, with(there)), "")
}
