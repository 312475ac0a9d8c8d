package infer

import (
	"math"
	"slices"
	"testing"

	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/internal/synth"
)

// TestSample compares the mean of many samples with the posterior distribution, summed up over all topics of the tokens
// of a short document, and holds the collapsed step against it too.
func TestSample(t *testing.T) {
	const k = 3
	rows := [][]float64{{0.5, 0.1, 0.02}, {0.1, 0.3, 0.1}, {0.02, 0.1, 0.4}, {0.2, 0.2, 0.1}}
	joint := []float64{0.2, 0.05, 0.05, 0.05, 0.25, 0.05, 0.05, 0.05, 0.25}
	inferrer, err := New(len(rows), k, func(dst []float64, i int) { copy(dst, rows[i]) }, joint, Options{})
	if err != nil {
		t.Fatal(err)
	}
	items, counts, alpha := []int32{0, 1, 2, 3}, []float32{2, 1, 1, 2}, inferrer.Alpha()
	var owner []int
	for e, x := range counts {
		for range int(x) {
			owner = append(owner, e)
		}
	}
	want, total := make([]float64, len(items)*k), 0.0
	for code := range int(math.Pow(k, float64(len(owner)))) {
		p, tokens := 1.0, make([]float64, k)
		for rest, at := code, 0; at < len(owner); rest, at = rest/k, at+1 {
			topic := rest % k
			p *= rows[items[owner[at]]][topic] * (alpha[topic] + tokens[topic])
			tokens[topic]++
		}
		for rest, at := code, 0; at < len(owner); rest, at = rest/k, at+1 {
			want[owner[at]*k+rest%k] += p / float64(counts[owner[at]])
		}
		total += p
	}
	w, draws, width := inferrer.Worker(), random.NewSource(), inferrer.Width()
	mean, samples := make([]float64, len(want)), 40_000
	a := make([]float32, width)
	for n := range samples {
		draws.Seek(1, random.Test, uint64(n))
		copy(a, inferrer.Prior())
		topics := slices.Repeat([]uint16{Unknown}, len(owner))
		for range 8 {
			w.Sample(a, items, counts, topics, draws.Float32)
		}
		of := 0.0
		for at, topic := range topics {
			e := owner[at]
			mean[e*k+int(topic)] += 1 / float64(counts[e]) / float64(samples)
		}
		for topic, v := range a[:k] {
			of += float64(v) - alpha[topic]
		}
		if math.Abs(of-6) > 1e-5 {
			t.Fatalf("sample %d has %v tokens", n, of)
		}
	}
	gamma := make([]float32, len(items)*width)
	copy(a, inferrer.Prior())
	w.Expect(a, gamma, items, counts)
	bias := 0.0
	for at, p := range want {
		if d := math.Abs(mean[at] - p/total); d > 0.01 {
			t.Errorf("entry %d has topic %d with %.4f, want %.4f", at/k, at%k, mean[at], p/total)
		}
		bias = max(bias, math.Abs(float64(gamma[at/k*width+at%k])-p/total))
	}
	if bias < 0.02 {
		t.Errorf("the collapsed step is %.4f from the posterior: the test does not tell them apart", bias)
	}
}

// TestSampleOfManyTokens draws the topics of groups of tokens, and those of an item that no topic has.
func TestSampleOfManyTokens(t *testing.T) {
	rows := [][]float64{{0.5, 0}, {0.2, 0.3}, {0, 0}}
	inferrer, err := New(3, 2, func(dst []float64, i int) { copy(dst, rows[i]) }, []float64{0.3, 0.2, 0.2, 0.3}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, draws := inferrer.Worker(), random.NewSource()
	a := append([]float32(nil), inferrer.Prior()...)
	draws.Seek(1, random.Test, 0)
	topics := slices.Repeat([]uint16{Unknown}, Groups(1_000_000)+Groups(0.25)+Groups(3))
	w.Sample(a, []int32{0, 1, 2}, []float32{1_000_000, 0.25, 3}, topics, draws.Float32)
	if slices.Contains(topics[:Groups(1_000_000)], 1) || slices.Contains(topics, Unknown) {
		t.Errorf("the topics are %v", topics)
	}
	if got := float64(a[0] + a[1] - inferrer.Prior()[0] - inferrer.Prior()[1]); math.Abs(got-1_000_003.25) > 1 {
		t.Errorf("the document has %v tokens", got)
	}
}

// TestSampleOfNegligiblePrior draws the only topic of an item whose prior is lost beside one token in single precision.
func TestSampleOfNegligiblePrior(t *testing.T) {
	rows := [][]float64{{0.5, 0}, {0, 0.5}}
	inferrer, err := New(2, 2, func(dst []float64, i int) { copy(dst, rows[i]) }, []float64{0.3, 0.2, 0.2, 0.3}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inferrer.setPrior([]float64{1, 1e-9})
	w, draws := inferrer.Worker(), random.NewSource()
	a := append([]float32(nil), inferrer.Prior()...)
	draws.Seek(1, random.Test, 0)
	topics := []uint16{0, 0, 0, 1}
	w.Sample(a, []int32{0, 1}, []float32{3, 1}, topics, draws.Float32)
	if topics[3] != 1 {
		t.Errorf("the topics are %v", topics)
	}
}

// TestSampleOfLongDocument draws topics in a document whose rows are not all held: nearly all are those of its items.
func TestSampleOfLongDocument(t *testing.T) {
	const items = 2*blockRows + 7
	inferrer, err := New(items, 2, func(dst []float64, i int) { dst[i%2], dst[1-i%2] = 2.0/items, 0 },
		[]float64{0.3, 0.2, 0.2, 0.3}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, draws := inferrer.Worker(), random.NewSource()
	a := append([]float32(nil), inferrer.Prior()...)
	draws.Seek(1, random.Test, 0)
	list, counts := make([]int32, items), slices.Repeat([]float32{1}, items)
	for i := range list {
		list[i] = int32(i)
	}
	topics := slices.Repeat([]uint16{Unknown}, items)
	w.Sample(a, list, counts, topics, draws.Float32)
	for i, k := range topics {
		if int(k) != i%2 {
			t.Fatalf("the topic of item %d is %d", i, k)
		}
	}
	if got := float64(a[0] - inferrer.Prior()[0]); got != items/2+1 {
		t.Errorf("%v tokens have topic 0, want %d", got, items/2+1)
	}
}

// BenchmarkSample draws the topics of documents of about 30 items under 100 topics.
func BenchmarkSample(b *testing.B) {
	docs, t := drawn(b, synth.Model{Items: 20000, Topics: 100, Documents: 2000, Tokens: 35, Seed: 1}, Options{})
	w, draws := t.Worker(), random.NewSource()
	var counts []float32
	gamma, a := make([]float32, 1000*t.Width()), make([]float32, t.Width())
	topics := make([]uint16, 10_000)
	for _, sample := range []bool{true, false} {
		b.Run(map[bool]string{true: "sample", false: "expect"}[sample], func(b *testing.B) {
			d, before := 0, process.CPUSeconds()
			for b.Loop() {
				items, of := docs.Row(d)
				counts = counts[:0]
				for _, x := range of {
					counts = append(counts, float32(x))
				}
				copy(a, t.Prior())
				if sample {
					draws.Seek(1, random.Test, uint64(d))
					w.Sample(a, items, counts, topics, draws.Float32)
				} else {
					w.Expect(a, gamma[:len(items)*t.Width()], items, counts)
				}
				d = (d + 1) % docs.Documents()
			}
			b.ReportMetric(1e9*(process.CPUSeconds()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}
