package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
)

// What somebody has accepted stands beside what is found, and only where it may; what
// was accepted and is not there is told.
func TestAccepting(t *testing.T) {
	modules := []entry.Module{asCubin("pre/a.cubin", entry.Kernel{Name: "_Z4stepPf", Readable: "step(float*)"})}
	unknown := Finding{Rule: "float-atomic-unknown", Kernel: "step(float*)", Module: "pre/a.cubin (sm_90)"}
	stale := Finding{Rule: "stale-code", Kernel: "step(float*)"}
	unclear := Finding{Rule: "host-unclear", File: "src/a.rs", Line: 3, Note: true}
	for _, tt := range []struct {
		name           string
		accept         Accept
		left, accepted int
	}{
		{"by the name in the source", Accept{Kind: "float-atomic-unknown", Kernel: "step", Why: "w"}, 2, 1},
		{"by the driver's name", Accept{Kind: "float-atomic-unknown", Kernel: "_Z4stepPf", Why: "w"}, 2, 1},
		{"by the module", Accept{Kind: "float-atomic-unknown", In: "a.cubin", Why: "w"}, 2, 1},
		{"by the file", Accept{Kind: "host-unclear", In: "src/*.rs", Why: "w"}, 2, 1},
		{"another kernel", Accept{Kind: "float-atomic-unknown", Kernel: "stop", Why: "w"}, 4, 0},
		{"another module", Accept{Kind: "float-atomic-unknown", Kernel: "step", In: "b.cubin", Why: "w"}, 4, 0},
		{"what is measured", Accept{Kind: "stale-code", Kernel: "step", Why: "w"}, 4, 0},
	} {
		left, accepted := Accepting([]Finding{unknown, stale, unclear}, []Accept{tt.accept}, modules)
		if len(left) != tt.left || len(accepted) != tt.accepted {
			t.Errorf("%s: left %+v, accepted %+v", tt.name, left, accepted)
		}
		if tt.accepted > 0 && accepted[0].Accepted != "w" {
			t.Errorf("%s: why is not said: %+v", tt.name, accepted[0])
		}
		if last := left[len(left)-1]; tt.accepted == 0 && (last.Rule != "accept-unmatched" || !last.Note || last.Next == "") {
			t.Errorf("%s: that nothing was accepted is not said: %+v", tt.name, last)
		}
	}
	if left, _ := Accepting([]Finding{stale}, nil, nil); !cmp.Equal(left, []Finding{stale}) {
		t.Errorf("with nothing accepted: %+v", left)
	}
}
