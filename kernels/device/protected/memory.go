package protected

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sample is a progress and when it was first seen.
type sample struct {
	At    time.Time     `json:"at"`
	Done  float64       `json:"done"`
	Total float64       `json:"total,omitempty"`
	Left  time.Duration `json:"left"`
}

// memory is what was seen of one run's progress: a small file.
type memory struct {
	Rule    string   `json:"rule"`
	Peak    float64  `json:"peak"` // the most that was done
	Samples []sample `json:"samples"`
}

const (
	// maxSamples bounds a memory: looks two seconds apart, or a night's of them.
	maxSamples = 32
	// maxMemory bounds its file, in bytes.
	maxMemory = 16 << 10
	// memoryLife is for how long the memory of a run that nobody looked at is kept.
	memoryLife = 14 * 24 * time.Hour
)

// newPrefix begins the passing names of files.
const newPrefix = ".new-"

func (m memory) last() sample { return m.Samples[len(m.Samples)-1] }

// remember adds what is seen now to what was seen of the run before. Where nothing
// can be kept, that is all there is.
func (f *finder) remember(r Run, now sample) memory {
	path := f.memoryFile(r)
	m := readMemory(path).add(now)
	m.Rule, m.Peak = r.Rule.Name, max(m.Peak, now.Done)
	if path != "" {
		m.write(path)
	}
	return m
}

// memoryFile is the file of a run: of its rule and its process.
func (f *finder) memoryFile(r Run) string {
	if f.o.State == "" || f.boot == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d %d %s", r.Rule.Name, r.Rule.Log, r.Rule.Progress, r.Process.PID, r.Process.Start, r.Process.BootID))
	return filepath.Join(f.o.State, hex.EncodeToString(sum[:8])+".json")
}

// readMemory reads one; what cannot be read was never seen.
func readMemory(path string) (m memory) {
	if path == "" {
		return m
	}
	data, _, err := readHead(path, maxMemory)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return memory{}
	}
	return m
}

// add puts a sample behind the others. The same progress stays the one that was
// seen first; with another total, or after it went back, it begins anew.
func (m memory) add(now sample) memory {
	if len(m.Samples) == 0 {
		m.Samples = []sample{now}
		return m
	}
	last := m.last()
	switch {
	case last.Total != now.Total: // another work, or another epoch
		return memory{Samples: []sample{now}}
	case now.Done < last.Done:
		m.Samples = []sample{now}
	case now.Done == last.Done && now.Left == last.Left:
		return m
	default:
		m.Samples = append(m.Samples, now)
	}
	if n := len(m.Samples); n > maxSamples {
		m.Samples = append(m.Samples[:1:1], m.Samples[n-maxSamples+1:]...) // the first one tells most
	}
	return m
}

// write keeps it, and drops what is old. A directory that cannot be written to is
// no error: the next look knows less.
func (m memory) write(path string) {
	text, err := json.Marshal(m)
	dir := filepath.Dir(path)
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(dir, newPrefix)
	if err != nil {
		return
	}
	_, err = f.Write(append(text, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return
	}
	forget(dir)
}

// forget removes the memories of runs that are long over.
func forget(dir string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if filepath.Ext(e.Name()) != ".json" && !strings.HasPrefix(e.Name(), newPrefix) {
			continue // somebody else's
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > memoryLife {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
