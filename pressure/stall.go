package pressure

import "time"

// Stall is the share of a stretch of time, 0 to 1, that was waited: from the
// totals of two readings, wall time apart. It is not known (ok is false) when
// either reading did not know, when no time passed, or when the total went
// back, which it does only when the two are not of the same boot.
func Stall(before, after *Level, wall time.Duration) (share float64, ok bool) {
	if before == nil || after == nil || wall <= 0 || after.Total < before.Total {
		return 0, false
	}
	// The kernel looked at the totals a moment before or after our clock did.
	return min(1, float64(after.Total-before.Total)/float64(wall)), true
}
