package show

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/model"
)

const runsText = `method,size,seconds,note,failure
fit,10,1,,
fit,1000,100,"a|b",
other,10,4,,
other,1000,,,out of time
`

// page returns the text of README.md for a template, with the tables of runsText and stages.
func page(t *testing.T, template string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"runs.csv": runsText, "stages.csv": "run,stage,cpu\n2,read,3\n2,write,5\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := Page{Title: "Title", Template: template, Notes: []Note{{"other", "the first of the notes"}, {"fit", "ours"}}}
	if err := p.Write(folder); err != nil {
		t.Fatal(err)
	}
	for _, chart := range charts(folder) {
		text, err := os.ReadFile(chart)
		if err != nil {
			t.Fatal(err)
		}
		for decoder := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil || bytes.Contains(text, []byte("NaN")) {
				t.Fatalf("%s: %v\n%s", chart, err, text)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(text), "# Title\n\n")
}

// Templates select, compute, group, spread, join and sort rows, and draw them.
func TestPage(t *testing.T) {
	for _, c := range []struct{ template, want string }{
		{`{{(rows "runs").Table "name=method" "per=seconds/size|%.2f" "note"}}`,
			"| name | per | note |\n| --- | ---: | --- |\n| fit | 0.10 |  |\n| fit | 0.10 | a\\|b |\n" +
				"| other | 0.40 |  |\n| other | – |  |\n"},
		{`{{(rows "runs" | where "failure == '' && size > 10").Get "seconds"}}`, "100\n"},
		{`{{((rows "runs").Group "method" "mean=mean(seconds)" "slope=slope(size, seconds)").Table}}`,
			"| method | mean | slope |\n| --- | ---: | ---: |\n| fit | 50.5 | 1 |\n| other | 4 | – |\n"},
		{`{{(((rows "runs").Sort "method").Spread "method" "size" "N = %s" "seconds" "worst=max(seconds)").Table}}`,
			"| method | N = 10 | N = 1000 | worst |\n| --- | ---: | ---: | ---: |\n| other | 4 | – | 4 |\n" +
				"| fit | 1 | 100 | 100 |\n"},
		{`{{(rows "stages").Table "method" "stage" "share=cpu/seconds"}}`,
			"| method | stage | share |\n| --- | --- | ---: |\n| fit | read | 0.03 |\n| fit | write | 0.05 |\n"},
		{`{{about "method" (rows "runs")}}`,
			"| method | what it is |\n| --- | --- |\n| other | the first of the notes |\n| fit | ours |\n"},
		{`{{failures "method + ', N = ' + text(size)"}}`, "## Runs that failed\n\n- other, N = 1000: out of time\n"},
		{`{{(rows "runs").Chart "c.svg" "" "N=size log" "method" "seconds=seconds log" "note=seconds"}}`, "![c](c.svg)\n"},
		{`{{(rows "none").Empty}} {{(rows "runs").Get "spearman(size, size)"}} {{(rows "runs").Get "share(size>9)"}}`,
			"true 1 1\n"},
		{`{{with (rows "runs").Join "method" ((rows "runs").Group "method" "n=count(size)")}}{{.Get "n"}}{{end}}`, "2\n"},
	} {
		if got := page(t, c.template); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.template, got, c.want)
		}
	}
	p := Page{Template: `{{(rows "runs").Table "x=nothing+1"}}`, tables: nil}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "runs.csv"), []byte(runsText), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(folder); err == nil || !strings.Contains(err.Error(), "there is no column nothing") {
		t.Error(err)
	}
}

// Numbers are written as people read them, and exactly for machines.
func TestReadable(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{{0.023941523, "0.02394"}, {-217.017, "−217"}, {123456.7, "123457"}, {1.5e-7, "1.5e−07"}, {math.NaN(),
		"–"}, {math.Inf(-1), "−∞"}, {true, "yes"}, {"x", "x"}, {3e6, "3000000"}} {
		if got := Readable(test.value); got != test.want {
			t.Errorf("%v reads %q, want %q", test.value, got, test.want)
		}
	}
	if got := exact(1.0 / 3); got != "0.3333333333333333" {
		t.Error(got)
	}
}

// A table that is written is the one that is read, and a broken one is refused.
func TestCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	var v View
	v.Add([]string{"a", "b"}, Row{"a": "1", "b": "x,\"y\"\n"})
	v.Add([]string{"a", "c"}, Row{"a": "2", "c": "z"})
	var text bytes.Buffer
	if err := v.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{text.String(): "", "": "unexpected EOF",
		"a,b\n1\n": "wrong number of fields"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		var input *model.InputError
		switch {
		case want != "":
			if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", content, err)
			}
		case err != nil || len(got.Rows) != 2 || got.Rows[0]["b"] != "x,\"y\"\n" || got.Rows[1]["c"] != "z" ||
			strings.Join(got.Columns, "") != "abc":
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// Axes have a few round ticks in their range, whatever the range is.
func TestTicks(t *testing.T) {
	for _, values := range [][]float64{nil, {5}, {0, 1}, {-3, 7}, {0.013, 0.0171}, {1e6, 3e7}, {-1e-9, 1e-9},
		{0.0031, 2900}, {40, 45}} {
		for _, log := range []bool{false, true} {
			s := newScale(values, log)
			ticks := s.ticks()
			if len(ticks) < 2 || len(ticks) > 12 {
				t.Errorf("%v, log %v: %d ticks", values, log, len(ticks))
			}
			for _, tick := range ticks {
				if at := s.place(tick); at < -1e-9 || at > 1+1e-9 {
					t.Errorf("%v, log %v: a tick at %v, outside of the axis", values, log, tick)
				}
			}
		}
	}
}
