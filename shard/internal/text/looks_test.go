package text

import (
	"slices"
	"strings"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/internal/reading"
)

// looks are the functions that look at the beginning of a text.
var looks = map[string]func(*Sample) string{"mtx": LooksLikeMatrixMarket, "docword": LooksLikeDocword,
	"json": LooksLikeJSON, "csv": LooksLikeTable,
	"ldac": LooksLikeLDAC, "libsvm": LooksLikeLibSVM, "words": LooksLikeWords}

// TestLooks holds beginnings of texts with all the formats that they speak for.
func TestLooks(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"\n\n \n":               "",
		"a b c\n":               "",
		"%%MatrixMarket":        "mtx",
		"%%matrixMARKET x\n":    "mtx",
		"%MatrixMarket\n":       "",
		"1\n2\n3\n1 2 3\n":      "docword",
		"1\n2\n0\n":             "docword",
		"1\n2\n3\n":             "",
		"1\n2\n3\n2 2 3\n":      "",
		"1\n2\n3\n1 3 3\n":      "",
		"\xef\xbb\xbf1\n2\n0":   "docword",
		"{}":                    "json",
		" {\"a\": 1":            "json",
		"{a}":                   "",
		"{1}":                   "",
		"{":                     "",
		"[1]":                   "",
		"order,sku\n":           "csv",
		"\"order\";\"sku\";qty": "csv",
		"order,price\n":         "",
		"order sku\n":           "",
		"|\n":                   "",
		"a,b\n1,\"c\nd\"\n":     "csv",
		"a,b\n1,\"c\n2,d\"\n":   "",
		"a,b\n1,\"c\n\"d\n\"\n": "",
		"\"a\nb\";c\n1;2\n":     "csv",
		"a|b|c\n":               "",
		"2 0:1 1:1\n":           "ldac libsvm",
		"3 0:1 1:1\n":           "libsvm",
		"0\n":                   "",
		"0\n1 5:1\n":            "ldac libsvm",
		"+1 1:0.5 # x\n":        "libsvm",
		"1,2 1:1\n":             "libsvm",
		"1 qid:1 1:1\n":         "libsvm",
		"1 a:1\n":               "",
		"1 1:a\n":               "",
		"x 1:1\n":               "",
		"1 1\n":                 "",
	} {
		var got []string
		for name, look := range looks {
			if look(NewSample([]byte(text), true, reading.Options{})) != "" {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q speaks for %q, want %q", text, got, want)
		}
	}
	if LooksLikeWords(NewSample([]byte("any text"), true, reading.Options{Tokenize: true})) == "" {
		t.Error("text to be cut into words is not taken for words")
	}
}

// TestSample looks at complete lines only: what is cut off must not speak.
func TestSample(t *testing.T) {
	head := []byte("\xef\xbb\xbf1 0:1\n\n1 1:2\r\nno index yet")
	cut, whole := NewSample(head, false, reading.Options{}), NewSample(head, true, reading.Options{})
	if len(cut.lines) != 2 || string(cut.lines[1]) != "1 1:2" || LooksLikeLDAC(cut) == "" {
		t.Errorf("cut: %q", cut.lines)
	}
	if len(whole.lines) != 3 || LooksLikeLDAC(whole) != "" {
		t.Errorf("whole: %q", whole.lines)
	}
	if many := NewSample([]byte(strings.Repeat("x\n", 1000)), true, reading.Options{}); len(many.lines) != 100 {
		t.Errorf("%d lines are looked at", len(many.lines))
	}
	long := []byte("a,b\n1,\"" + strings.Repeat("some words\n", 100))
	if LooksLikeTable(NewSample(long, false, reading.Options{})) == "" {
		t.Error("a record that is cut off within quotes is no record")
	}
	if none := NewSample([]byte("no end"), false, reading.Options{}); len(none.lines) != 0 {
		t.Errorf("an unfinished line is looked at: %q", none.lines)
	}
}

// TestDescribe says how CSV and JSON lines would be read.
func TestDescribe(t *testing.T) {
	for name, test := range map[string]struct {
		csv     bool
		text    string
		columns string
		want    documents.Mapping
		problem string
	}{
		"csv, plain": {true, "\xef\xbb\xbforder , sku,qty\n1,2,3", "order sku qty",
			documents.Mapping{Long: true, Documents: "order", Items: "sku", Counts: "qty", Separator: ","}, ""},
		"csv, no counts": {true, "order;sku\n", "order sku", documents.Mapping{Long: true, Documents: "order", Items: "sku",
			Separator: ";"}, ""},
		"csv, unclear": {true, "order,sku,item\n", "order sku item", documents.Mapping{},
			`row 1: the items may be in "sku", "item"`},
		"csv, first record longer than the sample": {true,
			"id,text\r\n1,\"" + strings.Repeat("some words, of it\r\n", SampleBytes) + "\"\r\n", "id text",
			documents.Mapping{Documents: "id", Texts: "text", Separator: ","}, ""},
		"csv, nothing": {true, "", "", documents.Mapping{}, "the file is empty"},
		"json": {false, "\n {\"id\":1,\"items\":[\"a\"],\"counts\":[2]}\n", "id items counts",
			documents.Mapping{Documents: "id", Items: "items", Counts: "counts"}, ""},
		"json, object": {false, `{"bag":{"a":1}}`, "bag", documents.Mapping{Items: "bag.key", Counts: "bag.value"}, ""},
		"json, none":   {false, "\n\n", "", documents.Mapping{}, ""},
		"json, broken": {false, "{\"items\":[1}", "", documents.Mapping{}, "row 1: the line is not valid JSON"},
		"json, long": {false, `{"items":["` + strings.Repeat("x", SampleBytes) + `"]}`, "items",
			documents.Mapping{Items: "items"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			describe := DescribeJSONL
			if test.csv {
				describe = DescribeCSV
			}
			d, m, err := describe(t.Context(), shard(t, "x", test.text, reading.Options{}))
			var columns []string
			for _, c := range d.Columns {
				columns = append(columns, c.Name)
			}
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("got %v, want %q", err, test.problem)
				}
				return
			}
			if err != nil || strings.Join(columns, " ") != test.columns || m != test.want || d.Rows != -1 {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}
