package drift

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/polls"
)

// drawnTopics returns k topics over items named from the given number on: each has a third of its mass in items that
// all topics share, and the rest in separate items, which fall off like Zipf's law.
func drawnTopics(k, first, items int, seed uint64) (names []string, b [][]float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	b = make([][]float64, k)
	for topic := range b {
		b[topic] = make([]float64, items)
		for i := range items {
			b[topic][i] = 0.5 / float64(1+i)
			if i%k == topic {
				b[topic][i] += rng.Float64() * 10 / float64(1+i/k)
			}
		}
		normalize(b[topic])
	}
	for i := range items {
		names = append(names, fmt.Sprintf("item-%d", first+i))
	}
	return names, b
}

// modelOfTopics returns given topics, a slice of N probabilities each, with shares.
func modelOfTopics(names []string, b [][]float64, shares []float64) *Topics {
	m := &Topics{Vocabulary: corpus.NewVocabulary(), Shares: shares, Names: make([]string, len(b)),
		Prominent: make([][]string, len(b))}
	for _, name := range names {
		m.Vocabulary.Intern([]byte(name))
	}
	m.Row = func(dst []float64, i int) {
		for k := range dst {
			dst[k] = b[k][i]
		}
	}
	for k := range b {
		m.IDs = append(m.IDs, k)
		if most := slices.Index(b[k], slices.Max(b[k])); most >= 0 { // not of an empty topic
			m.Prominent[k] = []string{names[most]}
		}
	}
	return m
}

// normalize divides values by their sum.
func normalize(values []float64) {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	for i := range values {
		values[i] /= sum
	}
}

// even returns k equal shares.
func even(k int) []float64 { return slices.Repeat([]float64{1 / float64(k)}, k) }

// mixed returns Σ w_k·b_k.
func mixed(weights []float64, b ...[]float64) []float64 {
	sum := make([]float64, len(b[0]))
	for k, w := range weights {
		for i, v := range b[k] {
			sum[i] += w * v
		}
	}
	return sum
}

