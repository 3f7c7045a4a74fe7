package build

import "time"

// stamp is what the file system says of a file without its being read.
type stamp struct {
	Size, Modified, Changed int64 // bytes; ns since 1970. Changed is the inode's time, which no program can set
	Inode, Device           uint64
}

// settle is how long after a file's last change a reading of it may be believed
// for ever: file systems stamp to the tick of a timer (4 ms), to 1 s or to 2 s, and
// a second change within that time would leave the same stamp.
const settle = 2 * time.Second

// settled is whether a reading begun at that time saw the last change that this
// stamp can stand for. A stamp from the future is never settled.
func (s stamp) settled(at time.Time) bool {
	return s.Changed != 0 && s.Changed < at.Add(-settle).UnixNano()
}
