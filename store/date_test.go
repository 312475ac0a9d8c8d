package store

import (
	"slices"
	"testing"
)

func TestFindDate(t *testing.T) {
	for _, test := range []struct{ pattern, name, want string }{
		{"", "shards/2026-11-22.txt", "2026-11-22"},
		{"", "sales_20261122_0001.parquet", "2026-11-22"},
		{"", "date=2026-11-22/part-00000.parquet", "2026-11-22"},
		{"", "2026-11-01_2026-11-30.csv", "2026-11-30"},
		{"", "2026-11-01-2026-11-30", "2026-11-30"},
		{"", "20261122 of 2026-11-21", "2026-11-21"},
		{"", "part-202611225.parquet", ""},
		{"", "2026-13-22", ""},
		{"", "2026-02-29", ""},
		{"", "2024-02-29", "2024-02-29"},
		{"", "20261399-20261122", "2026-11-22"},
		{"", "", ""},
		{"DD.MM.YYYY", "umsatz 22.11.2026.csv", "2026-11-22"},
		{"DD.MM.YYYY", "2026-11-22", ""},
		{"YYYY/MM/DD", "s3://bucket/2026/11/22/a.gz", "2026-11-22"},
		{"year=YYYY/month=MM/day=DD", "x/year=2026/month=11/day=22/p", "2026-11-22"},
	} {
		p, err := ParseDatePattern(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Find(test.name); got != test.want {
			t.Errorf("%q in %q: %q, want %q", test.pattern, test.name, got, test.want)
		}
	}
	for _, wrong := range []string{"YYYY-MM", "YYYY-MM-DD-DD", "date", "yyyy-mm-dd"} {
		if _, err := ParseDatePattern(wrong); !isFault(err, BadDate) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// FuzzFindDate wants dates of the calendar, and an end, whatever the name.
func FuzzFindDate(f *testing.F) {
	f.Add("2026-11-01-2026-11-30")
	f.Add("2026112220261122")
	p, err := ParseDatePattern("")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if date := p.Find(name); date != "" && CheckDate(date) != nil {
			t.Errorf("%q: %q", name, date)
		}
	})
}

func TestParseDays(t *testing.T) {
	for text, want := range map[string]int{"": 0, "1d": 1, "90d": 90, "12w": 84} {
		if days, err := ParseDays(text); err != nil || days != want {
			t.Errorf("%q: %d, %v", text, days, err)
		}
	}
	for _, wrong := range []string{"d", "0d", "-1d", "90", "3m", "1.5d", "99999999999999999999d", "500000w"} {
		if _, err := ParseDays(wrong); !isFault(err, BadDate) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if !inWindow("2026-11-22", "2026-11-22", 1) || inWindow("2026-11-21", "2026-11-22", 1) ||
		!inWindow("2026-11-21", "2026-11-22", 2) || inWindow("2025-12-31", "2026-03-31", 90) {
		t.Error("windows")
	}
}

// TestLess wants the order in which folders are walked.
func TestLess(t *testing.T) {
	names := []string{"a.txt", "a/b", "b", "a/b.txt", "a-b/c", "a/b/c"}
	slices.SortFunc(names, Less)
	if want := []string{"a/b", "a/b/c", "a/b.txt", "a-b/c", "a.txt", "b"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{"./a//b": "a/b", "/x/../y": "/y", "s3://b/k?region=x": "s3://b/k"} {
		if got := NameOf(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
