package main

import (
	"context"
	"strings"

	"gpuci/gates"
)

func (d *doctor) checkTools(context.Context) []check {
	return append(d.checksOf("tools"), d.unfound()...)
}

// checksOf are the checks of a group's tools.
func (d *doctor) checksOf(group string) (out []check) {
	for _, k := range kits() {
		t, asked := d.answers[k.name]
		switch by, used := d.uses[k.name]; {
		case k.group != group || !asked:
		case used:
			out = append(out, t.needed(by))
		default:
			out = append(out, t.check())
		}
	}
	return out
}

func (d *doctor) checkLinkers(ctx context.Context) []check {
	out := d.checksOf("linkers")
	if c, ok := d.checkDefault(ctx); ok {
		out = append(out, c)
	}
	out = append(out, d.checkShims()...)
	return append(out, d.checkPast())
}

// checkDefault asks cc which linker it calls where nobody names one. With
// --version no linker links anything.
func (d *doctor) checkDefault(ctx context.Context) (check, bool) {
	cc := d.answers["cc"]
	if cc.path == "" || cc.failed != "" {
		return check{}, false
	}
	a, err := gates.Ask(ctx, askTime, []string{cc.path, "-Wl,--version"}, d.place.dir, askEnv(d.env))
	line := firstLine(a.Text)
	switch {
	case err != nil:
		return unsure("cc's own", "cc does not say which linker it calls: "+err.Error()), true
	case a.Failed != "":
		return broken("cc's own", "cc calls no linker that works: "+lastLine(a.Text), "nothing is linked by cc", "apt-get install binutils"), true
	}
	return fine("cc's own", "cc links by "+line), true
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
