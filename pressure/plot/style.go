package plot

import (
	"fmt"
	"strings"
)

// theme is one set of colours.
type theme struct {
	Page, Text, Muted string
	Grid, Unknown     string // lines, and the hatch of what is not known
	IO, CPU, Memory   string // curves
	Phase             string
	Link, LinkText    string
	Wait, WaitEdge    string
	Hold, HoldHatch   string
}

// light has the curves and links in the palette of Okabe and Ito ("Color
// Universal Design", 2008), whose colours stay apart with any kind of colour
// blindness: vermillion for io, blue for cpu and links, bluish green for
// memory, which is darker here than in the palette, to be seen on a filled
// curve. Tints of them fill waits and holds. Texts have a contrast of at least
// 4.5:1 to what they stand on and curves of 3:1 (WCAG 2.1, 1.4.3 and 1.4.11).
func light() theme {
	return theme{
		Page: "#ffffff", Text: "#1f2328", Muted: "#59636e",
		Grid: "#dde2e7", Unknown: "#d1d9e0",
		IO: "#d55e00", CPU: "#0072b2", Memory: "#00835f",
		Phase: "#d1d9e0",
		Link:  "#0072b2", LinkText: "#ffffff",
		Wait: "#cfe4f3", WaitEdge: "#7fb4d6",
		Hold: "#fbe3d1", HoldHatch: "#eeb189",
	}
}

// dark is of the same palette, with its sky blue in the place of blue.
func dark() theme {
	return theme{
		Page: "#0d1117", Text: "#e6edf3", Muted: "#9198a1",
		Grid: "#262c36", Unknown: "#30363d",
		IO: "#d55e00", CPU: "#56b4e9", Memory: "#009e73",
		Phase: "#3d444d",
		Link:  "#56b4e9", LinkText: "#0d1117",
		Wait: "#17344a", WaitEdge: "#33688a",
		Hold: "#3d2410", HoldHatch: "#6b3a12",
	}
}

// css is written out for each theme, not with variables, which programs that
// turn an SVG into an image do not know.
func (t theme) css() string {
	return strings.NewReplacer(
		"@page", t.Page, "@text", t.Text, "@muted", t.Muted, "@grid", t.Grid, "@unknown", t.Unknown,
		"@io", t.IO, "@cpu", t.CPU, "@memory", t.Memory, "@phase", t.Phase,
		"@linktext", t.LinkText, "@link", t.Link, "@waitedge", t.WaitEdge, "@wait", t.Wait,
		"@holdhatch", t.HoldHatch, "@hold", t.Hold,
	).Replace(`svg{background:@page}.page{fill:@page}text{fill:@text}.m{fill:@muted}
.gr{stroke:@grid}.ax{stroke:@muted}.unh{stroke:@unknown}
.iof,.ios{stroke:@io}.fill{fill:@io}.cpu{stroke:@cpu}.mem{stroke:@memory}.own{stroke:@text}
.peak{fill:@io;stroke:@page}.manyl{fill:@text}
.ph{fill:@phase}.li{fill:@link}.wa{fill:@wait}.hof{fill:@hold}.hoh{stroke:@holdhatch}
.ph,.li{stroke:@page}.wa{stroke:@waitedge}.ho{stroke:@holdhatch}.in-li{fill:@linktext}
`)
}

// shape is what both themes have: sizes, and the lines that tell the curves
// apart. The font has a fixed width, by which texts are cut to fit.
const shape = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.t{font-size:16px;font-weight:bold}.b{font-size:13px}.s{font-size:11px}.in{font-size:10px}
.mid{text-anchor:middle}.end{text-anchor:end}
.gr,.ax{fill:none;stroke-width:1;shape-rendering:crispEdges}.unh,.hoh{stroke-width:2}
.iof,.ios,.cpu,.mem,.own{fill:none;stroke-width:1.2;stroke-linejoin:round}
.fill{fill-opacity:.28}.iof{stroke-width:2.2}
.cpu{stroke-dasharray:9 3 2 3}.mem{stroke-width:1.8;stroke-dasharray:2 3}.own{stroke-width:1.6;stroke-dasharray:6 4}
.un{fill:url(#unknown)}.ho{fill:url(#held)}.many{fill:url(#many);fill-opacity:.2;pointer-events:none}
`

// head is the document down to its first drawing.
func head(c Chart, words string, high int) string {
	title := strings.TrimSpace(c.Title)
	if title == "" {
		title = "pressure"
	}
	const hatch = `<pattern id="%s" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">%s<path class="%s" d="M0 0V6"/></pattern>`
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="title words">`, pageWidth, high) +
		"\n<title id=\"title\">" + escape(title) + "</title>\n<desc id=\"words\">" + escape(words) + "</desc>\n" +
		"<style>\n" + shape + light().css() + "@media (prefers-color-scheme:dark){\n" + dark().css() + "}\n</style>\n<defs>" +
		fmt.Sprintf(hatch, "unknown", "", "unh") +
		fmt.Sprintf(hatch, "held", `<rect class="hof" width="6" height="6"/>`, "hoh") +
		`<pattern id="many" width="3" height="3" patternUnits="userSpaceOnUse"><rect class="manyl" width="1" height="3"/></pattern>` +
		"</defs>\n" +
		fmt.Sprintf(`<rect class="page" width="%d" height="%d"/>`, pageWidth, high) + "\n"
}
