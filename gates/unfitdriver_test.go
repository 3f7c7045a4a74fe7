package gates

import (
	"strings"
	"testing"

	"gpuci/gates/config"
)

// A program that the loader could not start for want of a library of the driver makes no gate
// red: it is the machine that has none. Any other library may be the program's own fault, and
// words without the status are only words.
func TestUnfitDriver(t *testing.T) {
	const driver = "libnvidia-gpuci-none.so.1"
	linked := func(name, then string) []config.Command {
		return shell("set -e; d=$(mktemp -d ./built.XXXX); echo 'void f(void) {}' > $d/l.c; echo 'void f(void); int main(void) { f(); return 0; }' > $d/m.c; " +
			"gcc -shared -fPIC -Wl,-soname," + name + " -o $d/libl.so $d/l.c; gcc -o $d/m $d/m.c $d/libl.so; " + then)
	}
	for name, c := range map[string]struct {
		run  []config.Command
		want Outcome
	}{
		"the driver":      {linked(driver, "exec $d/m"), Refused},
		"from a shell":    {linked(driver, "$d/m"), Refused},
		"another library": {linked("libgpuci-none.so.1", "exec $d/m"), Red},
		"another status":  {linked(driver, "$d/m || exit 1"), Red},
		"another command": {linked(driver, "exit 127"), Red},
	} {
		t.Run(name, func(t *testing.T) {
			v := runGate(t, config.Gate{Run: c.run}, "")
			if v.Outcome != c.want {
				t.Fatalf("%s: %v", v.Outcome, v.Findings)
			}
			if want := cannot + "a program of it needs " + driver; c.want == Refused && (len(v.Findings) != 1 || !strings.HasPrefix(v.Findings[0].Text, want)) {
				t.Errorf("%v", v.Findings)
			}
		})
	}
}
