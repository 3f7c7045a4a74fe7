package metric

import (
	"slices"
	"strings"
)

// IsTime says whether a unit is one of time, however it is spelled.
func IsTime(unit string) bool {
	switch canonical(unit) {
	case "ps", "ns", "us", "ms", "s", "min", "h", "d":
		return true
	}
	return false
}

// IsSize says whether a unit is one of memory.
func IsSize(unit string) bool {
	switch canonical(unit) {
	case "B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB":
		return true
	}
	return false
}

// IsRate says whether a unit is something by a time: "GB/s", "GFLOP/s/card".
func IsRate(unit string) bool {
	parts := strings.Split(unit, "/")
	return slices.ContainsFunc(parts[1:], IsTime)
}
