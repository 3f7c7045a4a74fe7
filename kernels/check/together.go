package check

import (
	"slices"
	"strconv"
	"strings"
)

// Together makes one finding of those that say the same of several modules, and then of
// those that say the same of several kernels.
func Together(all []Finding) []Finding {
	all = merged(all, func(f *Finding) {
		f.Module, f.Of = "", ""
		if f.Rule == unsureRule { // where it is differs by architecture
			f.Found, f.Next = "", ""
		}
	}, modulesTogether)
	all = merged(all, func(f *Finding) {
		if f.Next == apart {
			f.Kernel, f.Line, f.Found = "", 0, ""
		} else {
			f.Next = ownWords(f)
		}
	}, launchesTogether)
	return merged(all, func(f *Finding) {
		if words, ok := plurals[f.Rule]; ok && f.Kernel != "" {
			f.Kernel = ""
			if words.acrossModules {
				f.Module = ""
			}
		} else {
			f.Next = ownWords(f)
		}
	}, kernelsTogether)
}

// merged makes one of findings that are alike but for what blank takes off, where the
// first of them stands.
func merged(all []Finding, blank func(*Finding), one func([]Finding) Finding) (out []Finding) {
	at := make(map[Finding]int)
	var groups [][]Finding
	for _, f := range all {
		key := f
		blank(&key)
		i, ok := at[key]
		if !ok || f.Module == "" && f.Kernel == "" {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	for _, g := range groups {
		if len(g) == 1 {
			out = append(out, g[0])
			continue
		}
		out = append(out, one(g))
	}
	return out
}

// ownWords is what keeps a finding from being like one of another kernel or line.
func ownWords(f *Finding) string {
	return strings.Join([]string{"", f.Kernel, f.Module, strconv.Itoa(f.Line), f.Next}, "\x00")
}

// launchesTogether is of launches in one host source, in the line of the first.
func launchesTogether(group []Finding) Finding {
	f := group[0]
	for _, g := range group {
		f.Line = min(f.Line, g.Line)
	}
	names := each(group, func(f Finding) string { return f.Kernel })
	if len(names) > 1 {
		f.Kernel = ""
	}
	_, where, _ := strings.Cut(f.Found, " in ")
	f.Found = strconv.Itoa(len(group)) + " launches of " + some(names, mostLabels) + ", none of which is in " + where
	return f
}

func modulesTogether(group []Finding) Finding {
	f := group[0]
	f.Module = some(each(group, func(f Finding) string { return f.Module }), mostLabels)
	if f.Of != "" {
		f.Of = strings.Join(each(group, func(f Finding) string { return f.Of }), ", ")
		f.Next = unsureNext(f.Kernel, f.Of)
	}
	return f
}

// plural is how a finding of several kernels says it.
type plural struct {
	acrossModules bool
	one, many     string // of what was found; % stands for their number
	most          int    // names that are told
	next          func(next string) string
}

var plurals = map[string]plural{
	"budget-unknown": {false, " it has is not known", " its % kernels have is not known", mostLabels, nil},
	"entry-new":      {true, "one that is not", "% that are not", mostNew, strings.NewReplacer("add it", "add them", "take it", "take them").Replace},
	"architecture":   {false, "", ", and % kernels in no other", mostLabels, nil},
}

func kernelsTogether(group []Finding) Finding {
	f := group[0]
	words := plurals[f.Rule]
	names := each(group, func(f Finding) string { return f.Kernel })
	f.Module = some(each(group, func(f Finding) string { return f.Module }), mostLabels)
	many := strings.Replace(words.many, "%", strconv.Itoa(len(names)), 1)
	f.Kernel, f.Found = "", strings.TrimSuffix(f.Found, words.one)+many+": "+some(names, words.most)
	if words.next != nil {
		f.Next = words.next(f.Next)
	}
	return f
}

// each is what findings say, sorted, once each.
func each(group []Finding, of func(Finding) string) (list []string) {
	for _, f := range group {
		list = append(list, of(f))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
