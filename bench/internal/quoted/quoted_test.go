package quoted

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const document = "# Title\n\n[results](../bench/results/title/README.md#x)\n\n## Speed\n\nA fit took 6.4 minutes and " +
	"4.5 GiB, N = 2,000, by `--tolerance 0.25`.\nVersions v1.2.3, not 2026-11-21; −7.548 and 6·10⁻⁵, 86 %.\n" +
	"```\ntook 9.9 s\n```\n\n[more](bench/results/speed)\n\n| what | CPU s | per s |\n|---|---:|---:|\n| a 1.5 | 12 | " +
	"56,700 |\n| peak MiB | 3 | 4 |\n"

// Figures are numbers with a unit, a fraction or a power of ten, outside of code; a table's heads say the units.
func TestSections(t *testing.T) {
	sections := Sections("docs/x.md", document)
	if len(sections) != 3 || sections[2].Heading != "Speed" || !slices.Equal(sections[2].Results,
		[]string{"title/README.md", "speed"}) {
		t.Fatalf("%+v", sections)
	}
	var got []string
	for _, f := range sections[2].Figures {
		got = append(got, fmt.Sprintf("%s (%s) %d", f.Text, f.Unit, f.Line))
	}
	want := "6.4 minutes (minutes) 7, 4.5 GiB (GiB) 7, −7.548 () 8, 6·10⁻⁵ () 8, 86 % (%) 8, 1.5 () 17, 12 (s) 17, 3 " +
		"(MiB) 18, 4 (MiB) 18"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// A figure is found if the results have a number of the same kind that prints like it, and not otherwise.
func TestHas(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# Results\n\n| N | seconds | peak MiB | share |\n|---:|---:|---:|---:|\n| 1000 | 384.5 | 4471 | " +
			"0.857 |\n",
		"runs.csv": "items,seconds,peak_bytes,documents_per_second,npmi\n994005,12.3456,104857600,56672,-0.36661\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Read(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"6.4 minutes": true, "6.5 minutes": false, "384.5 s": true, "384.6 s": false, "4.4 GiB": true, "4.5 GiB": false,
		"4.69 GB": true, "86 %": true, "85 %": false,
		"12.3 s": true, "12.4 s": false, "12 s": false /* two digits, and not in README.md */, "100 MiB": true, "0.367": true,
		"−0.367": true, "0.368": false,
		"0.857 s": false /* no time */, "994.0 s": false,
	} {
		figures := Sections("x.md", text)[0].Figures
		if len(figures) != 1 {
			t.Errorf("%s: %d figures", text, len(figures))
		} else if got := r.Has(figures[0]); got != want {
			t.Errorf("%s: found %v", text, got)
		}
	}
	if rates := Sections("x.md", "| documents per second, 1.0 |\n|---|\n| 56,700.0 |")[0].Figures; len(rates) != 1 ||
		rates[0].Unit != "" {
		t.Errorf("%+v", rates)
	}
}

// The list takes figures by section or document, and knows which of its lines were needed.
func TestAllowed(t *testing.T) {
	a, err := ParseAllowed("# comment\n\nx.md#One\t1.5;2 %\tby hand\nx.md#Two\t*\tsettings\ny.md#*\t*\ta decision\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, heading, figure string
		want                  bool
	}{{"x.md", "One", "2 %", true}, {"x.md", "One", "3 %", false}, {"x.md", "Three", "2 %", false}, {"y.md", "Any", "7 s",
		true}} {
		if got := a.Has(&Section{File: c.file, Heading: c.heading}, Figure{Text: c.figure}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if unused := a.Unused(); !slices.Equal(unused, []int{4}) {
		t.Errorf("unused %v", unused)
	}
	for _, wrong := range []string{"x.md#One\t1.5", "x.md\t1.5\twhy", "x.md#One\t1.5\t "} {
		if _, err := ParseAllowed(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
