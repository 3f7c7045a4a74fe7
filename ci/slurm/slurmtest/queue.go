package slurmtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Queue lists the jobs that Slurm has not done with, as "ID STATE NAME (REASON)".
func (r *Rig) Queue() ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	out, err := r.Command(ctx, "squeue", "-h", "-o", "%i %T %j (%r)").Output()
	if err != nil {
		return nil, fmt.Errorf("squeue: %w", err)
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

// MustBeEmpty fails the test unless the queue is empty, or becomes so: Slurm takes a moment
// to end what it was told to.
func (r *Rig) MustBeEmpty(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var queue []string
	err := r.until(ctx, "the queue is empty", func() bool {
		var err error
		queue, err = r.Queue()
		return err == nil && len(queue) == 0
	})
	if err != nil {
		t.Errorf("%v; in it:\n%s", err, strings.Join(queue, "\n"))
	}
}
