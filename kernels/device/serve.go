package device

import (
	"bufio"
	"encoding/json"
	"io"
)

// Child is the argv[0] under which a program of ours is the child that talks to
// the driver's library: its main calls ServeNVML then, and exits with what that
// returns.
const Child = "gpuci-nvml"

// ServeNVML answers looks until in ends, and returns an exit code. It returns then
// even while the driver hangs: the caller exits, and takes the call with it.
func ServeNVML(in io.Reader, out io.Writer) int {
	named()
	bound()
	asks := make(chan ask)
	go answer(newDriver(), asks, json.NewEncoder(out))
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var q ask
		if json.Unmarshal(lines.Bytes(), &q) != nil {
			return 2
		}
		asks <- q
	}
	return 0
}

func answer(d driver, asks <-chan ask, out *json.Encoder) {
	for q := range asks {
		_ = out.Encode(d.look(q)) // a parent that reads no more has closed in as well
	}
}
