package lint

import (
	"gpuci/gates/config"
)

// Kind is what loses a failure.
type Kind string

// The kinds. Those of tests lose one by not looking; LinksAll loses none, and costs a
// link for every test binary.
const (
	Pipe       Kind = "pipe"
	OrTrue     Kind = "or-true"
	Unread     Kind = "unread"
	SetE       Kind = "set+e"
	Condition  Kind = "condition"
	And        Kind = "and"
	Loop       Kind = "loop"
	Background Kind = "background"
	Declared   Kind = "declared"
	Subst      Kind = "substitution"
	Negated    Kind = "negated"
	Trap       Kind = "trap"
	MakeDash   Kind = "make-dash"
	MakeIgnore Kind = "make-ignore"
	NoRun      Kind = "no-run"
	LinksAll   Kind = "links-all"
	Continue   Kind = "continue-on-error"
	Ignored    Kind = "ignored-test"
	Early      Kind = "early-return"
	Tested     Kind = "if"
	While      Kind = "while"
	Exec       Kind = "find-exec"
	Tries      Kind = "tries"
	Caught     Kind = "caught"
	Shellcheck Kind = "shellcheck"
)

// advice is what each kind does, and what to write instead.
func advice(k Kind) (why, instead string) {
	switch k {
	case Pipe:
		return "its status is lost in the pipe: that of the last command counts", "set -o pipefail before it (bash), or write to a file and show that"
	case OrTrue:
		return "what stands after || makes a success of its failure", "leave that out, or end with the failure: || { echo …; exit 1; }"
	case Unread:
		return "nobody looks at its status: what comes after it decides", "set -e at the top, or || exit 1 after it"
	case SetE:
		return "set +e is in force, and nobody looks at its status", "set -e before it, or rc=$? after it and exit $rc at the end"
	case Condition:
		return "set -e does not act in a function or group whose own status is tested", "|| return 1 after it"
	case And:
		return "set -e does not act on the left of &&, and what comes after the list decides", "write the two on lines of their own"
	case Loop:
		return "only the last turn of the loop says how the loop ended", "set -e at the top, or || exit 1 after it"
	case Background:
		return "it runs in the background, and no wait asks for its status", "pid=$! after it, and wait \"$pid\" later"
	case Declared:
		return "local, export and declare succeed whatever the command in them did", "declare first, and assign on a line of its own"
	case Subst:
		return "the status of a command that stands in the arguments of another is never looked at", "assign it first: x=$(…), with set -e"
	case Negated:
		return "set -e does not act after !: that it succeeds is not noticed", "if …; then exit 1; fi"
	case Trap:
		return "its trap ends the script with success", "keep the status in the trap: rc=$?; …; exit $rc"
	case MakeDash:
		return "make goes on after its failure, for the line begins with -", "leave the - out"
	case MakeIgnore:
		return "make ignores every failure", "leave -i and .IGNORE out"
	case NoRun:
		return "it compiles the tests and runs none", "put it into build, and run the tests in run"
	case LinksAll:
		return "every test binary of the crate is linked for it", "name the one that is meant: --test NAME, or --lib"
	case Continue:
		return "the job goes on as if it had succeeded", "leave continue-on-error out; a known red is expect = \"red\" in gpuci.toml"
	case Tested:
		return "the if takes its failure for an answer, and the script goes on as after a success", "exit 1 where it failed, or keep a flag that is looked at further down"
	case While:
		return "the loop ends where it fails, and the script goes on as after a success", "|| exit 1 in the body of a loop that counts"
	case Tries:
		return "it is tried again, and where no try succeeds, what comes after the loop is no failure", "exit 1 (or return 1) after the loop"
	case Exec:
		return "find ends with 0 whatever came of -exec … \\;", "-exec … {} +, whose failure find does end with"
	case Caught:
		return "what catches its failure only says so", "raise at its end, or sys.exit(1)"
	case Ignored:
		return "it is not run", "let it run, or take it out"
	case Early:
		return "it passes without having asserted anything", "fail, or have the harness skip it, so that it is counted as not run"
	}
	return "", ""
}

// State is what a proof came to.
type State string

// The states of a finding. Withdrawn ones are none any more.
const (
	Untried   State = ""
	Proven    State = "proven"
	NotProven State = "not proven"
	Withdrawn State = "withdrawn"
)

// Finding is a place where a failure can get lost.
type Finding struct {
	Kind     Kind     `json:"kind"`
	Gates    []string `json:"gates"` // that come by
	File     string   `json:"file"`  // from the directory of gpuci.toml
	Line     int      `json:"line"`
	Text     string   `json:"text"`    // of the line
	Command  string   `json:"command"` // whose failure is lost; "" where it is no command
	Why      string   `json:"why"`
	Instead  string   `json:"instead"`
	Certain  bool     `json:"certain"` // it cannot be meant so
	State    State    `json:"state,omitempty"`
	Proof    string   `json:"proof,omitempty"`    // what was seen, or why nothing was
	Log      string   `json:"log,omitempty"`      // of the proof
	Accepted string   `json:"accepted,omitempty"` // why it may stay, in the words of who wrote it
	Remark   string   `json:"remark,omitempty"`

	edits []edit // by gate, as in Gates; nil where it cannot be proven
}

// edit is where a command is replaced to prove a finding.
type edit struct {
	file     string // from the directory of gpuci.toml; "" for the gate's own command
	build    bool   // of the build, not of the run
	command  int    // its index
	arg      int    // -1 for the shell string
	from, to int    // in the file, the string or the argument
	language language
	succeed  bool // plant a success, not a failure
	once     bool // and only the first time: the next turn of a loop hides it
	quoted   bool // it stands in single quotes
	raise    bool // plant an exception
	program  bool // nothing but a program and its arguments may stand there
}

type language int

const (
	shellCode language = iota
	makeCode
	pythonCode
)

// As of gates.Red and gates.Attention.
const (
	exitRed       = 100
	exitAttention = 103
)

// configFile is where a gate's own commands stand.
const configFile = config.FileName
