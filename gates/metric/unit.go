package metric

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// suffixes of a metric's name that imply a unit.
var suffixUnit = map[string]string{
	"ns": "ns", "us": "us", "ms": "ms", "s": "s", "sec": "s", "seconds": "s",
	"b": "B", "bytes": "B", "kib": "KiB", "mib": "MiB", "gib": "GiB",
	"count": "count", "launches": "count", "allocs": "count", "calls": "count",
}

// UnitOf returns the unit given, or the one that the metric's last word says
// ("bwd-ms", "peak_bytes", "launches"), or none.
func UnitOf(metric, unit string) string {
	if unit != "" {
		return unit
	}
	return suffixUnit[strings.ToLower(metric[strings.LastIndexAny(metric, "-_.")+1:])]
}

// nonNegative says that a unit is one of time, size or count: none of those
// can be below zero.
func nonNegative(unit string) bool {
	switch canonical(unit) {
	case "count", "ps", "ns", "us", "ms", "s", "min", "h", "d",
		"B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB":
		return true
	}
	return false
}

// canonical is the one spelling of a unit that the package compares by.
func canonical(unit string) string {
	if known := unitNamed(unit); known != "" {
		return known
	}
	return unit
}

// unitNamed is the unit that a word stands for, or none. Case tells apart what
// is one letter long, and bits from bytes; elsewhere it is taste.
func unitNamed(word string) string {
	switch word {
	case "B", "b":
		return "B"
	case "Kb", "Mb", "Gb", "Tb":
		return word
	case "%", "‰":
		return word
	case "s", "m", "h", "d":
		return timeUnit(word)
	}
	if utf8.RuneCountInString(word) < 2 {
		return ""
	}
	lower := strings.ToLower(word)
	if unit := timeUnit(lower); unit != "" {
		return unit
	}
	return sizeUnit(lower)
}

func timeUnit(word string) string {
	switch word {
	case "ps", "psec", "picosecond", "picoseconds":
		return "ps"
	case "ns", "nsec", "nsecs", "nanos", "nanosec", "nanosecs", "nanosecond", "nanoseconds":
		return "ns"
	case "us", "usec", "usecs", "micros", "microsec", "microsecs", "microsecond", "microseconds",
		"µs", "µsec", "µsecs", "μs", "μsec", "μsecs": // U+00B5 and U+03BC
		return "us"
	case "ms", "msec", "msecs", "millis", "millisec", "millisecs", "millisecond", "milliseconds":
		return "ms"
	case "s", "sec", "secs", "second", "seconds":
		return "s"
	case "m", "min", "mins", "minute", "minutes":
		return "min"
	case "h", "hr", "hrs", "hour", "hours":
		return "h"
	case "d", "day", "days":
		return "d"
	}
	return ""
}

func sizeUnit(word string) string {
	switch word {
	case "byte", "bytes":
		return "B"
	case "kb", "kbyte", "kbytes", "kilobyte", "kilobytes":
		return "KB"
	case "mb", "mbyte", "mbytes", "megabyte", "megabytes":
		return "MB"
	case "gb", "gbyte", "gbytes", "gigabyte", "gigabytes":
		return "GB"
	case "tb", "tbyte", "tbytes", "terabyte", "terabytes":
		return "TB"
	case "ki", "kib", "kibibyte", "kibibytes":
		return "KiB"
	case "mi", "mib", "mebibyte", "mebibytes":
		return "MiB"
	case "gi", "gib", "gibibyte", "gibibytes":
		return "GiB"
	case "ti", "tib", "tebibyte", "tebibytes":
		return "TiB"
	case "bit", "bits":
		return "bit"
	case "percent", "pct":
		return "%"
	}
	return ""
}

// printedUnit is the unit behind a number, or none: behind blanks, a dot for
// "times" and a bracket, too. A word with = behind it names another number.
func printedUnit(tail []byte) string {
	tail = tail[:min(len(tail), window)]
	rest := bytes.TrimLeft(tail, blanks)
	if r, n := utf8.DecodeRune(rest); strings.ContainsRune("([{<·⋅", r) {
		rest = bytes.TrimLeft(rest[n:], blanks)
	}
	size := len(rest) - len(bytes.TrimLeftFunc(rest, word))
	if r, n := utf8.DecodeRune(rest); r == '%' || r == '‰' {
		size = n
	}
	text := string(rest[:size])
	switch {
	case bytes.HasPrefix(rest[size:], []byte("=")):
		return ""
	case len(rest) == len(tail) && len(text) == 1 && strings.Contains("kKMGT", text):
		return text
	}
	return unitNamed(text)
}

// hasUnit says whether a number is followed by this very unit.
func hasUnit(tail []byte, unit string) bool {
	if unit == "" {
		return false
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(tail, blanks), []byte(unit))
	next, _ := utf8.DecodeRune(rest)
	return ok && !word(next) || printedUnit(tail) == canonical(unit)
}

// otherUnit says whether a number is printed in another unit than its metric's:
// "lat 5 s" read as milliseconds is a thousand times off.
func otherUnit(tail []byte, unit string) error {
	printed := printedUnit(tail)
	if printed == "" || printed == canonical(unit) || !nonNegative(unit) {
		return nil
	}
	return fmt.Errorf("the number is in %s, the metric in %s: nothing is converted", printed, unit)
}
