package truth

import (
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
)

// Whole fits recover what the stages on their own do, those with item weights with somewhat more noise.
func TestTruthFits(t *testing.T) {
	opts := smallTruth
	opts.Documents, opts.Seeds, opts.Methods = []int{32_000}, 1, []string{denseMethod, "published", "no-polish", "enn-exact"}
	records, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(methodsOf(records), " "); got != "enn-exact ap+aw published no-polish" {
		t.Fatalf("methods %s", got)
	}
	for _, r := range records[1:] {
		if r.Failure != "" || r.Recovery.Anchors < 1-1e-9 || r.Recovery.ErrorB > 3*records[0].Recovery.ErrorB || r.Passes < 1 || r.Iterations < 1 {
			t.Errorf("%+v, and by the stages %v", r, records[0].Recovery.ErrorB)
		}
	}
	readme := benchtest.Text(t, writeTruth(t, records), "README.md")
	for _, want := range []string{"| ap+aw | C held whole", "| published | everything as published", "| no-polish | 32000 | 1 |"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q:\n%s", want, readme)
		}
	}
	opts.Methods = []string{"guess"}
	if err := opts.Check(); err == nil || !strings.Contains(err.Error(), `"guess": there are enn-exact,`) {
		t.Errorf("%v", err)
	}
}

// Items that occur in no document count as not learned.
func TestTruthFitsUnseenItems(t *testing.T) {
	opts := smallTruth
	opts.Model.Items = 3000
	opts.Documents, opts.Seeds, opts.Methods = []int{300}, 1, []string{"default"}
	records, err := Run(t.Context(), opts)
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	if b := records[0].Recovery.ErrorB; records[0].Failure != "" || !(b > 0 && b < 2) {
		t.Errorf("%+v", records[0])
	}
}
