package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"gpuci/kernels"
	"gpuci/kernels/entry"
)

// kernelView says how kernels are shown.
type kernelView struct {
	width   int // columns of the terminal; 0: as many as it takes
	verbose bool
	sort    string // a key of kernelOrders; "" as they stand in the file
}

// kernelView is one for where the answer goes: in a file or a pipe nothing is cut.
func (a *app) kernelView(verbose bool) kernelView {
	v := kernelView{verbose: verbose}
	if tty := terminal(a.out); tty != nil {
		if columns, _, err := term.GetSize(int(tty.Fd())); err == nil && columns > 0 {
			v.width = max(columns, leastWidth)
		}
	}
	return v
}

const (
	leastWidth = 40 // columns below which nothing is made to fit
	leastName  = 24 // columns of a name that say which kernel it is
)

// column is one of the table, with the number of it that is left out first where the
// terminal is narrow; 0: none.
type column struct {
	head string
	drop int
	text func(entry.Kernel) string
}

func kernelColumns() []column {
	return []column{
		{"regs", 0, func(k entry.Kernel) string { return knownText(k.Registers) }},
		{"spill", 0, spills},
		{"stack", 4, func(k entry.Kernel) string { return knownText(k.Stack) }},
		{"shared", 5, func(k entry.Kernel) string { return knownText(k.Shared) }},
		{"barriers", 1, func(k entry.Kernel) string { return knownText(k.Barriers) }},
		{"params", 3, paramsText},
		{"threads", 2, threadsText},
		{"atomics", 6, atomicsText},
		{"code", 7, func(k entry.Kernel) string { return knownText(k.Code) }},
	}
}

// modules is a table for each module that has kernels, or something that could not be
// read.
func (v kernelView) modules(modules []entry.Module) string {
	var b strings.Builder
	for _, m := range modules {
		if len(m.Kernels)+len(m.Unread) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(cellText(moduleHead(m)) + "\n")
		if len(m.Kernels) > 0 {
			b.WriteString(v.table(m.Kernels))
		}
		for _, why := range m.Unread {
			b.WriteString("  unread: " + cellText(why) + "\n")
		}
		if v.verbose && m.Flags != "" {
			b.WriteString("  made with: " + cellText(m.Flags) + "\n")
		}
	}
	return b.String()
}

// moduleHead says what a module is.
func moduleHead(m entry.Module) string {
	text := m.File
	if m.Part != "" {
		text += " (" + m.Part + ")"
	}
	parts := []string{strings.TrimSpace(m.Kind + " for " + cmp.Or(m.Arch, "an unknown architecture"))}
	if m.Toolkit != "" {
		parts = append(parts, "CUDA "+m.Toolkit)
	}
	return text + ": " + strings.Join(append(parts, count(len(m.Kernels), "kernel", "kernels")), ", ")
}

func (v kernelView) table(list []entry.Kernel) string {
	list = v.sorted(list)
	columns := v.columns(list)
	names := v.names(list, columns)
	var table, b strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	row := func(name string, text func(column) string) {
		words := []string{"  " + name}
		for _, c := range columns {
			words = append(words, text(c))
		}
		fmt.Fprintln(w, strings.Join(words, "\t"))
	}
	row("kernel", func(c column) string { return c.head })
	for i := range list {
		row(names[i], func(c column) string { return c.text(list[i]) })
	}
	_ = w.Flush() // into memory
	i := -1       // the first line is the head
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
		if v.verbose && i >= 0 {
			details(&b, list[i])
		}
		i++
	}
	return b.String()
}

// columns are those that fit beside names of which enough is left.
func (v kernelView) columns(list []entry.Kernel) []column {
	all := kernelColumns()
	for v.width > 0 {
		first := -1
		for i, c := range all {
			if c.drop > 0 && (first < 0 || c.drop < all[first].drop) {
				first = i
			}
		}
		if first < 0 || v.width-columnsWidth(list, all) >= leastName {
			break
		}
		all = slices.Delete(all, first, first+1)
	}
	return all
}

// columnsWidth is how many columns of the terminal they take, with the space before
// each and before the names.
func columnsWidth(list []entry.Kernel, all []column) int {
	width := 2
	for _, c := range all {
		most := len(c.head)
		for _, k := range list {
			most = max(most, len(c.text(k)))
		}
		width += most + 2
	}
	return width
}

// names are those of kernels as the table shows them, cut to what is left of the
// terminal, each unlike the others.
func (v kernelView) names(list []entry.Kernel, columns []column) []string {
	all := make([]string, len(list))
	for i, k := range list {
		all[i] = cellText(shownKernel(k))
	}
	if v.width == 0 || v.verbose {
		return all
	}
	most := max(leastName, v.width-columnsWidth(list, columns))
	short := make(map[string]bool)
	for _, k := range list {
		short[kernels.Short(k)] = true
	}
	if len(short) == len(list) && slices.ContainsFunc(all, func(n string) bool { return len(n) > most }) {
		for i, k := range list { // without their parameters they are told apart as well
			all[i] = cellText(kernels.Short(k))
		}
	}
	return distinct(all, most)
}
