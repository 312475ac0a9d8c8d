// This file says what several ranks send to each other in every stage of a fit. docs/distributed.md has the same
// formulas.

package plan

import (
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/visit"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/sketch"
)

// load is what the ranks of a stage send: bytes of all ranks together, and how many messages follow each other, which
// is what latency counts.
type load struct {
	bytes, rounds float64
}

func (l load) plus(others ...load) load {
	for _, o := range others {
		l.bytes += o.bytes
		l.rounds += o.rounds
	}
	return l
}

func (l load) times(n float64) load { return load{n * l.bytes, n * l.rounds} }

// traffic knows what operations send, for P ranks, N items and K topics.
type traffic struct {
	ranks, items, topics, columns int
	entries                       float64 // that a pass shows
	// of the number of distinct items with that of entries; see corpus.Expectation.Growth
	growth float64
}

// share completes a vector of which every rank has a part, on all ranks.
func (t traffic) share(bytes float64) load {
	p := float64(t.ranks)
	return load{(p - 1) * bytes, p - 1}
}

// sumLong adds vectors over the ranks.
func (t traffic) sumLong(bytes float64) load {
	p := float64(t.ranks)
	return load{2 * (p - 1) * bytes, 2 * (p - 1)}
}

// gather brings bytes that the ranks have together to all: rows of a few items, or decisions.
func (t traffic) gather(bytes float64) load {
	p := float64(t.ranks)
	return load{(p - 1) * (bytes + 8*p), 2 * (p - 1)}
}

// sum is a sum over all rows of width values of double precision.
func (t traffic) sum(width int) load {
	return load{float64(kernel.SumTraffic(t.items, width, t.ranks)), t.treeRounds()}
}

// gram is the product of two matrices with a row per item, of single precision or not.
func (t traffic) gram(left, right int, single bool) load {
	if single {
		return t.sum(left * aligned.Columns[float32](right))
	}
	return t.sum(left * aligned.Columns[float64](right))
}

// visited is a pass: into how many batches the documents of a rank are cut, and how many distinct items those of all
// ranks have together.
type visited struct{ batches, items float64 }

// visit returns what a pass meets whose caller holds rowBytes for each distinct item of a batch.
func (t traffic) visit(rowBytes int) visited {
	own := t.entries / float64(t.ranks)
	entries := min(own, visit.BatchEntries)
	if most := float64(visit.BatchItems(rowBytes)); t.distinct(entries) > most {
		entries = max(t.entries*math.Pow(most/float64(t.items), 1/t.growth), 1)
	}
	batches := math.Ceil(own / entries)
	return visited{batches, float64(t.ranks) * own / entries * t.distinct(entries)}
}

// distinct returns the number of distinct items that entries have: N·(entries of all)^−β·entries^β.
func (t traffic) distinct(entries float64) float64 {
	return min(float64(t.items)*math.Pow(entries/t.entries, t.growth), entries, float64(t.items))
}

// rows moves rows, one for each visited item whose row is another rank's: to the documents, or back.
func (t traffic) rows(v visited, bytes int) load {
	p := float64(t.ranks)
	each := v.items / p / max(v.batches, 1) / p // rows from one rank to another in a batch
	return load{t.foreign(v) * float64(bytes), v.batches * (p - 1) * max(math.Ceil(each/visit.PieceRows), 1)}
}

// foreign returns how many of the visited rows are other ranks'.
func (t traffic) foreign(v visited) float64 { return v.items * (1 - 1/float64(t.ranks)) }

// ask sends ranks the numbers of the rows that are needed, and keeps the batches in step.
func (t traffic) ask(v visited) load {
	p := float64(t.ranks)
	small := t.gather(p).plus(t.gather(8 * p)).times(v.batches + 1)
	return load{4*t.foreign(v) + 8*p*(p-1)*v.batches, 2 * (p - 1) * v.batches}.plus(small)
}

// pass is a pass over the documents that takes rows of there bytes to them, and rows of back bytes back; 0 for none.
func (t traffic) pass(rowBytes, there, back int) load {
	v := t.visit(rowBytes)
	l := t.ask(v)
	for _, bytes := range []int{there, back} {
		if bytes > 0 {
			l = l.plus(t.rows(v, bytes))
		}
	}
	return l
}

// course is how often a fit does things.
type course struct {
	passes, iterations, refines int
	products                    float64 // applications of the corrections in an iteration
	words                       float64 // bytes of the ids of all items
	distinctWords               float64 // sum over the ranks of the distinct items that each has read
	outputBytes                 float64
	evidence, refined           bool
}

