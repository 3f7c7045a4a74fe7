// Command gpuci runs the gates of a workspace of GPU kernels on a shared
// machine and says, by an outcome and an exit code, what came of them.
package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"gpuci/buildlock/shim/link"
	"gpuci/kernels/device"
)

func main() {
	if filepath.Base(os.Args[0]) == device.Child {
		os.Exit(device.ServeNVML(os.Stdin, os.Stdout))
	}
	if playsShim(os.Args[0]) {
		os.Exit(link.Run(link.Call{Args: os.Args, Env: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}))
	}
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything it touches handed in.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	console := newConsole(stderr)
	ctx, hurry, stop := signalled{console.note, lastWait, os.Exit}.watch(ctx)
	defer stop()
	a := &app{out: stdout, console: console, hurry: hurry}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if errors.Is(err, context.Canceled) { // by whoever told us to stop, of whom a wait deep below knows nothing
		err = cmp.Or(context.Cause(ctx), err)
	}
	_ = a.driver.Close()
	code := a.exit(cmd, err)
	_ = console.settle()
	return code
}