// compared compares two models, and checks what holds of every drift.
func compared(t *testing.T, then, now *Topics) *Drift {
	t.Helper()
	d, err := Compare(t.Context(), then, now, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.Summary
	if s.Kept+s.Died+s.Split+s.Merged != then.K() || s.TopicsThen != then.K() || s.TopicsNow != now.K() {
		t.Errorf("the summary does not add up: %+v", s)
	}
	var seenThen, seenNow []int
	for _, topic := range d.Topics {
		for _, v := range []float64{topic.Distance, topic.UnionDistance, topic.ShareThen, topic.ShareNow, topic.OutsideThen,
			topic.OutsideNow} {
			if !(v >= 0 && v <= 1+1e-9) {
				t.Errorf("a figure is %v in %+v", v, topic)
			}
		}
		if topic.Then >= 0 {
			seenThen = append(seenThen, topic.Then)
		}
		if topic.Now >= 0 {
			seenNow = append(seenNow, topic.Now)
		}
	}
	slices.Sort(seenNow)
	for k, list := range map[int][]int{then.K(): seenThen, now.K(): seenNow} {
		if len(list) != k {
			t.Errorf("of %d topics there are %v", k, list)
		}
		for i, topic := range list {
			if topic != i {
				t.Errorf("of %d topics there are %v", k, list)
			}
		}
	}
	return d
}

// kinds describes the topics of a drift.
func kinds(d *Drift) string {
	var text []string
	for _, t := range d.Topics {
		line := fmt.Sprintf("%s %d:%d", t.Kind, t.Then, t.Now)
		if t.Whole >= 0 {
			line += fmt.Sprintf(" of %d", t.Whole)
		}
		text = append(text, line)
	}
	return strings.Join(text, ", ")
}

func TestCompareWithItself(t *testing.T) {
	names, b := drawnTopics(7, 0, 3000, 1)
	b[4] = slices.Repeat([]float64{math.NaN()}, 3000) // as a fit has a topic without items
	shares := even(7)
	shares[4] = 0
	m := modelOfTopics(names, b, shares)
	d := compared(t, m, m)
	if d.Summary.Kept != 7 || d.Summary.LargestDistance != 0 || d.Summary.String() != "7 of 7 topics kept; mean "+
		"distance 0.00" {
		t.Errorf("%+v", d.Summary)
	}
	for _, topic := range d.Topics {
		if topic.Then != topic.Now || len(topic.Risen)+len(topic.Fallen) > 0 || topic.OutsideThen != 0 {
			t.Errorf("%+v", topic)
		}
	}
}

// Topics in another order and items in another order, some of them new and some gone, are found again.
func TestCompareFindsTopicsAgain(t *testing.T) {
	names, b := drawnTopics(6, 0, 2500, 2)
	order := []int{3, 0, 5, 1, 4, 2}
	items := rand.New(rand.NewPCG(3, 4)).Perm(2500)
	var nowNames []string
	nowB := make([][]float64, 6)
	for _, i := range items {
		if i%10 == 7 && i > 50 { // gone
			continue
		}
		nowNames = append(nowNames, names[i])
		for k := range nowB {
			nowB[k] = append(nowB[k], b[order[k]][i])
		}
	}
	for extra := range 30 { // new
		nowNames = append(nowNames, fmt.Sprintf("new-%d", extra))
		for k := range nowB {
			nowB[k] = append(nowB[k], 0.0001)
		}
	}
	nowB[2][len(nowNames)-1] = 0.1
	for k := range nowB {
		normalize(nowB[k])
	}
	d := compared(t, modelOfTopics(names, b, even(6)), modelOfTopics(nowNames, nowB, even(6)))
	if d.Summary.Kept != 6 || d.Summary.ItemsNew != 30 || d.Summary.ItemsGone != 2500+30-len(nowNames) ||
		d.Summary.ItemsCommon != len(nowNames)-30 {
		t.Errorf("%+v", d.Summary)
	}
	for _, topic := range d.Topics {
		if topic.Now != slices.Index(order, topic.Then) || topic.Distance > 1e-7 {
			t.Errorf("topic %d is %d at distance %v, with order %v", topic.Then, topic.Now, topic.Distance, order)
		}
		outside := 0.0
		for i, name := range nowNames {
			if strings.HasPrefix(name, "new") {
				outside += nowB[topic.Now][i]
			}
		}
		if math.Abs(topic.OutsideNow-outside) > 1e-12 || topic.OutsideThen <= 0 {
			t.Errorf("topic %d has %v in new items, want %v, and %v in old ones", topic.Now, topic.OutsideNow, outside,
				topic.OutsideThen)
		}
		if first := topic.Risen[0]; topic.Now == 2 && (first.Item != "new-29" || first.Then != 0 ||
			math.Abs(first.Now-0.1) > 0.01) {
			t.Errorf("most risen is %+v", first)
		}
	}
}

// Distances are those of the definition, computed naively.
func TestCompareDistancesAgainstNaive(t *testing.T) {
	for _, n := range []int{1, 2, 1023, 1025, 4097} {
		names, b := drawnTopics(3, 0, n, 5)
		_, c := drawnTopics(4, 0, n, 6)
		then, now := modelOfTopics(names, b, even(3)), modelOfTopics(names, c, even(4))
		got, err := newComparison(context.Background(), then, now, Options{Threshold: 1})
		if err != nil {
			t.Fatal(err)
		}
		var unions []union
		for a := range 3 {
			for e := range 4 {
				want := 0.0
				for i := range n {
					want += (math.Sqrt(b[a][i]) - math.Sqrt(c[e][i])) * (math.Sqrt(b[a][i]) - math.Sqrt(c[e][i])) / 2
				}
				if d := got.distance[a*4+e]; math.Abs(d*d-want) > 1e-12 {
					t.Errorf("%d items: topics %d and %d are %v apart, want %v", n, a, e, d, math.Sqrt(want))
				}
				unions = append(unions, union{a, []int{e}})
			}
		}
		exact, err := unionDistances(t.Context(), got.then, got.now, unions, 3)
		if err != nil {
			t.Fatal(err)
		}
		for at, d := range exact {
			if math.Abs(d*d-got.distance[at]*got.distance[at]) > 1e-12 {
				t.Errorf("%d items: pair %d is %v and %v apart", n, at, d, got.distance[at])
			}
		}
	}
}

// A topic that splits is recognized, whether a part is so large that it keeps the name or not, and so is the reverse.
func TestCompareSplitsAndMerges(t *testing.T) {
	names, b := drawnTopics(6, 0, 3000, 7)
	for _, c := range []struct {
		name           string
		weights        []float64 // of the last topics of b in the one that splits
		split, merging string
		sentence       string
	}{
		{"a large part", []float64{0.75, 0.25}, "kept 0:0, kept 1:1, kept 2:2, kept 3:3, split 4:4 of 4, split -1:5 of 4",
			"kept 0:0, kept 1:1, kept 2:2, kept 3:3, merged 4:4 of 4, merged 5:-1 of 4", "4 of 5 topics kept, 1 split"},
		{"halves", []float64{0.5, 0.5}, "kept 0:0, kept 1:1, kept 2:2, kept 3:3, split 4:-1 of 4, split -1:4 of 4, split " +
			"-1:5 of 4",
			"kept 0:0, kept 1:1, kept 2:2, kept 3:3, merged 4:-1 of 4, merged 5:-1 of 4, merged -1:4 of 4",
			"4 of 5 topics kept, 1 split"},
		{"three parts", []float64{0.4, 0.3, 0.3}, "kept 0:0, kept 1:1, kept 2:2, split 3:-1 of 3, split -1:3 of 3, split " +
			"-1:4 of 3, split -1:5 of 3",
			"kept 0:0, kept 1:1, kept 2:2, merged 3:-1 of 3, merged 4:-1 of 3, merged 5:-1 of 3, merged -1:3 of 3",
			"3 of 4 topics kept, 1 split"},
		// A topic that has only a twentieth of the mass is new beside one that stays.
		{"a small part", []float64{0.95, 0.05}, "kept 0:0, kept 1:1, kept 2:2, kept 3:3, kept 4:4, born -1:5",
			"kept 0:0, kept 1:1, kept 2:2, kept 3:3, kept 4:4, died 5:-1", "5 of 5 topics kept, 1 born"},
	} {
		whole := 6 - len(c.weights)
		one := slices.Clone(b[:whole])
		one = append(one, mixed(c.weights, b[whole:]...))
		oneShares, shares := even(whole+1), slices.Repeat([]float64{1 / float64(whole+1)}, whole)
		for _, w := range c.weights {
			shares = append(shares, w/float64(whole+1))
		}
		joined, parted := modelOfTopics(names, one, oneShares), modelOfTopics(names, b, shares)
		split := compared(t, joined, parted)
		if got := kinds(split); got != c.split {
			t.Errorf("%s: %s, want %s", c.name, got, c.split)
		}
		if got, _, _ := strings.Cut(split.Summary.String(), ";"); got != c.sentence {
			t.Errorf("%s: %q, want %q", c.name, got, c.sentence)
		}
		if got := kinds(compared(t, parted, joined)); got != c.merging {
			t.Errorf("%s merging: %s, want %s", c.name, got, c.merging)
		}
		for _, topic := range split.Topics {
			if topic.Kind == Split && topic.UnionDistance > 1e-7 {
				t.Errorf("%s: the union is %v from the whole", c.name, topic.UnionDistance)
			}
		}
	}
}

// A topic of one model only is born or died, also where the numbers of topics differ, and a topic of new items is born
// whatever is left of it.
func TestCompareBirthsAndDeaths(t *testing.T) {
	names, b := drawnTopics(6, 0, 3000, 8)
	then := modelOfTopics(names, b[:5], even(5))
	if got := kinds(compared(t, then, modelOfTopics(names, b[1:], even(5)))); got != "died 0:-1, kept 1:0, kept 2:1, "+
		"kept 3:2, kept 4:3, born -1:4" {
		t.Error(got)
	}
	if got := kinds(compared(t, then, modelOfTopics(names, b[1:3], even(2)))); got != "died 0:-1, kept 1:0, kept 2:1, "+
		"died 3:-1, died 4:-1" {
		t.Error(got)
	}
	extended := append(slices.Clone(names), "new")
	var grown [][]float64
	for k := range 5 {
		grown = append(grown, append(slices.Clone(b[k]), 0))
	}
	grown[4] = mixed([]float64{0.4, 0.6}, grown[4], append(make([]float64, 3000), 1)) // what is left is as it was
	d := compared(t, then, modelOfTopics(extended, grown, even(5)))
	if got := kinds(d); got != "kept 0:0, kept 1:1, kept 2:2, kept 3:3, died 4:-1, born -1:4" {
		t.Error(got)
	}
	if last := d.Topics[5]; last.Distance != 1 || math.Abs(last.OutsideNow-0.6) > 1e-9 || last.Risen[0].Item != "new" ||
		len(last.Fallen) > 0 {
		t.Errorf("%+v", last)
	}
	strangers, other := drawnTopics(3, 9000, 100, 8)
	d = compared(t, then, modelOfTopics(strangers, other, even(3)))
	if d.Summary.Died != 5 || d.Summary.Born != 3 || d.Summary.ItemsCommon != 0 ||
		d.Summary.String() != "0 of 5 topics kept, 3 born, 5 died" {
		t.Errorf("%+v: %s", d.Summary, d.Summary)
	}
}

// Items are listed by how much they contribute to the distance.
func TestCompareItems(t *testing.T) {
	names, b := drawnTopics(3, 0, 2000, 9)
	changed := slices.Clone(b[1])
	for at, i := range []int{5, 3, 400} {
		changed[i] += 0.02 / float64(1+at)
	}
	changed[1] = 0
	normalize(changed)
	d := compared(t, modelOfTopics(names, b, even(3)), modelOfTopics(names, [][]float64{b[0], changed, b[2]}, even(3)))
	topic := d.Topics[1]
	type moved struct {
		item   int
		square float64
	}
	var want []moved
	sum := 0.0
	for i := range names {
		change := math.Sqrt(changed[i]) - math.Sqrt(b[1][i])
		sum += change * change / 2
		if change > 0 {
			want = append(want, moved{i, change * change})
		}
	}
	slices.SortFunc(want, func(a, b moved) int { return int(math.Copysign(1, b.square-a.square)) })
	if math.Abs(topic.Distance-math.Sqrt(sum)) > 1e-9 || len(topic.Risen) != min(len(want), Items) ||
		len(topic.Fallen) != 1 {
		t.Errorf("distance %v, want %v; %d risen and %d fallen", topic.Distance, math.Sqrt(sum), len(topic.Risen),
			len(topic.Fallen))
	}
	for at, item := range topic.Risen {
		if i := want[at].item; item.Item != names[i] || item.Then != b[1][i] || item.Now != changed[i] {
			t.Errorf("rank %d is %+v, want %s", at, item, names[i])
		}
	}
	if topic.Fallen[0].Item != names[1] {
		t.Errorf("most fallen is %+v", topic.Fallen[0])
	}
}

// Results are the same for any number of workers, byte for byte.
func TestCompareDeterminism(t *testing.T) {
	names, b := drawnTopics(8, 0, 6000, 10)
	nowNames, c := drawnTopics(9, 700, 6000, 11)
	then, now := modelOfTopics(names, b, even(8)), modelOfTopics(nowNames, c, even(9))
	var first []byte
	for _, workers := range []int{1, 2, 7} {
		d, err := Compare(t.Context(), then, now, Options{Threshold: 0.9, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text
		}
		if !bytes.Equal(first, text) {
			t.Errorf("%d workers give another drift", workers)
		}
	}
}

func TestCompareInterrupted(t *testing.T) {
	names, b := drawnTopics(2, 0, 100, 12)
	m := modelOfTopics(names, b, even(2))
	counting := polls.After(t.Context(), 0)
	if _, err := Compare(counting, m, m, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit <= counting.Asked(); limit++ {
		if _, err := Compare(polls.After(t.Context(), limit), m, m, Options{Workers: 1}); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted at look %d of %d: %v", limit, counting.Asked(), err)
		}
	}
}

// BenchmarkCompare compares models of 5,000 items, of which half of the topics are others, in another order.
func BenchmarkCompare(b *testing.B) {
	for _, k := range []int{100, 1000} {
		names, first := drawnTopics(k, 0, 5000, 30)
		_, other := drawnTopics(k, 0, 5000, 31)
		columns := make([][]float64, k)
		for at, from := range rand.New(rand.NewPCG(1, 2)).Perm(k) {
			columns[at] = first[from]
			if from%2 == 0 {
				columns[at] = mixed([]float64{0.5, 0.5}, other[from], other[(from+1)%k])
			}
		}
		then, now := modelOfTopics(names, first, even(k)), modelOfTopics(names, columns, even(k))
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			for b.Loop() {
				if _, err := Compare(b.Context(), then, now, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
