package gates

import (
	"bytes"

	"gpuci/gates/reader"
)

// maxLine is how much of one line is looked at. The log has all of it.
const maxLine = 256 << 10

// splitter cuts one stream into lines.
type splitter struct {
	out    *output
	stream reader.Stream
	carry  []byte // the start of a line whose end has not come yet
	over   bool   // the line is longer than maxLine: its rest is dropped
}

// take takes the next bytes of the stream.
func (s *splitter) take(data []byte) {
	if len(s.carry) > 0 || s.over {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			s.keep(data)
			return
		}
		s.keep(data[:i])
		s.line(s.carry)
		s.carry, s.over = s.carry[:0], false
		data = data[i+1:]
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if whole := data[:end]; !s.out.judge.idle(s.stream, whole) {
		for len(whole) > 0 {
			i := bytes.IndexByte(whole, '\n')
			s.long(whole[:i])
			whole = whole[i+1:]
		}
	}
	s.keep(data[end:])
}

func (s *splitter) keep(part []byte) {
	for len(part) > maxLine-len(s.carry) && !s.over {
		room := maxLine - len(s.carry)
		s.carry = append(s.carry, part[:room]...)
		part = part[room:]
		// Progress that overwrites itself with carriage returns can go on for
		// megabytes: each of its texts is a line of its own.
		if end := bytes.LastIndexByte(s.carry, '\r'); end >= 0 {
			s.line(s.carry[:end])
			s.carry = append(s.carry[:0], s.carry[end+1:]...)
			continue
		}
		s.out.cut()
		s.over = true
	}
	if !s.over {
		s.carry = append(s.carry, part...)
	}
}

// long hands over a whole line, in parts if it is a long one.
func (s *splitter) long(line []byte) {
	if len(line) <= maxLine {
		s.line(line)
		return
	}
	s.keep(line)
	s.line(s.carry)
	s.carry, s.over = s.carry[:0], false
}

func (s *splitter) line(line []byte) {
	s.out.text(s.out.judge.line(s.stream, line))
}

// flush hands over a last line that has no newline.
func (s *splitter) flush() {
	if len(s.carry) > 0 {
		s.line(s.carry)
	}
	s.carry, s.over = nil, false
}

// cut counts a line that was looked at in part only.
func (o *output) cut() {
	o.errs.Lock()
	defer o.errs.Unlock()
	o.long++
}

func (o *output) failed(err error) {
	o.errs.Lock()
	defer o.errs.Unlock()
	if o.fault == nil {
		o.fault = err
	}
}

func (o *output) logFault() error {
	o.errs.Lock()
	defer o.errs.Unlock()
	return o.fault
}
