package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOrders wants an order at a time, whatever their lengths.
func TestOrders(t *testing.T) {
	var got []string
	for document, err := range orders(strings.NewReader("1,bread\n1,butter\n2,nails\n3,jam\n3,honey\n3,bread\n")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join(document.Items, " "))
	}
	if want := []string{"bread butter", "nails", "jam honey bread"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRun groups two kinds of orders.
func TestRun(t *testing.T) {
	var lines strings.Builder
	kinds := [][]string{{"bread", "butter", "jam", "honey"}, {"nails", "hammer", "screws", "saw"}}
	for order := range 200 {
		for j := range 3 {
			fmt.Fprintf(&lines, "%d,%s\n", order, kinds[order%2][(order/2+j)%4])
		}
	}
	if err := run(t.Context(), strings.NewReader(lines.String()), 2); err != nil {
		t.Error(err)
	}
	if err := run(t.Context(), strings.NewReader("1,bread\n2,nails,3\n"), 2); err == nil ||
		!strings.Contains(err.Error(), "line 2") {
		t.Errorf("a bad line: %v", err)
	}
}
