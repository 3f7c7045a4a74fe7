package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// TOMLString writes a string as a value of the file.
func TOMLString(s string) string { return tomlString(s) }

// tomlString writes a string: as a literal where that saves escapes, as
// patterns are best read.
func tomlString(s string) string {
	if strings.ContainsAny(s, `\"`) && !strings.Contains(s, "'") && !strings.ContainsFunc(s, unicode.IsControl) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tomlKey writes a key, in quotes only where it must be.
func tomlKey(s string) string {
	if isWord(s) && !strings.Contains(s, ".") {
		return s
	}
	return tomlString(s)
}

func tomlArray[T any](all []T, write func(T) string) string {
	parts := make([]string, len(all))
	for i, v := range all {
		parts[i] = write(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func tomlStrings(all []string) string { return tomlArray(all, tomlString) }

// tomlFloat writes a number so that it is read as a float again.
func tomlFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(s) // as people write it
}

// tomlPoint writes a point of an Axis.
func tomlPoint(p any) string {
	switch p := p.(type) {
	case string:
		return tomlString(p)
	case float64:
		return tomlFloat(p)
	}
	return fmt.Sprint(p)
}

// tomlDuration writes a duration as a person does: "40m", not "40m0s".
func tomlDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return tomlString(s)
}

// tomlSize writes bytes in the largest unit that leaves a whole number.
func tomlSize(n int64) string {
	i := len(sizeUnits()) - 1
	for n != 0 && n%1024 == 0 && i > 0 {
		n /= 1024
		i--
	}
	return tomlString(strconv.FormatInt(n, 10) + sizeUnits()[i])
}

func tomlCommands(all []Command) string {
	switch {
	case len(all) == 1 && all[0].Shell != "":
		return tomlString(all[0].Shell)
	case len(all) == 1:
		return tomlStrings(all[0].Argv)
	}
	return tomlArray(all, func(c Command) string { return tomlStrings(c.Argv) })
}
