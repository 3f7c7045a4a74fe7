package buildlock

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
)

// reserveOrder is what a reserver is told on its command line.
type reserveOrder struct {
	Dir  string
	Card string
	Keep string // a shell command to execute with the reservation kept
}

// reserver reserves a card for as long as it lives, says so, and says which of
// the reservations in force are its own: then it obeys.
func reserver() int {
	var o reserveOrder
	if err := json.Unmarshal([]byte(os.Args[1]), &o); err != nil {
		fmt.Println("error", err)
		return 3
	}
	if o.Card == "" {
		list, err := Reservations(o.Dir)
		for _, r := range list {
			fmt.Println(r.Card, r.Ours(), err)
		}
		return 0
	}
	h, err := Reserve(context.Background(), o.Dir, Reservation{Card: o.Card, Why: "a profile", Command: "nsys profile"})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("reserved")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "exec":
			if err := h.Keep(); err != nil {
				fmt.Println("error", err)
				return 1
			}
			fmt.Println("error", syscall.Exec("/bin/sh", []string{"sh", "-c", o.Keep}, os.Environ()))
		case "release":
			fmt.Println("released", h.Release())
		}
	}
	return 0
}
