package main

import (
	"bytes"
	"strings"
	"testing"

	"anchorage/internal/safetext"
	"anchorage/model/drift"
)

// TestPrintDrift wants groups first, each with its whole before its parts, ids beside numbers where they differ, and no
// line wider than the terminal.
func TestPrintDrift(t *testing.T) {
	moved := func(names ...string) (list []drift.Item) {
		for _, name := range names {
			list = append(list, drift.Item{Item: name})
		}
		return list
	}
	d := &drift.Drift{Summary: drift.Summary{TopicsThen: 3, TopicsNow: 3, Kept: 1, Died: 1, Split: 1, MeanDistance: 0.125,
		LargestDistance: 0.2,
		Threshold:       0.4, ItemsCommon: 10, ItemsNew: 2, ItemsGone: 1},
		Topics: []drift.Topic{
			{Kind: drift.Kept, Then: 0, Now: 2, ThenID: 0, NowID: 0, Whole: -1, Distance: 0.05, ShareThen: 0.5, ShareNow: 0.4,
				Prominent: []string{"red", "green"}, Risen: moved("green"), Fallen: moved("\x1b[31mred", "red")},
			{Kind: drift.Died, Then: 1, Now: -1, ThenID: 1, NowID: -1, Whole: -1, Distance: 0.6, ShareThen: 0.2,
				Prominent: []string{"gone"},
				Fallen:    moved("gone")},
			{Kind: drift.Split, Then: 2, Now: 0, ThenID: 2, NowID: 2, Whole: 2, Distance: 0.2, ShareThen: 0.3, ShareNow: 0.35,
				Prominent: []string{strings.Repeat("語", 40)}},
			{Kind: drift.Split, Then: -1, Now: 1, ThenID: -1, NowID: 14, Whole: 2, Distance: 0.45, ShareNow: 0.25,
				Prominent: []string{"part"}},
		}}
	for _, test := range []struct {
		width int
		want  string
	}{
		{103, "" +
			"then  now  kind        distance   share         topic              risen              fallen\n" +
			"   2    2  split           0.20  30.0% → 35.0%  語語語語…語語語語\n" +
			"   -   14  split of 2      0.45        → 25.0%  part\n" +
			"   1    -  died            0.60  20.0% →        gone\n" +
			"   0    0  kept            0.05  50.0% → 40.0%  red · green        green              \\x1b[31mred · red\n"},
		{80, "" +
			"then  now  kind        distance   share         topic\n" +
			"   2    2  split           0.20  30.0% → 35.0%  語語語語語…語語語語語\n" +
			"   -   14  split of 2      0.45        → 25.0%  part\n" +
			"   1    -  died            0.60  20.0% →        gone\n" +
			"   0    0  kept            0.05  50.0% → 40.0%  red · green\n"},
	} {
		var out bytes.Buffer
		printDrift(&out, d, test.width)
		head, table, _ := strings.Cut(out.String(), "\n\n")
		if want := "1 of 3 topics kept, 1 died, 1 split; mean distance 0.12.\n3 topics then, 3 now; 10 items in both " +
			"models, 2 new, 1 gone.\n"; !strings.HasPrefix(head, want) {
			t.Errorf("the head is\n%s", head)
		}
		if table != test.want {
			t.Errorf("width %d: got\n%swant\n%s", test.width, table, test.want)
		}
		for line := range strings.Lines(table) {
			if n := safetext.Width(strings.TrimSuffix(line, "\n")); n > test.width {
				t.Errorf("width %d: a line takes %d", test.width, n)
			}
		}
	}
}