// traffics are the stages of a fit over several ranks, and what each sends.
var traffics = []struct {
	stage string
	sent  func(t traffic, c course) load
}{
	{"read", func(t traffic, c course) load {
		p, n := float64(t.ranks), float64(t.items)
		id := c.words / max(n, 1)
		// to who counts an item, who orders it, and who holds it
		moved := c.distinctWords*(id+readCounts+4) + n*(id+readOrder+4) + n*(id+readCounts)
		return load{moved * (1 - 1/p), 8 * p}.plus(t.share(8 * n).times(3))
	}},
	{"sketch", func(t traffic, c course) load {
		wide := aligned.Columns[float64](t.columns)
		first := t.pass(16*wide, 0, 8*t.columns).plus(t.sumLong(8 * float64(t.items)).times(4))
		next := t.pass(16*wide, 8*t.columns, 8*t.columns)
		all := first
		for i := 1; i < c.passes; i++ {
			all = all.plus(next, t.gram(t.columns, t.columns, false).times(float64(2*i+3)))
		}
		return all
	}},
	{"evidence", func(t traffic, c course) load {
		if !c.evidence {
			return load{}
		}
		halves := 16 * float64(sketch.HalvedItems(t.items, t.topics)) * float64(t.topics+1)
		return t.pass(8*aligned.Columns[float64](t.topics), 8*t.topics, 0).plus(t.sumLong(8*float64(t.items)).times(3),
			t.sumLong(halves), t.share(8*float64(t.items)).times(2))
	}},
	{"rectify", func(t traffic, c course) load {
		carried := min(t.topics+rectify.ExtraColumns, t.items)
		chosen := rectify.Corrected(t.items, t.topics, 0)
		stride := aligned.Columns[float32](carried)
		build := t.gather(4 * float64(chosen) * float64(t.topics))
		product := t.gather(4 * float64(chosen) * float64(carried)).plus(t.sections(chosen * stride))
		grams := t.gram(carried, carried, true).times(3).plus(t.gram(t.topics, t.topics, true))
		p := float64(t.ranks)
		// for what is negative in the end
		sample := load{8 * rectify.SampledPairs * float64(t.topics) * (1 - 1/p),
			2 * rectify.SampledPairs / rectify.PairsAtOnce}
		return build.plus(product.times(c.products), grams,
			t.share(8*float64(t.items))).times(float64(c.iterations)).plus(sample)
	}},
	{"anchor", func(t traffic, c course) load {
		row := t.gather(8 * float64(t.topics))
		pivots := row.plus(t.gather(32 * float64(t.ranks))).times(float64(2 * t.topics))
		sums := t.gram(t.topics, t.topics, false).times(4)
		vectors := t.share(8 * float64(t.items)).times(anchorVectors)
		p := float64(t.ranks)
		beside := min(t.entries*fit.AnchorShare, float64(t.items)) * float64(t.topics) // entries of the anchors' rows
		lists := load{24*beside*(1-1/p) + 8*p*(p-1), 2 * (p - 1)}.plus(t.gather(p*24*model.TopItems*float64(t.topics)),
			t.gather(16*p*float64(t.topics)))
		typical := t.gather(8 * typicalItems * float64(t.topics*t.topics)).times(2)
		return pivots.plus(sums, vectors, lists, typical)
	}},
	{"refine", func(t traffic, c course) load {
		if !c.refined {
			return load{}
		}
		p, k := float64(t.ranks), float64(t.topics)
		each := t.pass(8*aligned.Columns[float32](t.topics), 4*t.topics, 4*t.topics)
		small := load{8 * p * (p - 1) * (k*k + k + 3), 2 * (p - 1)}
		epochs := refineEpochs * refineParts
		return each.plus(small).times(float64(c.refines)).plus(t.share(8 * float64(t.items)).times(float64(epochs +
			c.refines)))
	}},
	{"write", func(t traffic, c course) load {
		p := float64(t.ranks)
		return load{c.outputBytes * (1 - 1/p), 6 * (2*p + 1)}
	}},
}

const (
	// Bytes of an item beside its id: with its number and counts, and with what it is ordered by.
	readCounts, readOrder = 7, 17
	// anchorVectors is the number of vectors of N numbers that are completed while anchors and mixtures are found.
	anchorVectors = 4
	// typicalItems is about how many items per topic the mixtures are polished by.
	typicalItems = 20
)

// sections is a sum with a leaf for each section.
func (t traffic) sections(width int) load {
	bounds := make([]int, t.ranks+1)
	for r := range bounds {
		bounds[r] = r * matrix.Sections(t.items) / t.ranks
	}
	return load{float64(kernel.TreeTraffic(bounds, width).Bytes), t.treeRounds()}
}

// treeRounds is about how many messages of a sum follow each other: some nodes in every round up the tree, and one in
// every round down.
func (t traffic) treeRounds() float64 {
	const nodes = 6
	return (nodes + 1) * math.Ceil(math.Log2(float64(t.ranks)))
}
