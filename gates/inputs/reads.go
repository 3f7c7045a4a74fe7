package inputs

// Reads says whether the gate can have read a path, from the lane's root: unless
// the compilers' own dependency files name it for something else.
func (s Snapshot) Reads(path string) bool { return s.reads(Path(path)) }
