package text

import (
	"strings"
	"testing"

	"anchorage/shard/internal/reading"
)

// TestFindSeparator holds lines with what separates their items.
func TestFindSeparator(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"1 2 3\n4 5\n":                          Blanks,
		"beer\nmilk\n":                          "",
		"milk,rolls\nbeer\n":                    ",",
		"whole milk, rolls\nred wine\nbeer\n":   ",",
		"milk;rolls\nbeer;wine,red\n":           ";",
		"milk | rolls\nbeer\n":                  "|",
		"whole milk\trolls\nbeer\twine\n":       "\t",
		"a b\tc  d\n":                           Blanks, // blanks of all kinds
		"a\t\tb c\nd\te\n":                      "\t",   // an empty field
		"a,1 b,2\nc,1\nd,1 e,5\n":               Blanks, // pairs of an item and something else
		"size|L color|red\nsize|S color|blue\n": Blanks,
		"1 2 3,5\n1 2\n3 4\n5 6\n":              Blanks, // one comma in four lines
		"a,b\nc\nd\ne\nf\n":                     ",",    // no line has blanks
		"\"a, b\",c\n\"d\",e\n":                 ",",
	} {
		if got := findSeparator(NewSample([]byte(text), true, reading.Options{}).lines); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCutItem cuts lists, quoted or not.
func TestCutItem(t *testing.T) {
	for _, test := range []struct{ text, separator, want string }{
		{"", ",", ""},
		{"a", ",", "[a]"},
		{"a,b,,c,", ",", "[a][b][][c]"},
		{" a b , c", ",", "[a b][c]"},
		{" a\tb  c ", Blanks, "[a][b][c][]"},
		{`"a,b",c`, ",", "[a,b][c]"},
		{` "a ""b""" ; c`, ";", `[a "b"][c]`},
		{`"a" b,c`, ",", `["a" b][c]`},
		{`"a,b`, ",", `["a][b]`},
		{`"",x`, ",", "[][x]"},
		{"a::b:c", "::", "[a][b:c]"},
	} {
		var got strings.Builder
		for rest := []byte(test.text); ; {
			item, after, done := cutItem(rest, test.separator)
			if done {
				break
			}
			got.WriteString("[" + string(item) + "]")
			if len(after) >= len(rest) {
				t.Fatalf("%q: nothing is cut from %q", test.text, rest)
			}
			rest = after
		}
		if got.String() != test.want {
			t.Errorf("%q by %q: %s, want %s", test.text, test.separator, got.String(), test.want)
		}
	}
}

// TestIsProse distinguishes sentences from lists.
func TestIsProse(t *testing.T) {
	for text, want := range map[string]bool{
		"The Dirac equation is a wave equation. It was derived by Paul Dirac, in 1928.\n":                                true,
		"# Anchorage\n\nLearns topics. It reads shards of documents, and writes a model:\n\n- fast\n- small.\n":          true,
		"Ist das so? Nein, sagte er, das ist nicht so. Es ist anders.\n":                                                 true,
		"量子力学における方程式である。\n彼は、これを導いた。\n":                                                                                  true,
		"1 2 3 4 5 6 7 8 9 10 11 12\n1 2 3\n":                                                                            false,
		"whole milk, rolls, bottled water, beer, red wine, st. louis ribs, other vegetables, yogurt, newspapers\n":       false,
		"citrus fruit,semi-finished bread,margarine,ready soups\nwhole milk\nyogurt,coffee\n":                            false,
		"quantum field theory particle energy state operator wave function time symmetry group\nmatrix linear algebra\n": false,
		"A short line.\n": false,
		"":                false,
	} {
		if got := NewSample([]byte(text), true, reading.Options{}).IsProse(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
