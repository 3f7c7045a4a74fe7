package junit

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// skeleton is what a document says, without where its texts are cut.
func skeleton(r io.Reader) (string, error) {
	var b strings.Builder
	d := xml.NewDecoder(r)
	d.CharsetReader = charset
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		switch t := token.(type) {
		case xml.StartElement:
			b.WriteString("<" + t.Name.Space + " " + t.Name.Local)
			for _, a := range t.Attr {
				b.WriteString(" " + a.Name.Local + "=" + a.Value)
			}
			b.WriteString(">")
		case xml.EndElement:
			b.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			b.Write(t)
		}
	}
}

// FuzzSplit: a document means the same through the splitter, however short the
// pieces are; only attributes lose their ends.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"<?xml version='1.0' encoding='iso-8859-1'?><a b='c&amp;d'>text &lt;\xe4<!-- no -- t --><![CDATA[ ]]]]><x/></a>",
		bom + "<a><![CDATA[<b>]]]]]]]]></a>", "<a>ä€😀&#x10FFFF;&#228;</a>", "<a b=\"'\" c='\"'/>", "<!DOCTYPE a><a/>", "<a></a", "<a>]]></a>",
	} {
		f.Add([]byte(s), uint8(4))
	}
	f.Fuzz(func(t *testing.T, doc []byte, piece uint8) {
		if strings.Contains(string(doc), "?cut?") {
			return
		}
		want, err := skeleton(strings.NewReader(strings.TrimPrefix(string(doc), bom)))
		long := defaults()
		long.text = int(piece)
		got, splitErr := skeleton(&splitter{src: strings.NewReader(string(doc)), limit: long})
		switch {
		case err != nil || errors.Is(splitErr, errDoctype) || errors.Is(splitErr, errUTF16):
			return // what is no XML may be refused for other reasons, or in another place
		case splitErr != nil:
			t.Fatalf("%q is XML, and through the splitter it is not: %v", doc, splitErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-straight +split):\n%s", doc, diff)
		}
	})
}

// FuzzRead: no document makes it panic, and what it hands over adds up.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"<testsuites tests='1'><testsuite name='s' failures='1'><testcase name='a'><failure message='m'/></testcase></testsuite></testsuites>",
		"<testsuite><testcase status='notrun'/><testcase><flakyError/><skipped/></testcase></testsuite>", "<testsuite tests='x'><a><testcase/></a>", "<", "<testsuite/>x<b/>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		cases := 0
		report, err := Read(strings.NewReader(string(doc)), func(f Found) {
			if cases++; f.Outcome == "" {
				t.Fatalf("a case without an outcome: %+v", f)
			}
		})
		if most := strings.Count(string(doc), "testcase"); cases > most || report.Suites > cases {
			t.Fatalf("%d cases in %d suites of a document with %d", cases, report.Suites, most)
		}
		if err == nil && !strings.Contains(string(doc), "testsuite") {
			t.Fatal("a document without a suite is taken")
		}
	})
}

// What is cut is cut between characters, and attributes to their bound.
func TestSplitCutsAttributes(t *testing.T) {
	for value, want := range map[string]string{
		"abcdefghij":       "abcde",
		"äöüäöü":           "äöü",
		"abcd&amp;fghi":    "abcd&",
		"&#x10FFFF;x":      "\U0010FFFF",
		"abcd&nothing;xyz": "",
	} {
		got, err := skeleton(&splitter{src: strings.NewReader("<a b='" + value + "'/>"), limit: limits{text: 4, value: 4, tag: 100}})
		if want == "" {
			if err == nil {
				t.Errorf("%q was taken as %q", value, got)
			}
			continue
		}
		if got != "< a b="+want+"></a>" {
			t.Errorf("%q became %q (%v), want %q", value, got, err, want)
		}
	}
}
