package slurm

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What Slurm 22.05 printed, with names of people's own in it.
const (
	queueText = "4|COMPLETED|None|n1|1796126513|1796126514|gpuci-a-1\n" +
		"6|PENDING|BeginTime||1796127004|1796127125|gpuci-a-2\n" +
		"7|PENDING|launch failed requeued held||1796127002|N/A|a|b $(id) \"\n" +
		"8_[1-3]|PENDING|Resources||1796127002|N/A|array\n" +
		"9|RUNNING|None|n[1-2]|1796127002|1796127003|two\nlines\n"
	jobText = `JobId=2 JobName=gpuci-a-1 UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=4294901758 Nice=0 Account=root QOS=normal JobState=FAILED Reason=NonZeroExitCode Dependency=(null) Requeue=1 Restarts=3 BatchFlag=1 Reboot=0 ExitCode=100:9 RunTime=00:00:00 TimeLimit=10:00:00 TimeMin=N/A SubmitTime=1796127004 EligibleTime=1796127004 AccrueTime=1796127004 StartTime=1796127005 EndTime=1796127006 Deadline=N/A Partition=main NodeList=n1 BatchHost=n1 Command=/tmp/x JobState=COMPLETED ExitCode=0:0
Restarts=7 WorkDir=/ Power=`
	accountText = "6|REQUEUED|0:0|1796127002|1796127004|n1|None|gpuci-a-2\n" +
		"6|NODE_FAIL|0:0|1796127010|1796127012|n2|None|gpuci-a-2\n" +
		"6|CANCELLED by 1000|0:15|1796127020|1796127024|n1|None|gpuci-a-2\n" +
		"8|FAILED|1:0|1796127002|1796127002|None assigned|BadConstraints|gpuci-a-3\n" +
		"6|COMPLETED|0:0|1700000000|1700000001|n1|None|somebody's|own\n" +
		"7|PENDING|0:0|1796127002|Unknown|None assigned|None|gpuci-a-4\n"
)

func at(seconds int64) time.Time { return time.Unix(seconds, 0) }

func TestParseQueue(t *testing.T) {
	want := []Row{
		{ID: "4", Name: "gpuci-a-1", State: "COMPLETED", Reason: "None", Node: "n1", Submit: at(1796126513), Start: at(1796126514)},
		{ID: "6", Name: "gpuci-a-2", State: "PENDING", Reason: "BeginTime", Submit: at(1796127004), Start: at(1796127125)},
		{ID: "7", Name: `a|b $(id) "`, State: "PENDING", Reason: "launch failed requeued held", Submit: at(1796127002)},
		{ID: "9", Name: "two", State: "RUNNING", Reason: "None", Node: "n[1-2]", Submit: at(1796127002), Start: at(1796127003)},
	}
	if d := cmp.Diff(want, ParseQueue(queueText)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// Of each key the first counts: what stands in a command is not read.
func TestParseJob(t *testing.T) {
	got, ok := ParseJob(jobText)
	want := Record{ID: "2", Name: "gpuci-a-1", State: "FAILED", Reason: "NonZeroExitCode", Exit: 100, Signal: 9, Restarts: 3, Node: "n1", Submit: at(1796127004), End: at(1796127006)}
	if d := cmp.Diff(want, got); d != "" || !ok {
		t.Errorf("%v: -want +got\n%s", ok, d)
	}
	for _, text := range []string{"", "JobId=2", "slurm_load_jobs error: Invalid job id specified", "JobId=2_1 JobState=RUNNING ExitCode=0:0", "JobId=2 JobState=RUNNING ExitCode=0"} {
		if r, ok := ParseJob(text); ok {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

// Attempts are counted by job and name: a cluster that began to count anew gave the same id
// to somebody else's job.
func TestParseAccounts(t *testing.T) {
	want := []Record{
		{ID: "6", Name: "gpuci-a-2", State: "CANCELLED", By: "1000", Signal: 15, Restarts: 2, Node: "n1", Submit: at(1796127020), End: at(1796127024)},
		{ID: "8", Name: "gpuci-a-3", State: "FAILED", Reason: "BadConstraints", Exit: 1, Submit: at(1796127002), End: at(1796127002)},
		{ID: "6", Name: "somebody's|own", State: "COMPLETED", Node: "n1", Submit: at(1700000000), End: at(1700000001)},
		{ID: "7", Name: "gpuci-a-4", State: "PENDING", Submit: at(1796127002)},
	}
	if d := cmp.Diff(want, ParseAccounts(accountText)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParseCluster(t *testing.T) {
	got := ParseCluster("AccountingStorageType   = accounting_storage/slurmdbd\nClusterName             = t\nMinJobAge               = 10 sec\nSLURM_VERSION           = 22.05.8\n")
	if want := (Cluster{"t", "22.05.8", "slurmdbd", "10 sec"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, none := range []string{"accounting_storage/none", "(null)"} {
		if got := ParseCluster("AccountingStorageType = " + none + "\n"); got.Accounting != "" {
			t.Errorf("%s is read as %+v", none, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{queueText, jobText, accountText, "1|COMPLETED|||||x", "1|RUNNING+|0:0||||y|", "JobId=1 JobState=CANCELLED+ ExitCode=0:0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range ParseQueue(text) {
			if !isID(r.ID) || r.State == "" || strings.Contains(r.Name, "\n") {
				t.Errorf("%+v", r)
			}
		}
		records := ParseAccounts(text)
		if r, ok := ParseJob(text); ok {
			records = append(records, r)
		}
		for _, r := range records {
			if !isID(r.ID) || r.Exit < 0 || r.Signal < 0 || r.Restarts < -1 || !r.End.IsZero() && !r.State.ended() {
				t.Errorf("%+v", r)
			}
			if states[r.State] >= byItself && r.loss().Outcome == "" {
				t.Errorf("%s is no loss", r.State)
			}
		}
		ParseCluster(text)
	})
}
