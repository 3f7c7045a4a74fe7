package link

import (
	"fmt"

	"gpuci/buildlock/shim"
)

// toolexec runs one of Go's tools: `go build -toolexec gpuci-link` calls them
// all through us, and the linker waits for its turn. Go asks each tool for its
// version first, which is no link: its own by -V=full, and the C compilers by the
// name that it would call them by, `gpuci-link gcc -###`. What those answer is in
// the keys of its cache. (The linker may call gcc, which stands below its ticket
// then.)
func (c Call) toolexec() int {
	path, err := shim.OnPath(c.Args[1], c.Env)
	if err != nil {
		return c.fail(statusOf(err), err)
	}
	plan := shim.Plan{Tool: "link", Role: shim.Linker, Path: path, Args: c.Args[1:], Env: c.Env}
	release := func() {}
	if shim.GoLinks(plan.Args) {
		var status int
		if release, status = c.queue(&plan, shim.OurHome()); status != 0 {
			return status
		}
	}
	err = execute(plan)
	release()
	return c.fail(statusOf(err), fmt.Errorf("run %s: %w", plan.Path, err))
}
