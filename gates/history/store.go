package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Options say where a history is.
type Options struct {
	State string // directory of the repository's runs and journals; it is made if need be
	// Index is a directory of this machine for the database of this State alone,
	// where State is on a network file system. It can be made again from the
	// journals. Without it such a history is written and cannot be read.
	Index    string
	Host     string        // for the name of the journal; this one when ""
	Wait     time.Duration // how long others may keep the database or a journal busy; 5 s when 0
	Note     func(string)  // told what a person should know, each thing once; may be nil
	ReadOnly bool          // make and import nothing
}

// defaultWait is for a disk that is stalled by links: a commit waits for no
// sync, but for one that others make now and then.
const defaultWait = 5 * time.Second

// Store is an open history. Its methods can be called by several goroutines,
// one of which is served at a time. It keeps the database from being set aside
// by others: one that is not used for a while is to Rest.
type Store struct {
	o       Options
	uid     int
	dir     string // of the database
	network string // the network file system that State is on, "" for none
	world   world

	turn      sync.Mutex
	lock      *flock.Flock // history.lock, shared while the database is open
	reader    *sql.DB      // read only, closed last: see the package's doc
	writer    *sql.DB      // opened when it is first needed
	file      file         // that they have open
	unread    error        // why the database cannot be read
	unwritten error        // why results go to the journal
	series    map[Series]int64
	taking    bool // journals are being imported
	resting   bool // nothing is open until it is asked for
	closed    bool
	said      map[string]bool
}

// Open opens a history and imports what journals have for it. That the database
// cannot be used is no error: it is noted, Record writes to the journal, and
// queries say why they cannot answer. Close must be called.
func Open(ctx context.Context, o Options) (*Store, error) {
	return open(ctx, o, world{migrations(), network, maxRuns})
}

// world is what tests put something else for.
type world struct {
	steps   []migration
	network func(path string) (string, error)
	runs    int // that a new database is filled with at most
}

func open(ctx context.Context, o Options, w world) (*Store, error) {
	s := &Store{o: o, uid: os.Geteuid(), world: w, said: make(map[string]bool)}
	var err error
	if s.o.State, err = filepath.Abs(o.State); err != nil || o.State == "" {
		return nil, fmt.Errorf("open history: the state directory %q has no absolute path", o.State)
	}
	if s.o.Host == "" {
		s.o.Host, _ = os.Hostname()
	}
	if o.Wait == 0 {
		s.o.Wait = defaultWait
	}
	if s.network, err = w.network(s.o.State); err != nil {
		return nil, fmt.Errorf("open history: %w", err)
	}
	s.attach(ctx, ruin{})
	if err := ctx.Err(); err != nil {
		s.detach()
		return nil, fmt.Errorf("open history: %w", err)
	}
	return s, nil
}

// place is the directory of the database, or why there is none.
func (s *Store) place() error {
	s.dir = s.o.State
	if s.network == "" {
		return nil
	}
	if s.o.Index == "" {
		return fmt.Errorf("%s is on a network file system (%s), and there is no directory of this machine for the database", s.o.State, s.network)
	}
	dir, err := filepath.Abs(s.o.Index)
	if err != nil {
		return err
	}
	s.dir = dir
	kind, err := s.world.network(dir)
	if err == nil && kind != "" {
		err = fmt.Errorf("%s and %s are both on network file systems (%s, %s): put XDG_STATE_HOME on a disk of this machine", s.o.State, dir, s.network, kind)
	}
	return err
}

// Close gives the database back. The Store cannot be used any more.
func (s *Store) Close() error {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.fold(usualLog)
	err := s.detach()
	s.resting, s.closed = false, true
	s.unread = errors.New("it is closed")
	s.unwritten = s.unread
	return err
}

// Rest lets go of the database until the next call asks for something: others can
// set it aside, or bring it to a newer form, while a gate runs for hours.
func (s *Store) Rest() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.closed {
		return
	}
	s.fold(usualLog)
	_ = s.detach()
	s.resting = true
}

// wake opens again what Rest has let go of.
func (s *Store) wake(ctx context.Context) {
	if s.resting {
		s.attach(ctx, ruin{})
	}
}

// detach closes the connections, the one that cannot write last.
func (s *Store) detach() error {
	var errs []error
	for _, db := range []*sql.DB{s.writer, s.reader} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	s.writer, s.reader, s.lock, s.file, s.series = nil, nil, nil, file{}, nil
	return errors.Join(errs...)
}

// path is of the database, or of a file beside it.
func (s *Store) path(suffix string) string { return filepath.Join(s.dir, "history.db"+suffix) }

// note tells a person something, once.
func (s *Store) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.o.Note != nil && !s.said[text] {
		s.said[text] = true
		s.o.Note(text)
	}
}
