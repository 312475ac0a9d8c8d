package truth

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/topics"
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

// That no topics are found is a result; any other error is one.
func TestNoteFailure(t *testing.T) {
	var r Record
	if r.noteFailure(nil) || r.noteFailure(errors.New("disk")) || r.Failure != "" {
		t.Errorf("%+v", r)
	}
	if err := fmt.Errorf("fit: %w", &anchor.RankError{}); !r.noteFailure(err) || r.Failure != err.Error() {
		t.Errorf("%+v", r)
	}
}

// Fewer items than topics make records of failures, and the run goes on.
func TestTruthFailures(t *testing.T) {
	opts := smallTruth
	opts.Documents, opts.Seeds, opts.Methods = []int{2, 2000}, 1, []string{"default"}
	records, err := Run(t.Context(), opts)
	if err != nil || len(records) != 2 || records[0].Failure == "" || records[1].Failure != "" {
		t.Fatalf("%+v, %v", records, err)
	}
	text := benchtest.Text(t, writeTruth(t, records), "records.csv")
	benchtest.Says(t, "records.csv", text, "NaN,NaN,NaN,NaN,NaN,NaN,", records[0].Failure)
}

// The same options give the same records for any number of workers.
func TestTruthDeterministic(t *testing.T) {
	opts := smallTruth
	opts.Documents, opts.Seeds = []int{500}, 2
	opts.Methods = []string{"enn-exact", "default"}
	var reported int
	opts.Report = func(Record) { reported++ }
	first, err := Run(t.Context(), opts)
	if err != nil || reported != len(first) {
		t.Fatalf("%d of %d records reported: %v", reported, len(first), err)
	}
	opts.Workers = 1
	second, err := Run(t.Context(), opts)
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("%v\n%+v\n%+v", err, first, second)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if records, err := Run(ctx, opts); !errors.Is(err, context.Canceled) || records != nil {
		t.Errorf("an interrupted run: %v, %v", records, err)
	}
}

func TestTitles(t *testing.T) {
	for i, method := range StageMethods {
		if titleOf(method) != stageTitles[i] || stageNotes[i] == "" {
			t.Errorf("%s is called %q", method, titleOf(method))
		}
	}
	if titleOf("published") != "published" || len(FitMethods()) != len(topics.Variants)+1 {
		t.Errorf("fits %v", FitMethods())
	}
	var b strings.Builder
	writeMethods(&b, []string{"enn-factor", "published", denseMethod})
	benchtest.Says(t, "the list", b.String(), "| enn-factor | accurate eigenpairs, ENN, row sums of the factor", "| published | everything as published", "| ap+aw | C held whole")
}
