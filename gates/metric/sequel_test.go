package metric

import (
	"fmt"
	"strings"
	"testing"
)

// A number that goes on behind it is not the number: what stands apart from it
// counts as well, unless the pattern itself has it there.
func TestSequel(t *testing.T) {
	const v = `v (?P<value>[0-9.]+)`
	for _, tc := range []struct{ pattern, unit, line, more string }{
		{line: "v 3×10⁵", more: "×"},
		{line: "v 3 × 10^5", more: " ×"},
		{line: "v 3⋅10", more: "⋅"},
		{line: "v 3·10^5", more: "·1"},
		{line: "v 3 · 10^5", more: " · 1"},
		{line: "v 3^5", more: "^"},
		{line: "v 3**5", more: "**"},
		{line: "v 3 ** 5", more: " **"},
		{line: "v 3*10", more: "*1"},
		{line: "v 3 x 10^5", more: " x 10"},
		{line: "v 3 x10", more: " x10"},
		{line: "v 3 E6", more: " E6"},
		{line: "v 3\te+06", more: "\te+06"},
		{line: "v 3٬000", more: "٬0"},
		{line: "v 3٫٥", more: "٫٥"},
		{line: "v 3/0", more: "/0"},
		{line: "v 3 / 0", more: " / 0"},
		{line: "v 3\x00e9", more: "\x00"},
		{line: "v 3 thousand", more: " thousand"},
		{line: "v 1.5 Million", more: " Million"},
		{line: "v 2  billions.", more: "  billions"},
		{line: "v 3 k", more: " k"},
		{line: "v 3 M, or so", more: " M"},
		{line: "v 3 K tokens", more: " K"},
		{line: "v 3 G", more: " G"},
		{line: "v 1 234", more: " 234"},
		{line: "v 1 000 000", more: " 000"},
		{line: "v 1 234.5 ms", more: " 234"},
		{line: "v 12\u2009345", more: "\u2009345"},
		{line: "v 12\u2007345", more: "\u2007345"},
		{line: "v 123\u00a0456", more: "\u00a0456"},
		{pattern: `v (?P<value>\d+) `, line: "v 1 234", more: " 234"},
		{pattern: `v (?P<value>[0-9.]+)k`, line: "v 3k"},
		{pattern: `v (?P<value>[0-9.]+) million`, line: "v 3 million"},
		{pattern: `v (?P<value>[0-9.]+)\s*×`, line: "v 3 ×"},
		{pattern: `v (?P<value>[0-9.]+) E(?P<e>\d)`, line: "v 3 E6"},
		{pattern: `v (?P<value>\d+)/(?P<of>\d+)`, line: "v 0/0"},
		{pattern: `v (?P<value>\d+)\s+(?P<of>\d+)`, line: "v 1 234"},
		{pattern: `v (?P<value>\d+) (?P<of>\d+)`, line: "v 1 234"},
		{unit: "M", line: "v 3 M"},
		{unit: "×", line: "v 3×"},
		{line: "v 3±900"},
		{line: "v 3 ± 900"},
		{line: "v 3/8"},
		{line: "v 3 x 4"},
		{line: "v 3 x 100"},
		{line: "v 3 · d_q"},
		{line: "v 3 * d_q"},
		{line: "v 3 e6f"},
		{line: "v 3 millionaires"},
		{line: "v 3 K 128"},
		{line: "v 3 T=64"},
		{line: "v 3 10"},
		{line: "v 3 1000"},
		{line: "v 3  100"},
		{line: "v 3\t100"},
		{line: "v 0.5 100"},
		{line: "v 1234 567"},
		{line: "v 0 100"},
	} {
		if tc.pattern == "" {
			tc.pattern = v
		}
		r := judge(t, Bar{Metric: "m", Max: f(1e9)}, tc.pattern, tc.unit, tc.line)
		text, at := strings.Join(r.Why, "; "), strings.Index(tc.line, tc.more)
		if tc.more == "" && (r.State != Held || text != "") {
			t.Errorf("%s in %q: got %s because %q", tc.pattern, tc.line, r.State, text)
		}
		if tc.more != "" && (r.State != Unreadable || r.Worst != nil || !strings.Contains(text, fmt.Sprintf("out of %q:", tc.line[len("v "):at]+tc.more))) {
			t.Errorf("%s in %q: got %s because %q, want it cut at %q", tc.pattern, tc.line, r.State, text, tc.more)
		}
	}
}
