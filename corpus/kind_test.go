package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sized returns documents of the given numbers of distinct items, each of which occurs once, or twice if there are many.
// Items are shared by many documents.
func sized(sizes ...int) (documents []Document) {
	for d, size := range sizes {
		var document Document
		for i := range size {
			document.Items = append(document.Items, fmt.Sprint("item", (d%7+i)%(size+3)))
		}
		if size >= basketItems {
			document.Counts = slices.Repeat([]int32{2}, size)
		}
		documents = append(documents, document)
	}
	return documents
}

// repeated returns n times each of the values.
func repeated(n int, values ...int) (all []int) {
	for range n {
		all = append(all, values...)
	}
	return all
}

// TestKind looks at corpora of several sizes of documents, with the limits that follow from them.
func TestKind(t *testing.T) {
	open := Options{Pruning: Pruning{MinDF: 0, MaxDFRatio: 1}}
	fixed := Options{MinItems: 1, MinTokens: 2, Pruning: Pruning{MinDF: 3, MaxDFRatio: 1}}
	tokens := open
	tokens.MinTokens = 2
	told := open
	told.Kind = Texts
	once := Options{NoPrune: true, Passes: 1}
	for name, test := range map[string]struct {
		sizes             []int
		options           Options
		kind              Kind
		df                int64
		items, tokens     int
		documentsExpected int64
	}{
		"texts":                 {repeated(10, 60, 60, 60, 8, 2), open, Texts, 5, 3, 5, 40},
		"baskets that are long": {repeated(10, 10, 20, 30, 5), open, Baskets, 2, 3, 5, 40},
		"empty documents":       {repeated(10, 10, 0, 0), open, Baskets, 2, 3, 5, 10},
		"one in five is a text": {repeated(10, 60, 10, 10, 10, 10), open, Texts, 5, 3, 5, 50},
		"one in ten is a text": {append(repeated(10, 10, 10, 10, 10, 10, 10, 10, 10, 10), repeated(10, 60)...), open,
			Baskets, 2, 3, 5, 100},
		"two thirds have five":     {repeated(10, 5, 6, 2), open, Baskets, 2, 3, 5, 20},
		"fewer have five":          {repeated(10, 6, 4, 2), open, Baskets, 2, 3, 4, 20},
		"fewer have four":          {repeated(10, 6, 3, 2), open, Baskets, 2, 3, 3, 20},
		"most have two":            {repeated(10, 6, 2, 2), open, Baskets, 2, 2, 2, 30},
		"single items do not help": {repeated(10, 6, 6, 1, 1), open, Baskets, 2, 3, 5, 20},
		"given":                    {repeated(10, 6, 2, 2), fixed, Baskets, 3, 1, 2, 30},
		"partly given":             {repeated(10, 6, 2, 2), tokens, Baskets, 2, 2, 2, 30},
		"told":                     {repeated(10, 6, 2, 2), told, Texts, 5, 3, 5, 10},
		"a single pass":            {repeated(10, 6, 2, 2), once, Baskets, 0, 3, 5, 10},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := FromDocuments(t.Context(), sized(test.sizes...), test.options)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Pass(t.Context(), func(*Documents) error { return nil }); err != nil {
				t.Fatal(err)
			}
			a := c.Account
			if a.Kind != test.kind || a.MinDF != test.df || a.MinItems != test.items || a.MinTokens != test.tokens ||
				a.Documents != test.documentsExpected {
				t.Errorf("%s: df %d, items %d, tokens %d, %d documents", a.Kind, a.MinDF, a.MinItems, a.MinTokens, a.Documents)
			}
		})
	}
}

