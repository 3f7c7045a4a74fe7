package plot

import (
	"fmt"
	"strings"
)

// theme is one set of colours.
type theme struct{ page, text, muted, grid, floor, control, arm, out string }

// light and dark take the arms' colours from the palette of Okabe and Ito ("Color
// Universal Design", 2008), whose colours stay apart with any kind of colour
// blindness: blue for the control, vermillion for the arm. Texts have a contrast of
// 4.5:1 to the page, marks of 3:1 (WCAG 2.1, 1.4.3 and 1.4.11).
var (
	light = theme{"#ffffff", "#1f2328", "#59636e", "#dde2e7", "#e6e9ed", "#0072b2", "#d55e00", "#8a2c8f"}
	dark  = theme{"#0d1117", "#e6edf3", "#9198a1", "#262c36", "#30363d", "#56b4e9", "#e8702a", "#d98ad9"}
)

// css is written out for each theme, not with variables, which programs that turn an
// SVG into an image do not know.
func (t theme) css() string {
	return strings.NewReplacer("@page", t.page, "@text", t.text, "@muted", t.muted, "@grid", t.grid,
		"@floor", t.floor, "@control", t.control, "@arm", t.arm, "@out", t.out).Replace(
		`svg{background:@page}.page{fill:@page}text{fill:@text}.m{fill:@muted}.gr{stroke:@grid}.ax{stroke:@muted}.floor{fill:@floor}
.ctl,.ctll,.ctlb{stroke:@control}.ctlf{fill:@control}.arm,.arml,.armb{stroke:@arm}.armf{fill:@arm}.out{stroke:@out}
`)
}

// shape is what both themes have.
const shape = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.t{font-size:16px;font-weight:bold}.b{font-size:12px}.s{font-size:11px}.mid{text-anchor:middle}.end{text-anchor:end}
path{fill:none}.gr,.ax{stroke-width:1}.ctl{stroke-width:5;stroke-linecap:round;stroke-opacity:.6}.arm{stroke-width:1.5;stroke-opacity:.8}
.ctll{stroke-width:1.5}.arml{stroke-width:1.5;stroke-dasharray:6 3}.ctlb{stroke-width:3}.armb{stroke-width:3;stroke-dasharray:4 2}
.ctlf,.armf{fill-opacity:.35}.out{stroke-width:2}
`

// head is the document down to its first drawing. What it says in words is for those
// who do not see it.
func head(s scene, high int) string {
	words := s.Answer.Metric.Name + ": " + s.counted()
	for _, side := range s.sides {
		words += "; " + side.name + ": " + s.median(side)
	}
	for _, r := range s.rows() {
		words += "; " + r.name + ": " + r.within()
	}
	if s.Answer.Why != "" {
		words += "; " + s.Answer.Why
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="title words">`, pageWide, high) +
		"\n<title id=\"title\">" + escape(s.title()) + "</title>\n<desc id=\"words\">" + escape(words) + "</desc>\n<style>\n" + shape + light.css() +
		"@media (prefers-color-scheme:dark){\n" + dark.css() + "}\n</style>\n" +
		fmt.Sprintf(`<rect class="page" width="%d" height="%d"/>`, pageWide, high) + "\n"
}
