package metric

import (
	"strings"
	"testing"
)

// TestEchoed: a line that was not printed for us is neither a number nor a mistake, and
// one behind a logger's words is one or the other.
func TestEchoed(t *testing.T) {
	for _, line := range []string{
		`test -f big && echo M`, `# M`, `echo "M"`, `V=0.5; echo "gpuci:metric name=rel value=$V"`, `V=0.5; echo "gpuci:metric name=rel value=$$V"`,
		`	# M`, `// M`, `-- M`, `@# M`, `cc -c a.c # M`, `   12 |   // M`, `/* M */`, `rem M`, `@rem M`, `<!-- M -->`,
		`skipped: M`, `SKIPPED M`, `[skip] M`, `not run: M`, `not covered (M)`, `would print M`, `dry run: M`, `TODO M`, `ignored: M`,
		`+ echo M`, `++ echo 'M'`, `+ ./emit M`, `[3/7] cd /x && ./emit M`, `if test -f big; then ./emit M; fi`, `/bin/echo -e "a: M\n"`,
		`printf '%s\n' "worst: M"`, `printf "gpuci:metric name=rel value=%s\n" $v`, `    print("M")`, `    print(f"gpuci:metric name=rel value={v:.3g}")`,
		`    println!("gpuci:metric name=rel value={}", v);`, `fmt.Printf("gpuci:metric name=rel value=%g\n", v)`, `  std::cout << "M" << std::endl;`,
		`	log.Printf("M")`, `console.log("M")`, `logger.info('M')`, `L="M"; echo "$L"`, `tee -a log <<< "M" >> x`, `a line such as ` + "`M`", `f('M')`,
		`INFO gpuci:metric name=rel value=$V`, `usage: gpuci:metric name=rel value=<number>`,
	} {
		line = strings.ReplaceAll(line, "M", "gpuci:metric name=rel value=0.5")
		r := judge(t, Bar{Metric: "rel", Max: f(1)}, "", "", line)
		if r.Matches != 0 || len(r.Why) != 1 || r.Why[0] != "no line of the output gave it" {
			t.Errorf("%s: %d numbers, %q", line, r.Matches, r.Why)
		}
		if again := judge(t, Bar{Metric: "rel", Max: f(1)}, "", "", line+"\ngpuci:metric name=rel value=0.7"); again.State != Held || again.Matches != 1 {
			t.Errorf("%s, and the line itself: %+v", line, again)
		}
	}
	for _, line := range []string{
		"12:00 INFO M", "INFO: M", "[echo] M", "     [echo] M", "echo: M", "INFO echo-server M", "2026-11-30 | INFO | print:run:12 - M", "step 3; loss 0.1; M", "run & done: M",
		"rank 0 > M", "1 skipped, 3 run. M", "NOT converged: M", "worst note M", "info M", "log: M", "[INFO] [log] M", "E  M", "* M", "- M", "3> M", "stdout: M", "prints M",
	} {
		line = strings.ReplaceAll(line, "M", "gpuci:metric name=rel value=0.5")
		if r := judge(t, Bar{Metric: "rel", Max: f(1)}, "", "", line); r.Matches != 1 || len(r.Why) != 0 {
			t.Errorf("%s: %d numbers, %q", line, r.Matches, r.Why)
		}
	}
}