// TestKindOfLong looks at documents that are too long for baskets: texts, and histories of users.
func TestKindOfLong(t *testing.T) {
	letters := func(i int) string { return fmt.Sprintf("%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676) }
	for name, test := range map[string]struct {
		item  func(i int) string
		count int32
		want  Kind
	}{
		"words, with stop words":   {letters, 1, Texts},
		"words, repeated":          {func(i int) string { return "x" + letters(i) }, 2, Texts},
		"words, repeated often":    {func(i int) string { return "x" + letters(i) }, 9, Texts},
		"words, not repeated":      {func(i int) string { return "x" + letters(i) }, 1, Baskets},
		"films":                    {func(i int) string { return fmt.Sprintf("Film of %s (%d)", letters(i), 1950+i) }, 1, Baskets},
		"films, with marks":        {func(i int) string { return fmt.Sprintf("Film of %s (%d)", letters(i), 1950+i) }, 2, Baskets},
		"products":                 {func(i int) string { return "RED " + letters(i) }, 2, Baskets},
		"numbers, not repeated":    {func(i int) string { return fmt.Sprint(i) }, 1, Baskets},
		"numbers, repeated":        {func(i int) string { return fmt.Sprint(i) }, 2, Texts},
		"numbers, repeated often":  {func(i int) string { return fmt.Sprint(i) }, 9, Baskets},
		"names of another writing": {func(i int) string { return "фильм " + letters(i) }, 2, Baskets},
		"words of another writing": {func(i int) string { return "фильм" + letters(i) }, 2, Texts},
	} {
		var documents []Document
		for d := range 20 {
			var document Document
			for i := range 60 {
				document.Items, document.Counts = append(document.Items, test.item(d%3+i)), append(document.Counts, test.count)
			}
			documents = append(documents, document)
		}
		stops := map[string]bool{}
		for i := range 30 {
			stops[letters(i)] = true
		}
		c, err := FromDocuments(t.Context(), documents, Options{StopWord: func(id string) bool { return stops[id] },
			Pruning: Pruning{MaxDFRatio: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if c.Account.Kind != test.want || c.Account.KindBecause == "" {
			t.Errorf("%s are %s, because %s", name, c.Account.Kind, c.Account.KindBecause)
		}
		c.Close()
	}
}

// TestMaxDFRatioByKind has items in a fifth, three tenths, half and three fifths of the documents, beside many rare
// ones.
func TestMaxDFRatioByKind(t *testing.T) {
	var documents []Document
	for d := range 1000 {
		document := Document{Items: []string{fmt.Sprint("rare ", d/2), fmt.Sprint("rare too ", d/2)}}
		for _, df := range []int{200, 300, 500, 600} {
			if d < df {
				document.Items = append(document.Items, fmt.Sprint("in ", df/20))
			}
		}
		documents = append(documents, document)
	}
	for name, test := range map[string]struct {
		documents   []Document
		kind        Kind
		given, want float64
		frequent    []string // those that are kept
	}{
		"texts":          {documents, Texts, 0, 0.2, []string{"in 10"}},
		"baskets":        {documents, Baskets, 0, 1, []string{"in 10", "in 15", "in 25", "in 30"}},
		"texts, given":   {documents, Texts, 0.3, 0.3, []string{"in 10", "in 15"}},
		"baskets, given": {documents, Baskets, 0.2, 0.2, []string{"in 10"}},
		"few texts":      {documents[:999], Texts, 0, 0.5, []string{"in 10", "in 15"}}, // 500 are more than half
		"no limit":       {documents, Texts, 1, 1, []string{"in 10", "in 15", "in 25", "in 30"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := FromDocuments(t.Context(), test.documents, Options{Kind: test.kind, Pruning: Pruning{MinDF: 2,
				MaxDFRatio: test.given}, MinItems: 1, MinTokens: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var frequent []string
			for i := range c.Vocabulary.Len() {
				if id := c.Vocabulary.ID(i); strings.HasPrefix(id, "in ") {
					frequent = append(frequent, id)
				}
			}
			slices.Sort(frequent)
			if !slices.Equal(frequent, test.frequent) || c.Account.MaxDFRatio != test.want {
				t.Errorf("%v kept with a ratio of %v, want %v with %v", frequent, c.Account.MaxDFRatio, test.frequent, test.want)
			}
		})
	}
}

// TestSingles wants an error for documents of single items, unless they are allowed, are fewer, or the items are fixed.
func TestSingles(t *testing.T) {
	most := sized(repeated(10, 1, 1, 1, 4, 5, 0)...)
	refusing := Everything()
	refusing.AllowSingles = false
	for name, test := range map[string]struct {
		documents []Document
		options   Options
		refused   bool
	}{
		"copied":    {most, refusing, true},
		"once":      {most, Options{NoPrune: true, Passes: 1, MinItems: 1, MinTokens: 1}, true},
		"too few":   {sized(1, 1, 1, 2, 2, 2), refusing, false},
		"allowed":   {most, Everything(), false},
		"half":      {sized(repeated(10, 1, 2)...), refusing, false},
		"counted":   {sized(repeated(10, 1)...), refusing, true},
		"the items": {most, Options{Vocabulary: vocabularyOf("item1", "item2"), MinItems: 1, MinTokens: 1}, false},
	} {
		c, err := FromDocuments(t.Context(), test.documents, test.options)
		if err == nil {
			err = c.Pass(t.Context(), func(*Documents) error { return nil })
			c.Close()
		}
		var data *DataError
		if refused := errors.As(err, &data) && data.Lack == SingleItems; refused != test.refused || !refused && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func vocabularyOf(ids ...string) *Vocabulary {
	v := NewVocabulary()
	for _, id := range ids {
		v.Intern([]byte(id))
	}
	return v
}
