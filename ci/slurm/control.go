package slurm

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// ErrForgotten says that slurmctld knows no such job, or not any more.
var ErrForgotten = errors.New("slurmctld does not know the job")

// Job asks slurmctld for a job.
func (c *Client) Job(ctx context.Context, id string) (Record, error) {
	out, err := c.ask(ctx, "scontrol", "--oneliner", "show", "job", id)
	var failed *CommandError
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Said, "Invalid job id"):
		return Record{}, ErrForgotten
	case err != nil:
		return Record{}, err
	}
	r, ok := ParseJob(out)
	if !ok || r.ID != id {
		return Record{}, ErrForgotten
	}
	return r, nil
}

// ParseJob reads what scontrol show job prints of one. What people choose, and could have
// written "JobState=" into, comes after what is read here: of each key the first counts.
func ParseJob(text string) (Record, bool) {
	get := make(map[string]string)
	for _, word := range strings.Fields(text) {
		key, value, ok := strings.Cut(word, "=")
		if _, before := get[key]; ok && !before {
			get[key] = value
		}
	}
	r := Record{ID: get["JobId"], Name: get["JobName"], Reason: null(get["Reason"]), Node: null(get["NodeList"]), Submit: parseTime(get["SubmitTime"]), Restarts: -1}
	r.State, _ = parseState(get["JobState"])
	if r.State.ended() {
		r.End = parseTime(get["EndTime"])
	}
	if n, err := strconv.Atoi(get["Restarts"]); err == nil && n >= 0 {
		r.Restarts = n
	}
	var ok bool
	r.Exit, r.Signal, ok = parseExit(get["ExitCode"])
	return r, ok && isID(r.ID) && r.State != ""
}

// null is a value where Slurm has one.
func null(s string) string {
	if s == "(null)" || s == "None" || s == "None assigned" || s == "N/A" {
		return ""
	}
	return s
}

// Cluster is what a cluster says of itself.
type Cluster struct {
	Name, Version string
	Accounting    string // the plugin, without accounting_storage/; "" for none
	MinJobAge     string // how long slurmctld knows a job that has ended: "300 sec"
}

// Cluster asks slurmctld who it is.
func (c *Client) Cluster(ctx context.Context) (Cluster, error) {
	out, err := c.ask(ctx, "scontrol", "show", "config")
	if err != nil {
		return Cluster{}, err
	}
	return ParseCluster(out), nil
}

// ParseCluster reads what scontrol show config prints.
func ParseCluster(text string) (c Cluster) {
	get := make(map[string]string)
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, "="); ok {
			get[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	c = Cluster{Name: get["ClusterName"], Version: get["SLURM_VERSION"], MinJobAge: get["MinJobAge"]}
	if kind := strings.TrimPrefix(null(get["AccountingStorageType"]), "accounting_storage/"); kind != "none" {
		c.Accounting = kind
	}
	return c
}

// Partitions are the names of those that the user may see.
func (c *Client) Partitions(ctx context.Context) ([]string, error) {
	out, err := c.ask(ctx, "sinfo", "--noheader", "--all", "--format=%R")
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}
