package proc

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Stuck is a process that SIGKILL has not ended (yet).
type Stuck struct {
	Stat
	Age     time.Duration // since it was started
	Waits   string        // wait channel in the kernel, "" when unknown
	Pending bool          // SIGKILL was sent and waits for it to run
}

// String tells the truth about it: a SIGKILL that is pending is not a process
// that is gone.
func (s Stuck) String() string {
	kill, waits := "SIGKILL not delivered", s.Waits
	if s.Pending {
		kill = "SIGKILL pending"
	}
	if waits == "" {
		waits = "(unknown)"
	}
	return fmt.Sprintf("%s (pid %d, state %c, %s, %s old, waits in %s)", s.Comm, s.PID, s.State, kill, s.Age.Round(time.Second/10), waits)
}

func stuck(left []Stat) []Stuck {
	var out []Stuck
	for _, s := range left {
		one := Stuck{Stat: s, Age: Real.Age(s), Pending: killPending(s)}
		one.Waits, _ = Real.WaitChannel(s.PID)
		out = append(out, one)
	}
	return out
}

// killPending says whether a SIGKILL waits for a process to run: kill(2) leaves
// it with the process, cgroup.kill with a thread.
func killPending(s Stat) bool {
	st, err := Real.Status(s.PID)
	return err == nil && (st.SharedPending.Has(unix.SIGKILL) || st.Pending.Has(unix.SIGKILL))
}

// Age is the time since a process was started, 0 when it cannot be told.
func (r Root) Age(s Stat) time.Duration {
	data, err := os.ReadFile(filepath.Join(string(r), "uptime"))
	if err != nil {
		return 0
	}
	up, ok := parseUptime(string(data))
	if !ok {
		return 0
	}
	return max(0, up-CPUTime(s.Start))
}

// parseUptime reads the first number of an uptime file, seconds since boot.
func parseUptime(text string) (time.Duration, bool) {
	up, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	seconds, err := strconv.ParseFloat(up, 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) { // NaN and 30 years are no uptime
		return 0, false
	}
	return time.Duration(math.Round(seconds*ticksPerSecond)) * (time.Second / ticksPerSecond), true // as it is written, and not a nanosecond less
}
