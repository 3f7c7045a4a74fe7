package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// percentFlag is a share of time in percent.
type percentFlag struct {
	value float64
	given bool
}

// String is the value as a help text has it.
func (p *percentFlag) String() string {
	if !p.given {
		return ""
	}
	return strconv.FormatFloat(p.value, 'g', -1, 64)
}

// Type is what a help text calls the value.
func (p *percentFlag) Type() string { return "percent" }

// Set reads the value of the flag.
func (p *percentFlag) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 100 {
		return errors.New("write a share of time in percent, from 0 to 100")
	}
	p.value, p.given = v, true
	return nil
}

func (p percentFlag) pointer() *float64 {
	if !p.given {
		return nil
	}
	return &p.value
}
