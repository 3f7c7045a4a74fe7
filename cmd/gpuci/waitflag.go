package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// waitFlag is a duration that somebody may write without its unit.
type waitFlag time.Duration

// String is the value as a help text has it, "" for none.
func (w *waitFlag) String() string {
	if *w == 0 {
		return ""
	}
	return time.Duration(*w).String()
}

// Type is what a help text calls the value.
func (w *waitFlag) Type() string { return "duration" }

// Set reads the value of the flag.
func (w *waitFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	if _, number := strconv.ParseFloat(text, 64); err != nil && number == nil {
		return fmt.Errorf("it has no unit: write %ss for seconds, %sm for minutes", text, text)
	}
	if err != nil {
		return errors.New("write a time such as 30s or 10m")
	}
	*w = waitFlag(d)
	return nil
}
