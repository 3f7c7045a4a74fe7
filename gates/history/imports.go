package history

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	// maxTaken is how much of a journal is imported at one go, in bytes: some
	// 50,000 results, a few seconds. The next Store goes on behind it.
	maxTaken = 64 << 20
	// maxJournals bounds how many are looked at.
	maxJournals = 10_000
	// headSize is how much of a file's beginning is remembered, to know it
	// from another one that was given the same inode: a run id is within.
	headSize = 64
)

// journalName is <host>-<uid>.jsonl.
var journalName = regexp.MustCompile(`^[A-Za-z0-9._-]+-([0-9]{1,10})\.jsonl$`)

// mark is how far a journal was imported.
type mark struct {
	inode, offset int64
	head          []byte
	garbled       int // lines, up to there
}

// source is a journal with something in it that is not in the database yet.
type source struct {
	name string // key in imports
	f    *os.File
	uid  int // owner of the file
	mark mark
}

// takeIn imports what journals have gained. It costs a stat for each file as
// long as they have gained nothing. What cannot be imported now is noted, and
// left for the next Store.
func (s *Store) takeIn(ctx context.Context) {
	if s.taking { // it is for that that the database was opened again
		return
	}
	s.taking = true
	defer func() { s.taking = false }()
	if err := s.takeInNew(ctx); err != nil && ctx.Err() == nil {
		s.note("%s: journals were not imported: %v; it is tried again", s.path(""), plain(err))
	}
}

func (s *Store) takeInNew(ctx context.Context) error {
	files := s.candidates()
	if len(files) == 0 {
		return nil
	}
	if s.reader == nil {
		return s.unread
	}
	marks, err := readMarks(ctx, s.reader)
	if err != nil {
		return err
	}
	var sources []source
	defer func() {
		for _, src := range sources {
			_ = src.f.Close()
		}
	}()
	for name, path := range files {
		if src, ok := s.news(name, path, marks[name]); ok {
			sources = append(sources, src)
		}
	}
	if len(sources) == 0 {
		return nil
	}
	slices.SortFunc(sources, func(a, b source) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, src := range sources {
			if err := s.takeInOne(ctx, tx, src); err != nil {
				return err
			}
		}
		return nil
	})
}

// candidates are the files that may have lines, by their key in imports.
func (s *Store) candidates() map[string]string {
	out := make(map[string]string)
	if path := filepath.Join(s.o.State, "reaper.jsonl"); exists(path) {
		out["reaper.jsonl"] = path
	}
	if info, err := os.Lstat(s.journals()); err != nil {
		return out
	} else if !info.IsDir() {
		s.note("%s is no directory: no journals are imported; move it away", s.journals())
		return out
	}
	dir, err := os.Open(s.journals())
	if err != nil {
		return out
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxJournals)
	for _, name := range names {
		if journalName.MatchString(name) {
			out["journal/"+name] = filepath.Join(s.journals(), name)
		}
	}
	return out
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func readMarks(ctx context.Context, db *sql.DB) (map[string]mark, error) {
	rows, err := db.QueryContext(ctx, "select file, inode, offset, head, garbled from imports")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[string]mark)
	for rows.Next() {
		var name string
		var m mark
		if err := rows.Scan(&name, &m.inode, &m.offset, &m.head, &m.garbled); err != nil {
			return nil, err
		}
		out[name] = m
	}
	return out, rows.Err()
}

// news opens a journal that has lines behind the mark. One that is another file
// by now is read from its beginning.
func (s *Store) news(name, path string, m mark) (source, bool) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil || int64(st.Ino) == m.inode && st.Size == m.offset {
		return source{}, false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err == nil {
		err = s.trusted(f, name)
	}
	head := make([]byte, headSize)
	if err == nil && unix.Fstat(int(f.Fd()), &st) == nil {
		n, _ := f.ReadAt(head, 0)
		head = head[:n]
	}
	if err != nil {
		s.note("journal %s is ignored: %v", path, err)
		if f != nil {
			_ = f.Close()
		}
		return source{}, false
	}
	if int64(st.Ino) != m.inode || st.Size < m.offset || !bytes.HasPrefix(head, m.head) {
		m = mark{inode: int64(st.Ino)}
	}
	m.head = head
	return source{name: name, f: f, uid: int(st.Uid), mark: m}, true
}

// trusted says what keeps a file from being read as a journal. A journal says
// whose it is, which its owner must bear out; the lines of reaper.jsonl are of
// whoever owns it.
func (s *Store) trusted(f *os.File, name string) error {
	if name == "reaper.jsonl" {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("it is no regular file")
		}
		return nil
	}
	uid, err := strconv.Atoi(journalName.FindStringSubmatch(filepath.Base(name))[1])
	if err != nil {
		return err
	}
	return owned(f, uid)
}

// takeInOne imports the lines of one journal behind its mark.
func (s *Store) takeInOne(ctx context.Context, tx *sql.Tx, src source) error {
	garbled := 0
	from := io.NewSectionReader(src.f, src.mark.offset, maxTaken)
	n, err := readLines(from, func(line []byte) error {
		if len(line) == 0 && line != nil {
			return nil
		}
		rec, err := readLine(line)
		switch {
		case err != nil:
			garbled++
			return nil
		case rec.result != nil:
			_, err = s.insert(ctx, tx, *rec.result, src.uid)
		case rec.fault != nil:
			err = s.insertFalsified(ctx, tx, *rec.fault, src.uid)
		case rec.decision != nil:
			_, err = s.insertDecided(ctx, tx, *rec.decision, src.uid)
		default:
			_, err = s.insertKill(ctx, tx, *rec.kill, src.uid)
		}
		return err
	})
	if err != nil {
		return err
	}
	m := src.mark
	if n == 0 && full(src.f, m.offset) { // one line and no end: what follows is the rest of it
		n, garbled = maxTaken, garbled+1
	}
	if garbled > 0 {
		s.note("%s: %s left out", src.f.Name(), countOf(garbled, "line that this gpuci cannot read was", "lines that this gpuci cannot read were"))
	}
	_, err = tx.ExecContext(ctx, "insert or replace into imports(file, inode, offset, head, garbled) values(?, ?, ?, ?, ?)",
		src.name, m.inode, m.offset+n, m.head, m.garbled+garbled)
	return err
}

// full says that there is as much behind offset as is read at one go.
func full(f *os.File, offset int64) bool {
	info, err := f.Stat()
	return err == nil && info.Size()-offset >= maxTaken
}
