package slurm

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// Row is what the queue shows of a job: enough to tell people how it is, and that
// something has changed. Whether a job has ended well is not believed of it.
type Row struct {
	ID, Name string
	State    State
	Reason   string // why it is pending
	Node     string
	Submit   time.Time // when it came into the queue: anew where it is to begin again
	Start    time.Time // zero where it has not begun
}

// queueFormat has the name last: names of other people's jobs hold what they like.
const queueFormat = "%i|%T|%r|%N|%V|%S|%j"

// Queue lists the user's jobs, also those that ended a while ago (MinJobAge). It is one
// question, which slurmctld answers with one user's jobs.
func (c *Client) Queue(ctx context.Context) ([]Row, error) {
	out, err := c.ask(ctx, "squeue", "--noheader", "--all", "--states=all", "--user="+strconv.Itoa(os.Getuid()), "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	return ParseQueue(out), nil
}

// ParseQueue reads what squeue prints in queueFormat. Lines that are none of it are left
// out: parts of names with line breaks, arrays.
func ParseQueue(text string) (rows []Row) {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 7)
		if len(f) != 7 || !isID(f[0]) || f[1] == "" {
			continue
		}
		state, _ := parseState(f[1])
		rows = append(rows, Row{ID: f[0], Name: f[6], State: state, Reason: f[2], Node: f[3], Submit: parseTime(f[4]), Start: parseTime(f[5])})
	}
	return rows
}
