package history

import "os"

// How long the log gets before it is written back into the database, in bytes.
// Whoever opens a database that nobody else has open reads through all of it, a
// page of 4 KiB in some 10 µs; whoever writes it back syncs twice.
const (
	usualLog = 384 << 10 // at the end of a Store: every tenth or so that keeps one result
	maxLog   = 4 << 20   // in the middle of one, that imports much
)

// fold writes the log back if it is longer than that, and cuts it. SQLite would
// do that by itself, but for the cutting, and what is not cut is taken for new
// by the next process to open the database, which does it all again. Where
// others are reading, it is left to them.
func (s *Store) fold(limit int64) {
	if s.writer == nil {
		return
	}
	if info, err := os.Lstat(s.path("-wal")); err != nil || info.Size() < limit {
		return
	}
	// The connection does not wait for readers then; it has nothing to do after
	// that for which it would have to wait, or is made again.
	_, _ = s.writer.Exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate)")
	_ = s.writer.Close()
	s.writer = nil
}
