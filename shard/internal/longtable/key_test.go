package longtable

import (
	"fmt"
	"slices"
	"testing"
)

// TestOrderedKey checks that keys sort as ids do.
func TestOrderedKey(t *testing.T) {
	sorted := []string{"-9223372036854775", "-10", "-1", "0", "1", "2", "10", "999999999999999999", "", "-0", "01", "1.0",
		"9999999999999999999", "a", "b"}
	var keys []string
	for _, id := range sorted {
		keys = append(keys, string(Key(nil, []byte(id), 0)))
	}
	if !slices.IsSorted(keys) {
		t.Errorf("the keys are not sorted: %q", keys)
	}
	if string(Key(nil, nil, -10)) != keys[1] {
		t.Error("a number and its text have different keys")
	}
}

// TestDocumentSet checks what is found out about documents that come again.
func TestDocumentSet(t *testing.T) {
	var s documentSet
	for i := range 5000 {
		if !s.enter([]byte(fmt.Sprint((i * 7919) % 5000))) {
			t.Fatalf("document %d is taken for another", i)
		}
	}
	for i := range 5000 {
		if s.enter([]byte(fmt.Sprint(i))) {
			t.Fatalf("document %d is not known", i)
		}
	}
}

// FuzzSortedRow reads rows as they come back from a file of sorted rows.
func FuzzSortedRow(f *testing.F) {
	row := Row{Document: []byte("d"), ItemNumber: -7, Count: 3}
	f.Add(Key(nil, row.Document, 0), AppendRow(nil, &row))
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		var row, again Row
		if TakeRow(&row, key, payload) != nil {
			return
		}
		if err := TakeRow(&again, Key(nil, row.Document, row.DocumentNumber), AppendRow(nil, &row)); err != nil {
			t.Fatal(err)
		}
		if string(row.Item) != string(again.Item) || row.ItemNumber != again.ItemNumber || row.Count != again.Count {
			t.Fatalf("%v became %v", row, again)
		}
	})
}
