package main

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// longest bounds what a test waits for; none is judged by it.
const longest = 5 * time.Minute

// listener keeps what was written to it, and wakes who waits for a text.
type listener struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func newListener() *listener { return &listener{more: make(chan struct{}, 1)} }

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (l *listener) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// hear waits for a text.
func (l *listener) hear(t *testing.T, text string) {
	t.Helper()
	for late := time.After(longest); !strings.Contains(l.String(), text); {
		select {
		case <-l.more:
		case <-late:
			t.Fatalf("never said %q, but %q", text, l.String())
		}
	}
}
