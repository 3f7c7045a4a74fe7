package shim

import (
	"os"
	"strconv"
	"strings"
)

// markerName is the file that makes a directory one of shims. It holds the
// settings for a shim that is called with an empty environment.
const markerName = ".gpuci-shims"

// Home is the directory of shims that a shim was started from, "" for one
// that stands elsewhere.
type Home string

// OurHome tells the directory of shims that this process was started from.
func OurHome() Home {
	self := selfPath()
	dir := self[:max(0, strings.LastIndexByte(self, '/'))]
	if !IsShims(dir) {
		return ""
	}
	return Home(dir)
}

// Settings are what a directory of shims was made with.
type Settings struct {
	LockDir string // of the queue; "" for the machine's own
	Links   int    // how many at once; may only lower the machine's number; 0 does not
	Tools   string // the directories the real tools were found in, as in PATH
}

// Settings reads the marker file. Unknown lines are passed over: an older shim
// may meet a newer directory.
func (h Home) Settings() (Settings, error) {
	if h == "" {
		return Settings{}, nil
	}
	data, err := os.ReadFile(string(h) + "/" + markerName)
	return parseSettings(string(data)), err
}

// settings is Settings where a missing file is as good as an empty one.
func (h Home) settings() Settings {
	s, _ := h.Settings()
	return s
}

func parseSettings(text string) (s Settings) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "lock-dir":
			s.LockDir = value
		case "links":
			s.Links, _ = strconv.Atoi(value)
		case "tools":
			s.Tools = value
		}
	}
	return s
}

// String is the content of the marker file.
func (s Settings) String() string {
	text := "tools " + s.Tools + "\n"
	if s.LockDir != "" {
		text += "lock-dir " + s.LockDir + "\n"
	}
	if s.Links > 0 {
		text += "links " + strconv.Itoa(s.Links) + "\n"
	}
	return text
}
