package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"gpuci/kernels/entry"
)

// modulesText is a table for each module.
func modulesText(modules []entry.Module, verbose bool) string {
	var b strings.Builder
	for _, m := range modules {
		if len(m.Kernels)+len(m.Unread) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(printable(moduleHead(m)) + "\n")
		if len(m.Kernels) > 0 {
			b.WriteString(kernelTable(m.Kernels, verbose))
		}
		for _, why := range m.Unread {
			b.WriteString("  unread: " + ownLine(why) + "\n")
		}
		if verbose && m.Flags != "" {
			b.WriteString("  made with: " + ownLine(m.Flags) + "\n")
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

// maxNameShown is how much of a name the table shows: those of templates run to
// kilobytes, and -v and --json have all of it.
const maxNameShown = 60

func kernelTable(list []entry.Kernel, verbose bool) string {
	var table, b strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  kernel\tregs\tspill\tstack\tshared\tbarriers\tparams\tthreads\tatomics\tcode")
	for i := range list {
		k := &list[i]
		name := shownKernel(*k)
		if !verbose {
			name = shorter(name)
		}
		fmt.Fprintf(w, "  %s\n", strings.Join([]string{
			ownLine(name), knownText(k.Registers), spills(*k), knownText(k.Stack), knownText(k.Shared), knownText(k.Barriers),
			paramsText(*k), threadsText(*k), atomicsText(*k), knownText(k.Code),
		}, "\t"))
	}
	_ = w.Flush() // into memory
	i := -1       // the first line is the head
	for line := range strings.Lines(table.String()) {
		b.WriteString(line)
		if verbose && i >= 0 {
			details(&b, list[i])
		}
		i++
	}
	return b.String()
}

// details are the lines of -v below a kernel.
func details(b *strings.Builder, k entry.Kernel) {
	if k.Readable != "" {
		fmt.Fprintf(b, "      looked up as %s\n", ownLine(k.Name))
	}
	for _, p := range k.Params {
		fmt.Fprintf(b, "      parameter %d at %d: %s%s\n", p.Ordinal, p.Offset, count(p.Size, "byte", "bytes"), ownLine(comma(p.Type)))
	}
	for _, x := range k.Atomics {
		where := fmt.Sprintf("at byte %d", x.At)
		if x.Line > 0 {
			where = fmt.Sprintf("in line %d", x.Line)
		}
		fmt.Fprintf(b, "      float atomic %s, %s, first %s\n", ownLine(x.Op), times(x.Count), where)
	}
}

func comma(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// shorter is a name as far as a table shows it.
func shorter(name string) string {
	if r := []rune(name); len(r) > maxNameShown {
		return string(r[:maxNameShown]) + "…"
	}
	return name
}

func shownKernel(k entry.Kernel) string { return cmp.Or(k.Readable, k.Name) }

// knownText is a number, or "?".
func knownText(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}

func spills(k entry.Kernel) string {
	if k.SpillStores == nil && k.SpillLoads == nil {
		return "?"
	}
	if k.SpillStores != nil && k.SpillLoads != nil && *k.SpillStores == 0 && *k.SpillLoads == 0 {
		return "0"
	}
	return knownText(k.SpillStores) + "/" + knownText(k.SpillLoads)
}

func paramsText(k entry.Kernel) string {
	if !k.ParamsKnown {
		return "?"
	}
	if k.ParamBytes == nil {
		return strconv.Itoa(len(k.Params))
	}
	return fmt.Sprintf("%d, %dB", len(k.Params), *k.ParamBytes)
}

func threadsText(k entry.Kernel) string {
	list, sign := k.MaxThreads, ""
	if len(k.ReqThreads) > 0 {
		list, sign = k.ReqThreads, "="
	}
	if len(list) == 0 {
		return "-"
	}
	for len(list) > 1 && list[len(list)-1] == 1 {
		list = list[:len(list)-1]
	}
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return sign + strings.Join(words, "x")
}

func atomicsText(k entry.Kernel) string {
	switch {
	case len(k.Atomics) > 0:
		return strconv.Itoa(len(k.Atomics))
	case !k.AtomicsKnown:
		return "?"
	}
	return "none"
}
