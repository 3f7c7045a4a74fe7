package junit

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gist is a case as the tables below write it.
func gist(f Found) string {
	s := string(f.Outcome) + " " + f.Class + " " + f.Name
	if f.Reruns > 0 {
		s += " again"
	}
	if f.Whole {
		s += " as a whole"
	}
	return s
}

func gistOf(text string) (cases []string, report Report, err error) {
	report, err = Read(strings.NewReader(text), func(f Found) { cases = append(cases, gist(f)) })
	return cases, report, err
}

func TestReadWhatToolsWrite(t *testing.T) {
	for file, want := range map[string][]string{
		"gotestsum.xml": {"failed m TestA/y", "failed m TestA", "skipped m TestS", "passed m TestA/x"},
		"ctest.xml":     {"passed ok ok", "failed bad bad", "skipped absent absent", "skipped skips skips", "skipped off off"},
		"pytest.xml": {"passed test_s test_pass", "failed test_s test_fail", "skipped test_s test_skip", "skipped test_s test_xfail",
			"failed test_s test_late", "error test_s test_late"},
		"nextest.xml": {"passed kda::adjoint one_chunk", "passed kda::adjoint two_chunks again", "failed kda::adjoint many_chunks again", "skipped kda::adjoint long_one"},
		"surefire.xml": {"passed lanes.QueueTest takesTheNext", "failed lanes.QueueTest keepsItsPlace", "error lanes.QueueTest opensTheFile",
			"skipped lanes.QueueTest laterOn"},
		"googletest.xml": {"passed Ticket Opens", "failed Ticket Fails", "skipped Ticket Skips", "skipped Ticket DISABLED_Waits"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		cases, report, err := gistOf(string(data))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, cases); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		if diff := cmp.Diff(Report{Suites: 1}, report); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		// Cut off anywhere inside, it is an error, and never a shorter report.
		whole := bytes.TrimSpace(data)
		for n := 0; n < len(whole); n += 1 + n/30 {
			if _, _, err := gistOf(string(whole[:n])); err == nil {
				t.Errorf("%s cut off at byte %d is taken for whole", file, n)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct{ text, says string }{
		"nothing":          {"", "it is empty"},
		"blanks":           {" \n\n", "it is empty"},
		"no XML":           {"3 passed", "it is empty"},
		"HTML":             {"<html/>", "it begins with <html>"},
		"a case alone":     {"<testcase name='a'/>", "it begins with <testcase>"},
		"two documents":    {"<testsuite/><testsuite/>", "two files in one"},
		"laughs":           {`<!DOCTYPE a [<!ENTITY b "cc">]><testsuite name="&b;"/>`, "DOCTYPE"},
		"an entity":        {"<testsuite>&nbsp;</testsuite>", "invalid character entity &nbsp;"},
		"an entity within": {"<testsuite name='&b;'/>", "invalid character entity &b;"},
		"a long entity":    {"<testsuite>&" + long + ";</testsuite>", "invalid character entity"},
		"a control":        {"<testsuite>\x01</testsuite>", "illegal character code"},
		"not UTF-8":        {"<testsuite>\xe4</testsuite>", "invalid UTF-8"},
		"UTF-16":           {"\xff\xfe<\x00t\x00", "UTF-16"},
		"UTF-16 unmarked":  {"<\x00t\x00", "UTF-16"},
		"an old encoding":  {`<?xml version="1.0" encoding="koi8-r"?><testsuite/>`, `the encoding "koi8-r"`},
		"deep":             {"<testsuite>" + strings.Repeat("<a>", 100), "nested more than 64 deep"},
		"a long name":      {"<testsuite><" + long + "/></testsuite>", "a tag of more than"},
		"many attributes":  {"<testsuite" + strings.Repeat(" a='b'", 1<<20), "a tag of more than"},
		"a long PI":        {"<testsuite><?" + long + "?></testsuite>", "processing instruction of more than"},
		"crossed":          {"<testsuite><testcase></testsuite></testcase>", "element <testcase> closed by </testsuite>"},
		"open comment":     {"<testsuite><!-- " + long, "unexpected EOF"},
		"open CDATA":       {"<testsuite><![CDATA[ " + long, "unexpected EOF"},
		"open attribute":   {"<testsuite name='" + long, "unexpected EOF"},
	} {
		if _, _, err := gistOf(tt.text); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %.200v, want %q", name, err, tt.says)
		}
	}
}

func TestReadTakes(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"a mark":            {bom + "<testsuite><testcase name='ä'/></testsuite>", []string{"passed  ä"}},
		"latin-1":           {"<?xml version='1.0' encoding='ISO-8859-1'?><testsuite><testcase name='\xe4'/></testsuite>", []string{"passed  ä"}},
		"no suite":          {"<testsuites><testcase classname='a'/></testsuites>", []string{"passed a "}},
		"nested suites":     {"<testsuites tests='2'><testsuite tests='2'><testcase name='a'/><testsuite tests='1'><testcase name='b'/></testsuite></testsuite></testsuites>", []string{"passed  a", "passed  b"}},
		"its own only":      {"<testsuite tests='1'><testcase name='a'/><testsuite tests='1'><testcase name='b'/></testsuite></testsuite>", []string{"passed  a", "passed  b"}},
		"printed":           {"<testsuite><testcase name='a'><system-out><testcase name='b'><failure/></testcase></system-out></testcase></testsuite>", []string{"passed  a"}},
		"a failure beside":  {"<testsuite name='s' tests='1'><failure/><system-out/><testcase name='a'/></testsuite>", []string{"failed  s as a whole", "passed  a"}},
		"an error counted":  {"<testsuites><testsuite name='s' tests='0' errors='1'><error message='set-up'/></testsuite></testsuites>", []string{"error  s as a whole"}},
		"one not counted":   {"<testsuite name='s' tests='0' errors='0'><error/></testsuite>", []string{"error  s as a whole"}},
		"of all suites":     {"<testsuites name='all'><error/><testsuite/></testsuites>", []string{"error  all as a whole"}},
		"a suite's status":  {"<testsuite name='s' status='FAILED'><testcase name='a'/></testsuite>", []string{"passed  a", "failed  s as a whole"}},
		"told by its case":  {"<testsuite name='s' status='failed'><testsuite result='failed'><testcase name='a' status='fail'/></testsuite></testsuite>", []string{"failed  a"}},
		"status fail":       {"<testsuite failures='1'><testcase name='a' status='fail'/></testsuite>", []string{"failed  a"}},
		"status and mark":   {"<testsuite failures='1'><testcase name='a' status='Failed'><failure/></testcase></testsuite>", []string{"failed  a"}},
		"result error":      {"<testsuite errors='1'><testcase name='a' status='run' result='error'/></testsuite>", []string{"error  a"}},
		"status beats skip": {"<testsuite><testcase name='a' status='failed'><skipped/></testcase></testsuite>", []string{"failed  a"}},
		"status pending":    {"<testsuite><testcase name='a' status='pending'/></testsuite>", []string{"skipped  a"}},
		"not executed":      {"<testsuite><testcase name='a' executed='False' status='run'/></testsuite>", []string{"skipped  a"}},
		"executed, failed":  {"<testsuite failures='1'><testcase name='a' executed='false' result='Failure'/></testsuite>", []string{"failed  a"}},
		"executed":          {"<testsuite><testcase name='a' executed='true'/></testsuite>", []string{"passed  a"}},
		"status run":        {"<testsuite><testcase name='a' status='run' result='completed'/></testsuite>", []string{"passed  a"}},
		"skipped and bad":   {"<testsuite><testcase name='a'><skipped/><error/><failure/></testcase></testsuite>", []string{"failed  a"}},
		"a namespace":       {"<j:testsuite xmlns:j='urn:j'><j:testcase name='a' j:name='b'/></j:testsuite>", []string{"passed  a"}},
		"a comment":         {"<testsuite><!-- <testcase/> -- > --><testcase name='a'/></testsuite><!-- x -->", []string{"passed  a"}},
	} {
		cases, report, err := gistOf(tt.text)
		if err != nil || len(report.Disagrees) > 0 {
			t.Errorf("%s: %v, %q", name, err, report.Disagrees)
		}
		if diff := cmp.Diff(tt.want, cases); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadHoldsSumsAgainstCases(t *testing.T) {
	one := "<testcase name='a'/>"
	bad := "<testcase name='b'><failure/><failure/></testcase>"
	for text, want := range map[string]string{
		"<testsuite name='s' tests='2'>" + one + "</testsuite>":                          `suite "s" says tests=2 and holds 1`,
		"<testsuite tests='5'/>":                                                         "says tests=5 and holds 0",
		"<testsuites tests='2'><testsuite>" + one + "</testsuite></testsuites>":          "says tests=2 and holds 1",
		"<testsuite failures='0'>" + bad + "</testsuite>":                                "says that 0 failed or had errors and holds 1",
		"<testsuite errors='0'>" + bad + "</testsuite>":                                  "says that 0 failed",
		"<testsuite failures='1' errors='1'>" + bad + "</testsuite>":                     "", // by elements
		"<testsuite failures='1'>" + bad + "</testsuite>":                                "", // by cases
		"<testsuite skipped='1'>" + one + "</testsuite>":                                 "says skipped=1 and holds 0",
		"<testsuite tests='-1'>" + one + "</testsuite>":                                  `tests="-1", which is no number`,
		"<testsuite tests='many'/>":                                                      "no number of tests",
		"<testsuite tests=''>" + one + "</testsuite>":                                    "",
		"<testsuite tests='1' disabled='7'>" + one + "</testsuite>":                      "",
		"<testsuite tests='99999999999999999999'>" + one + "</testsuite>":                "no number of tests",
		"<testsuite>" + strings.Repeat("<testsuite tests='1'/>", 50) + "</testsuite>":    "says tests=1",
		"<testsuite name='" + strings.Repeat("n", 1<<20) + "' tests='1'/>":               "says tests=1",
		"<testsuites><testsuite tests='1'>" + one + "</testsuite><x/>" + "</testsuites>": "",
	} {
		_, report, err := gistOf(text)
		joined := strings.Join(report.Disagrees, "\n")
		if err != nil || (want == "") != (joined == "") || !strings.Contains(joined, want) {
			t.Errorf("%.80s: %v, %q, want %q", text, err, joined, want)
		}
		if len(joined) > 1000 || len(report.Disagrees) > maxDisagrees {
			t.Errorf("%.80s: %d sentences of %d bytes", text, len(report.Disagrees), len(joined))
		}
	}
}

// endless gives a document with n bytes of what pieces repeat in the middle.
func endless(head, piece, tail string, n int) io.Reader {
	body := strings.Repeat(piece, 1<<16/len(piece))
	readers := []io.Reader{strings.NewReader(head)}
	for ; n > 0; n -= len(body) {
		readers = append(readers, strings.NewReader(body))
	}
	return io.MultiReader(append(readers, strings.NewReader(tail))...)
}

// Whatever is long in a file costs no memory.
func TestReadIsBounded(t *testing.T) {
	const size = 4 << 20
	for name, r := range map[string]func() io.Reader{
		"cases": func() io.Reader { return endless("<testsuite>", "<testcase name='a'/>", "</testsuite>", size) },
		"text": func() io.Reader {
			return endless("<testsuite><testcase>", "ä &lt;\n", "</testcase></testsuite>", size)
		},
		"CDATA": func() io.Reader {
			return endless("<testsuite><testcase><![CDATA[", "]]&x>", "]]></testcase></testsuite>", size)
		},
		"message": func() io.Reader {
			return endless("<testsuite><testcase><failure message='", "€&amp;", "'/></testcase></testsuite>", size)
		},
		"comment": func() io.Reader { return endless("<testsuite><!--", "- -", "--></testsuite>", size) },
		"props": func() io.Reader {
			return endless("<testsuite><properties>", "<property name='a' value='b'/>", "</properties></testsuite>", size)
		},
	} {
		most := uint64(0)
		watched := readerFunc(func(p []byte, src io.Reader) (int, error) { most = max(most, heap()); return src.Read(p) })
		base := heap()
		if _, err := Read(watched.of(r()), func(Found) {}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if most > base+2<<20 {
			t.Errorf("%s of %d MiB took %d MiB, want at most 2", name, size>>20, (most-base)>>20)
		}
	}
}
