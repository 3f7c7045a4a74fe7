package trace

import "bytes"

// longLine is how much of a line is looked at.
const longLine = 64 << 10

// Cutter cuts a stream into lines: at newlines, and at the carriage returns of a progress
// bar. The time of a line is that of its first byte, for the end of one that a program
// writes over comes with the next.
type Cutter struct {
	Take  func(line []byte, came Came) // it may not keep the line
	carry []byte
	began Came
}

// Add takes what came.
func (c *Cutter) Add(data []byte, came Came) {
	for len(data) > 0 {
		end := bytes.IndexAny(data, "\r\n")
		part := data
		if end >= 0 {
			part = data[:end]
		}
		if len(part) > 0 && len(c.carry) == 0 {
			c.began = came
		}
		c.carry = append(c.carry, part[:min(len(part), longLine-len(c.carry))]...)
		if end < 0 {
			return
		}
		c.End()
		data, came = data[end+1:], came.rest()
	}
}

// End is that of a line.
func (c *Cutter) End() {
	if len(c.carry) > 0 {
		c.Take(c.carry, c.began)
	}
	c.carry = c.carry[:0]
}
