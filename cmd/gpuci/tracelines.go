package main

import (
	"bytes"
	"time"
)

// longLine is how much of a line is looked at.
const longLine = 64 << 10

// lineCutter cuts a stream into lines: at newlines, and at the carriage returns of a
// progress bar. The time of a line is that of its first byte, for the end of one that a
// program writes over comes with the next.
type lineCutter struct {
	take  func(line []byte, at time.Time)
	carry []byte
	began time.Time
}

func (c *lineCutter) add(data []byte, at time.Time) {
	for len(data) > 0 {
		end := bytes.IndexAny(data, "\r\n")
		part := data
		if end >= 0 {
			part = data[:end]
		}
		if len(part) > 0 && len(c.carry) == 0 {
			c.began = at
		}
		c.carry = append(c.carry, part[:min(len(part), longLine-len(c.carry))]...)
		if end < 0 {
			return
		}
		c.end()
		data = data[end+1:]
	}
}

// end is that of a line.
func (c *lineCutter) end() {
	if len(c.carry) > 0 {
		c.take(c.carry, c.began)
	}
	c.carry = c.carry[:0]
}
