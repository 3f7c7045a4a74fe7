package link

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// quitQuietly lets SIGQUIT (Ctrl-\) end us while we wait, as it ends the tool we
// stand in for: the Go runtime would print every goroutine and exit with 2. What
// the tool gets after exec(2) is the same either way.
func quitQuietly() {
	var byDefault struct{ handler, flags, restorer, mask uint64 } // rt_sigaction(2): SIG_DFL is 0
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGQUIT), uintptr(unsafe.Pointer(&byDefault)), 0, unsafe.Sizeof(byDefault.mask), 0, 0)
}
