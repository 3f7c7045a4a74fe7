package pressure

import (
	"time"

	"golang.org/x/sys/unix"
)

// Trigger is what came of asking the kernel for one.
type Trigger struct {
	Resource string        // cpu, io or memory
	Window   time.Duration // what the kernel looks at, 1 s or 2 s; 0 where there is none
	Err      error         // why there is none, or why nothing is known of the resource
}

// Triggers arms the triggers that Watch would arm on a directory of pressure
// files ("" is Real), one for each resource, and disarms them again. A watch has
// all of those whose resource is known, or none.
func Triggers(root string) (out []Trigger) {
	if root == "" {
		root = Real
	}
	now := Read(root)
	for _, resource := range watched() {
		one := Trigger{Resource: resource}
		level, err := now.level(resource)
		if err == nil {
			var t trigger
			if t, err = armTrigger(root, resource, DefaultLimits().of(resource), level); err == nil {
				one.Window = t.window
				_ = unix.Close(t.file)
			}
		}
		one.Err = err
		out = append(out, one)
	}
	return out
}
