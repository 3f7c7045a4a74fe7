package link

import (
	"fmt"

	"gpuci/buildlock/shim"
)

// toolexec runs one of Go's tools: `go build -toolexec gpuci-link` calls them
// all through us, and the linker waits for its turn. Go asks each tool for its
// version by -V=full first, which is no link. (The linker may call gcc, which
// stands below its ticket then.)
func (c Call) toolexec() int {
	plan := shim.Plan{Tool: "link", Role: shim.Linker, Path: c.Args[1], Args: c.Args[1:], Env: c.Env}
	release := func() {}
	if shim.GoLinks(c.Args[1:]) {
		var status int
		if release, status = c.queue(&plan, shim.OurHome()); status != 0 {
			return status
		}
	}
	err := execute(plan)
	release()
	return c.fail(statusOf(err), fmt.Errorf("run %s: %w", plan.Path, err))
}
