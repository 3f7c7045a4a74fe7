//go:build cgo

package device

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// const char *gpuci_nvmlbind(const char *path);
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// bind loads the driver's library, and fills what go-nvml calls through; see
// nvmlbind_linux.c.
func bind(path string) error {
	runtime.LockOSThread() // dlerror is the thread's
	defer runtime.UnlockOSThread()
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if why := C.gpuci_nvmlbind(name); why != nil {
		text := C.GoString(why)
		if !strings.Contains(text, path) {
			text = path + ": " + text
		}
		return fmt.Errorf("the driver's library cannot be loaded: %s", text)
	}
	return nil
}
