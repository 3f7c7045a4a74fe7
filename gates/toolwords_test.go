package gates

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
)

func TestToolNames(t *testing.T) {
	for _, c := range []struct {
		command config.Command
		want    []string
	}{
		{config.Command{Argv: []string{"cargo", "test"}}, []string{"cargo", "rustc"}},
		{config.Command{Argv: []string{"./run.sh"}}, nil},
		{config.Command{Argv: []string{"/opt/vendor/check", "x"}}, []string{"/opt/vendor/check"}},
		{config.Command{Argv: []string{"sh", "-ec", "vtool --check out; cargo test"}}, []string{"sh", "cargo", "rustc", "vtool"}},
		{config.Command{Argv: []string{"bash", "script.sh"}}, []string{"bash"}},
		{
			config.Command{Shell: "X=1 mytool a | sed s/a/b/ && if ! grep -q x y; then echo no; exit 1; fi\ntimeout 10s other \"$(inner)\""},
			[]string{"bash", "mytool", "sed", "grep", "other", "inner"},
		},
		{config.Command{Shell: "for i in 1 2; do echo $i; done"}, []string{"bash"}},
	} {
		if diff := cmp.Diff(c.want, toolNames([]config.Command{c.command})); diff != "" {
			t.Errorf("%v: (-want +got) %s", c.command, diff)
		}
	}
}
