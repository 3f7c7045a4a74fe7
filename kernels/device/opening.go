package device

import "time"

// A context takes memory before the driver lists its process: on an H200 some 480 MiB
// for about 90 ms, half the life of a short program. What one of ours is about to have
// is told by the card's file that it has open already.
const (
	// contextMax is how many bytes one may have before it is listed: twice that.
	contextMax = 1 << 30
	// opensFor is for how long a process that has the file open may be about to: where
	// there are eight cards a context takes some seconds. One that only reads clocks
	// never is.
	opensFor = 10 * time.Second
)

// opens is how many bytes processes of ours may have that have the card's file open and
// are not listed yet.
func (s *sight) opens(at time.Time, c Seen) (bytes int64) {
	for _, k := range c.opening {
		first, known := s.opened[k]
		if !known {
			if len(s.opened) >= peopleMax {
				clear(s.opened)
			}
			first = at
			s.opened[k] = at
		}
		if at.Sub(first) <= opensFor {
			bytes += contextMax
		}
	}
	return bytes
}
