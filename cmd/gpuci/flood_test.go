package main

import (
	"bytes"
	"os"
	"strconv"
)

// flood prints what a chatty test prints, in blocks of 64 KiB: so many bytes
// of log lines, one number among them, in the frame of a libtest harness.
func flood(size string) {
	n, err := strconv.Atoi(size)
	if err != nil {
		panic(err)
	}
	line := []byte("step 000123 loss 3.4127 grad-norm 0.8841 tokens/s 184220 lr 2.9e-04 mem 61.2GiB\n")
	block := bytes.Repeat(line, (64<<10)/len(line))
	print := func(b []byte) {
		if _, err := os.Stdout.Write(b); err != nil {
			os.Exit(1)
		}
	}
	print([]byte("\nrunning 1 test\nworst rel 3e-7 on d_g\n"))
	for done := 0; done < n; done += len(block) {
		print(block)
	}
	print([]byte("test chatty ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"))
}
