package gates

import "gpuci/gates/reader"

// unhide says what has passing tests' output shown, where a command of the run hides
// it: what no line gave may well have been printed. told is false where nothing does.
func (f *flow) unhide() (told bool) {
	for _, c := range f.gate.Run {
		if h, ok := reader.Hides(f.gate.Reader, argvOf(c), f.toolEnv()); ok {
			f.next(h.Text())
			told = true
		}
	}
	return told
}
