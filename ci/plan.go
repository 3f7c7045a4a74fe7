package ci

import (
	"time"

	"gpuci/gates"
)

// Plan is what a night is to do, as it was when it began.
type Plan struct {
	Night    string    `json:"night"` // its id
	Schema   int       `json:"schema"`
	Nightly  bool      `json:"nightly"` // of all lanes; else of those that were named
	Began    time.Time `json:"began"`
	Base     string    `json:"base,omitempty"`     // the branch that numbers are held against; "" where there is none
	Reported string    `json:"reported,omitempty"` // the last night before that came to a report
	Force    bool      `json:"force,omitempty"`
	On       string    `json:"on,omitempty"`    // what runs its gates; "" is this machine
	Hand     bool      `json:"hand,omitempty"`  // gates of one lane that somebody waits for; it is not resumed
	Dir      string    `json:"dir,omitempty"`   // of gpuci.toml, from a lane's root
	Gates    []string  `json:"gates,omitempty"` // that were named; none means all that are for nights
	Heads    []Head    `json:"heads"`

	Debts []gates.Debt `json:"debts,omitempty"` // what its lanes owe, the oldest first
}

// planSchema is the form of Plan's JSON; a plan of another is not resumed.
const planSchema = 1

// awaySchema is that of a plan whose gates run elsewhere: a gpuci that knows of no
// executors would run them here.
const awaySchema = 2

// Head is where one lane stands, or one branch that no lane has out.
type Head struct {
	Lane    string `json:"lane"`             // its name; of a branch "branch/" and that
	Branch  string `json:"branch,omitempty"` // "" when detached
	Commit  string `json:"commit,omitempty"`
	Tree    string `json:"tree,omitempty"`    // id of the commit's content
	Root    string `json:"root,omitempty"`    // where the lane is
	Changed int    `json:"changed,omitempty"` // files that are not as in the commit, and so are not tested
	Unread  string `json:"unread,omitempty"`  // why its files cannot be looked at; the commit can
	Why     string `json:"why,omitempty"`     // nothing of it can be run
	Exit    int    `json:"exit,omitempty"`    // then: 0 where nobody is to be woken for it
}

// branchPrefix is of the names of branches without a lane; no lane has a slash in
// its name.
const branchPrefix = "branch/"

// job is one content with the lanes that have it; the first one stands for it.
type job struct {
	heads []Head
}

// lead is the lane under which the history has what came of it.
func (j *job) lead() Head { return j.heads[0] }

// jobs are the heads with something to run, by their content, in the plan's order.
func (p Plan) jobs() (list []*job) {
	of := make(map[string]*job)
	for _, h := range p.Heads {
		switch {
		case h.Why != "":
		case of[h.Tree] != nil:
			of[h.Tree].heads = append(of[h.Tree].heads, h)
		default:
			of[h.Tree] = &job{heads: []Head{h}}
			list = append(list, of[h.Tree])
		}
	}
	return list
}
