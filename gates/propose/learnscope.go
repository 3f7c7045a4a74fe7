package propose

import (
	"gpuci/gates/config"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// axis is something that the output says it covers.
type axis struct {
	name   string
	points []string // as TOML
}

// shapeText is a shape that is printed as a list: "shape [2,64,4,128]".
var shapeText = regexp.MustCompile(`(?:^|[\s,;])([A-Za-z_]\w*)[ =:]{1,3}[\[(](\d+(?:(?:, ?|x)\d+)+)[\])]`)

const maxAxes = 8

// addDims adds the shapes in a line.
func addDims(list []axis, line string) []axis {
	if !strings.ContainsAny(line, "[(") {
		return list
	}
	for _, m := range shapeText.FindAllStringSubmatch(line, -1) {
		list = addPoint(list, kebab(m[1]), config.TOMLString(m[2]))
	}
	return list
}

// addPoint adds a point to the axis of a name.
func addPoint(list []axis, name, point string) []axis {
	i := slices.IndexFunc(list, func(a axis) bool { return a.name == name })
	switch {
	case i >= 0:
	case len(list) == maxAxes || name == "":
		return list
	default:
		list, i = append(list, axis{name: name}), len(list)
	}
	list[i].points, _ = keep(list[i].points, point)
	return list
}

// axes gathers what the output says of shapes and sizes.
func (o *output) axes(all [][]reading) []axis {
	var out []axis
	for _, readings := range all {
		for _, r := range readings {
			if n := r.num(); r.class == axisLike && r.name != "" && n.whole && !n.many && r.unit == "" {
				for _, v := range n.values {
					out = addPoint(out, r.name, strings.TrimPrefix(v, "+"))
				}
			}
		}
	}
	for _, a := range o.dims {
		for _, p := range a.points {
			out = addPoint(out, a.name, p)
		}
	}
	for i := range out {
		slices.SortFunc(out[i].points, byNumber)
	}
	return slices.DeleteFunc(out, func(a axis) bool { return slices.ContainsFunc(a.points, badPoint) })
}

// badPoint is one that TOML does not read as it was printed, such as 007.
func badPoint(p string) bool {
	if strings.HasPrefix(p, `"`) || strings.HasPrefix(p, "'") {
		return false
	}
	n, err := strconv.ParseInt(p, 10, 64)
	return err != nil || strconv.FormatInt(n, 10) != p
}

func byNumber(a, b string) int {
	x, xerr := strconv.Atoi(a)
	y, yerr := strconv.Atoi(b)
	if xerr == nil && yerr == nil {
		return x - y
	}
	return strings.Compare(a, b)
}

// scopeNoted says whether the text of a gate has a scope in its comments already:
// what an earlier proposal left for a person to fill in.
func scopeNoted(text, gate string) bool {
	at, err := findGate(text, gate)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(text, "\n")[at.from:at.to], func(line string) bool {
		rest, comment := strings.CutPrefix(strings.TrimSpace(line), "#")
		return comment && strings.HasPrefix(strings.TrimSpace(rest), "[gate.scope]")
	})
}

// scopeTOML writes the axes. They are comments, because what production uses
// is not in the output, and a scope that only says what is covered finds no gap.
func scopeTOML(axes []axis, hidden bool) []string {
	if len(axes) == 0 {
		return nil
	}
	mark, out := "  ", []string(nil)
	if hidden {
		mark = "  # "
		out = comment("What this run says it covers. Write what production uses into `production` and uncomment it: a point that is not covered then marks every outcome")
	}
	out = append(out, mark+"[gate.scope]")
	for _, a := range axes {
		points, production := "["+strings.Join(a.points, ", ")+"]", "[]"
		if !hidden {
			production = points
		}
		out = append(out, mark+tomlKey(a.name)+" = { covered = "+points+", production = "+production+" }")
	}
	return out
}

// tomlKey writes a key, in quotes where it must be.
func tomlKey(s string) string {
	if strings.Contains(s, ".") || s == "" {
		return config.TOMLString(s)
	}
	return s
}
