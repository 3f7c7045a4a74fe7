package slurm

import (
	"context"
	"strings"
	"time"
)

const accountFields = "JobIDRaw,State,ExitCode,Submit,End,NodeList,Reason,JobName"

// accountPast is how old a job can be that is asked for: more than a night, and a weekend
// after it. Without it sacct begins with today.
const accountPast = 7 * 24 * time.Hour

// Accounts asks accounting for jobs by their ids, and gives one record of each that it
// knows. Jobs of other names, which had such an id before the cluster counted anew, are
// left out.
func (c *Client) Accounts(ctx context.Context, names map[string]string) (map[string]Record, error) {
	ids := make([]string, 0, len(names))
	for id := range names {
		ids = append(ids, id)
	}
	records, err := c.accounts(ctx, "--jobs="+strings.Join(ids, ","))
	if err != nil {
		return nil, err
	}
	of := make(map[string]Record)
	for _, r := range records {
		if names[r.ID] == r.Name {
			of[r.ID] = r
		}
	}
	return of, nil
}

// AccountsByName asks accounting for jobs by their names.
func (c *Client) AccountsByName(ctx context.Context, names []string) ([]Record, error) {
	return c.accounts(ctx, "--name="+strings.Join(names, ","))
}

func (c *Client) accounts(ctx context.Context, which string) ([]Record, error) {
	out, err := c.ask(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
		"--starttime="+time.Now().Add(-accountPast).Format("2006-01-02T15:04:05"), "--endtime=now+1day", "--format="+accountFields, which)
	if err != nil {
		return nil, err
	}
	return ParseAccounts(out), nil
}

// ParseAccounts reads what sacct prints of accountFields. Every attempt at a job is a line,
// in their order; the last one is the job's, and those before it are its restarts.
func ParseAccounts(text string) (records []Record) {
	at := make(map[[2]string]int) // by id and name
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 8)
		if len(f) != 8 || !isID(f[0]) || f[1] == "" {
			continue
		}
		r := Record{ID: f[0], Name: f[7], Submit: parseTime(f[3]), Node: null(f[5]), Reason: null(f[6])}
		r.State, r.By = parseState(f[1])
		var ok bool
		if r.Exit, r.Signal, ok = parseExit(f[2]); !ok {
			continue
		}
		if r.State.ended() {
			r.End = parseTime(f[4])
		}
		key := [2]string{r.ID, r.Name}
		i, before := at[key]
		switch {
		case !before:
			at[key] = len(records)
			records = append(records, r)
		case r.Submit.Before(records[i].Submit): // in another order than usual
			records[i].Restarts++
		default:
			r.Restarts = records[i].Restarts + 1
			records[i] = r
		}
	}
	return records
}

// Answers says whether accounting gives answers, or why it does not.
func (c *Client) Answers(ctx context.Context) error {
	_, err := c.accounts(ctx, "--jobs=1")
	return err
}
