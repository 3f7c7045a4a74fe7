package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNamesStayApart: whatever differs, wherever, does so after it was cut as well.
func TestNamesStayApart(t *testing.T) {
	long := func(midst string) string {
		return "void cutlass::Kernel2<cutlass_80_tensorop_" + strings.Repeat("x", 120) + midst + strings.Repeat("y", 150) + "_align4>(Params)"
	}
	lists := map[string][]string{
		"in the midst":     {long("256x128_32x3_nn"), long("128x256_32x3_nn"), long("256x128_32x4_nn"), long("256x128_32x3_nt")},
		"by length":        {long(""), long("y"), long("yy")},
		"at the end":       {long("a") + "1", long("a") + "2"},
		"at the beginning": {"a" + long(""), "b" + long("")},
		"at two places":    {long("1" + strings.Repeat("z", 90) + "1"), long("1" + strings.Repeat("z", 90) + "2"), long("2" + strings.Repeat("z", 90) + "1")},
		"short":            {"a", "b", "a"},
		"not ASCII":        {strings.Repeat("é", 100) + "1" + strings.Repeat("é", 100), strings.Repeat("é", 100) + "2" + strings.Repeat("é", 100)},
	}
	for name, texts := range lists {
		for _, width := range []int{20, 34, 60, 100} {
			var list []called
			for _, text := range texts {
				list = append(list, called{text, text})
			}
			cut := fitApart(list, func(i int) int { return width + i%2 })
			for i, c := range cut {
				if n := utf8.RuneCountInString(c); n > width+i%2 || !strings.HasPrefix(c, texts[i][:1]) {
					t.Errorf("%s: %d columns of %d: %s", name, n, width, c)
				}
				if at := slices.Index(cut, c); texts[at] != texts[i] {
					t.Errorf("%s, %d columns: %s is two", name, width, c)
				}
			}
		}
	}
}

// TestOverloads: kernels that differ by their parameters alone are shown with them.
func TestOverloads(t *testing.T) {
	cut := fitApart([]called{{"scale", "_Z5scalePfi"}, {"scale", "_Z5scalePdi"}, {"add", "_Z3addPf"}}, func(int) int { return 60 })
	if got := fmt.Sprint(cut); got != "[scale(float*, int) scale(double*, int) add]" {
		t.Error(got)
	}
}
