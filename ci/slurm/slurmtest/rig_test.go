package slurmtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A job runs on a node with a card, in the environment that its node gives, and nothing of
// the rig is left; with and without accounting.
func TestRig(t *testing.T) {
	for name, o := range map[string]Options{"bare": {}, "accounting": {Accounting: true}, "cgroups": {Cgroups: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if o.Cgroups && !Memory() {
				t.Skip("no memory cgroups of the first version here")
			}
			r := Start(t, o)
			if err := r.NodeEnv("GPUCI_TEST_NODE", "a b"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			out := filepath.Join(r.Shared, "out")
			cmd := r.Command(ctx, "sbatch", "--parsable", "--gres=gpu:2", "--output="+out, "--wrap", `echo "$GPUCI_TEST_NODE on $SLURMD_NODENAME with $CUDA_VISIBLE_DEVICES"`)
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("sbatch: %v: %s", err, said)
			}
			r.MustBeEmpty(t)
			data, err := os.ReadFile(out)
			if err != nil || !strings.HasPrefix(string(data), "a b on "+r.Nodes[0]+" with 0,1") {
				t.Errorf("the job said %q, %v", data, err)
			}
		})
	}
}
