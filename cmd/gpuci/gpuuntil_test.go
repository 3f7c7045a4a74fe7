package main

import (
	"strings"
	"testing"
	"time"
)

// What people write for a time, on the day on which clocks go forward too.
func TestParseUntil(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	evening := time.Date(2027, 3, 27, 22, 30, 0, 0, berlin) // clocks go from 2:00 to 3:00 that night
	for _, c := range []struct{ text, want, err string }{
		{text: "23:00", want: "2027-03-27T23:00:00+01:00"},
		{text: "07:00", want: "2027-03-28T07:00:00+02:00"},
		{text: "7:00", want: "2027-03-28T07:00:00+02:00"},
		{text: "22:30", want: "2027-03-28T22:30:00+02:00"},
		{text: "8h", want: "2027-03-28T07:30:00+02:00"},
		{text: "1h30m", want: "2027-03-28T00:00:00+01:00"},
		{text: "168h", want: "2027-04-03T23:30:00+02:00"},
		{text: "2027-03-28T05:00:00Z", want: "2027-03-28T07:00:00+02:00"},
		{text: "2027-03-29T07:00", want: "2027-03-29T07:00:00+02:00"},
		{text: "1d", want: "2027-03-28T22:30:00+02:00"},
		{text: "1d12h", want: "2027-03-29T10:30:00+02:00"},
		{text: "8d", err: "more than 7 days"},
		{text: "d", err: "no time"},
		{text: "1d-1h", err: "no time"},
		{text: "169h", err: "more than 7 days"},
		{text: "2027-03-27T22:30", err: "is over: it is 2027-03-27 22:30 now"},
		{text: "-8h", err: "is over"},
		{text: "0s", err: "is over"},
		{text: "2026-12-01T07:00:00+01:00", err: "is over"},
		{text: "8", err: "write 8h for hours, 8:00 for a time of the day"},
		{text: "24:00", err: "no time"},
		{text: "25:61", err: "no time"},
		{text: "tomorrow", err: "no time"},
		{text: "", err: "no time"},
		{text: "9999999999h", err: "no time"},
	} {
		got, err := parseUntil(c.text, evening)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) || exitCode(err, true) != 64 {
				t.Errorf("%q: %v, %v; want an error of usage with %q", c.text, got, err, c.err)
			}
		case err != nil || got.In(berlin).Format(time.RFC3339) != c.want:
			t.Errorf("%q: %s, %v; want %s", c.text, got.In(berlin).Format(time.RFC3339), err, c.want)
		}
	}
}
