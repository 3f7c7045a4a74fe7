package slurm

import (
	"context"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
)

// nowhere is the place of who ends jobs while there is none: it was removed, is full, or
// hangs. A job cannot begin in it either, or is cancelled by its name.
type nowhere struct{ why error }

func (n nowhere) Hand(context.Context, executor.Task, spool.Carry) (spool.Handed, error) {
	return spool.Handed{}, n.why
}
func (n nowhere) Results() ([]spool.Result, error)    { return nil, n.why }
func (n nowhere) Begun(string) ([]spool.Begun, error) { return nil, n.why }
func (n nowhere) Read(executor.Task, spool.Attempt) (spool.Outcome, error) {
	return spool.Outcome{}, n.why
}
func (n nowhere) Take(executor.Task, spool.Attempt) (spool.Outcome, error) {
	return spool.Outcome{}, n.why
}
func (n nowhere) Log(string, spool.Attempt) string         { return "" }
func (n nowhere) Last(string, spool.Attempt, int) []string { return nil }
func (n nowhere) Withdraw(string) error                    { return n.why }
func (n nowhere) Drop(string) error                        { return nil }
func (n nowhere) Close() error                             { return nil }
