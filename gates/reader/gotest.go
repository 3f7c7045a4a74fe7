package reader

// gotest reads go test: plain, -v and -json. The first line that is go's own
// says which one it is.
//
// What is counted are leaves: tests, subtests, fuzz seeds and examples that
// have nothing below them. A test with subtests is counted only where it failed
// and none of its subtests did, so that no failure is lost, and empty parents do
// not help a gate over its min-tests. A skip is ignored. A benchmark counts as
// measured by each line of results.
//
// A package that fails while no test of it did (it does not build, its TestMain
// gave another exit status, it was killed between tests) counts as one failed
// item by the package's path, and a remark says why. A package that says ok
// while a test of it failed is only counted: the exit status tells the caller
// that the failure was swallowed. A package that says ok and shows no test is a
// contradiction, unless go says that it has none to run; so plain go test, which
// shows none that passed, is one for every package that passed.
//
// With -json (see events for the details) everything that a test prints arrives
// inside its own events, so it cannot pass for go's lines. A test that writes
// the marker byte 0x16 in front of a framing line can, and so can a TestMain that
// prints framing lines before the tests; nothing tells these apart. Plain output (see blocks) mixes what tests print with what go says;
// what can be told apart there is, with -v only, and -json is the better choice.
type gotest struct {
	total  Counts
	mode   goMode
	events events
	blocks blocks
}

type goMode int

const (
	goUnknown goMode = iota
	goJSON
	goPlain
)

func (g *gotest) Line(s Stream, line []byte) []byte {
	if s == Stderr || len(line) == 0 {
		return line
	}
	if line[0] == '{' && g.mode != goPlain {
		if text, ok := g.events.line(&g.total, line); ok {
			g.mode = goJSON
			return text
		}
		return line
	}
	if g.mode == goJSON {
		g.events.foreign(line)
		return line
	}
	if g.blocks.line(&g.total, line) {
		g.mode = goPlain
	}
	return line
}

// Idle is never said: a line of JSON is cheap to take and costly to tell.
func (g *gotest) Idle(Stream, []byte) bool { return false }

func (g *gotest) Counts() Counts {
	g.events.end(&g.total)
	g.blocks.end(&g.total)
	return g.total
}
