package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseSpan reads a length of time that can have days and weeks in it, such as
// "30d", "2w" or "36h": what is long ago is not asked for to the hour.
func ParseSpan(text string) (time.Duration, error) {
	for _, unit := range []struct {
		suffix string
		hours  float64
	}{{"d", 24}, {"w", 7 * 24}} {
		number, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || n < 0 || n*unit.hours > 100*366*24 || strings.Trim(number, "0123456789.") != "" {
			return 0, fmt.Errorf("is no length of time: %s", quoted(text))
		}
		return time.Duration(n * unit.hours * float64(time.Hour)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("is no length of time: %s", quoted(text))
	}
	return d, nil
}
