//go:build cgo

package device

import (
	"cmp"
	"fmt"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// library is NVML, loaded into this process. What an old library does not have is
// asked for before: some calls of go-nvml take no answer for an empty one.
type library struct {
	lib   nvml.Interface
	known map[string]bool
	head  Raw // versions
	cards []*gpu
}

func newDriver() driver { return &library{known: map[string]bool{}} }

func (l *library) has(function string) bool {
	found, asked := l.known[function]
	if !asked {
		found = l.lib.Extensions().LookupSymbol(function) == nil
		l.known[function] = found
	}
	return found
}

// look implements driver.
func (l *library) look(q ask) told {
	failed := func(f string, args ...any) told {
		return told{ID: q.ID, Raw: Raw{At: time.Now(), Source: sourceNVML, Failed: fmt.Sprintf(f, args...)}}
	}
	if l.lib == nil {
		if ret, err := l.open(q.Library); err != nil {
			return told{ID: q.ID, Absent: err.Error()}
		} else if ret != nvml.SUCCESS {
			return failed("the driver's library does not begin: %s (nvmlInit: %d)", words(ret), ret)
		}
	}
	if !q.Lists || l.cards == nil {
		if ret := l.enumerate(); ret != nvml.SUCCESS {
			return failed("the driver does not list its cards: %s (nvmlDeviceGetCount: %d)", words(ret), ret)
		}
	}
	raw := l.head
	raw.At = time.Now()
	for _, g := range l.cards {
		raw.Cards = append(raw.Cards, g.look(q))
	}
	return told{ID: q.ID, Raw: raw}
}

// open loads the library and begins. The error says that there is none to load.
func (l *library) open(path string) (nvml.Return, error) {
	path = cmp.Or(path, "libnvidia-ml.so.1")
	if err := bind(path); err != nil {
		return nvml.ERROR_LIBRARY_NOT_FOUND, err
	}
	lib := nvml.New(nvml.WithLibraryPath(path))
	ret := lib.Init()
	if ret != nvml.SUCCESS {
		return ret, nil
	}
	l.lib = lib
	l.head = Raw{Source: sourceNVML}
	l.head.Driver, _ = lib.SystemGetDriverVersion()
	l.head.NVML, _ = lib.SystemGetNVMLVersion()
	if l.has("nvmlSystemGetCudaDriverVersion_v2") {
		if v, ret := lib.SystemGetCudaDriverVersion_v2(); ret == nvml.SUCCESS {
			l.head.CUDA = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		}
	}
	return ret, nil
}

// enumerate finds the cards anew.
func (l *library) enumerate() nvml.Return {
	n, ret := l.lib.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return ret
	}
	l.cards = make([]*gpu, 0, n)
	for i := range n {
		l.cards = append(l.cards, l.gpu(i))
	}
	return ret
}
