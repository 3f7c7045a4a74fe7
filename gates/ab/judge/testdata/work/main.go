// Command work is the program that TestBenchAB compares with itself: a known number
// of rounds of arithmetic, and the time that they took. It also writes a disk full,
// over and over, as a neighbour does.
//
//	work spin ROUNDS     prints the wall time and the processor time of them, and the
//	                     wall time by the quickest tenth, all in ns
//	work write FILE MIB  until it is ended
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "work:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("what to do? %q", args)
	}
	number, err := strconv.Atoi(args[len(args)-1])
	if err != nil {
		return err
	}
	if args[0] == "write" {
		for err == nil {
			err = write(args[1], number)
		}
		return err
	}
	return spin(number)
}

// spin works in tenths, of which the quickest says what the work takes when nobody
// comes between.
func spin(rounds int) error {
	const parts = 10
	quickest := time.Duration(1<<63 - 1)
	cpu, err := processor()
	if err != nil {
		return err
	}
	x := uint64(rounds) | 1
	start := time.Now()
	for range parts {
		began := time.Now()
		for range rounds / parts {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		quickest = min(quickest, time.Since(began))
	}
	wall := time.Since(start)
	after, err := processor()
	if err != nil {
		return err
	}
	fmt.Println(wall.Nanoseconds(), after-cpu, parts*quickest.Nanoseconds(), x)
	return nil
}

// processor is the processor time that this process has had, in ns.
func processor() (int64, error) {
	var t syscall.Timespec
	const processCPU = 2 // CLOCK_PROCESS_CPUTIME_ID
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processCPU, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0, errno
	}
	return t.Nano(), nil
}

func write(file string, mib int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for i := range mib {
		block[0] = byte(i)
		if _, err := f.Write(block); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
