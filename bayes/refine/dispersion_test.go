package refine

import (
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/internal/synth"
)

// bursts replaces tokens of documents by repetitions of earlier ones, as Pólya's urn does: token j is new with
// probability s/(s+j).
func bursts(docs *corpus.Documents, s float64) *corpus.Documents {
	out := &corpus.Documents{Offsets: []int32{0}}
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		var fresh, tokens []int32
		for e, item := range items {
			for range counts[e] {
				fresh = append(fresh, item)
			}
		}
		uniform := func(what, j int) float64 {
			return random.Uniform(7, random.Test, uint64(d), uint64(4*j+what))
		}
		for j := range fresh { // in random order
			other := j + int(uniform(0, j)*float64(len(fresh)-j))
			fresh[j], fresh[other] = fresh[other], fresh[j]
		}
		of := make(map[int32]int32)
		for j := range fresh {
			token := fresh[j]
			if uniform(1, j)*(s+float64(j)) >= s {
				token = tokens[int(uniform(2, j)*float64(j))]
			}
			tokens = append(tokens, token)
			of[token]++
		}
		for _, item := range items {
			if c := of[item]; c > 0 {
				out.Items, out.Counts = append(out.Items, item), append(out.Counts, c)
			}
		}
		out.Offsets = append(out.Offsets, int32(len(out.Items)))
	}
	return out
}

// TestDispersion draws documents whose words come in bursts, and others: s is found, and topics of bursts are nearer to
// the truth than those of LDA, while without bursts they are as near.
func TestDispersion(t *testing.T) {
	defer func(least float64) { leastDispersion = least }(leastDispersion)
	docs, truth := synth.Model{Items: 400, Topics: 5, Documents: 3000, Tokens: 60, Concentration: 0.2, Seed: 3}.Draw()
	for name, test := range map[string]struct {
		docs        *corpus.Documents
		least, most float64 // s
		error       float64 // relative to that of LDA, at most
	}{
		"s = 15":    {bursts(docs, 15), 11, 19, 0.75},
		"s = 100":   {bursts(docs, 100), 75, 130, 0.95},
		"no bursts": {docs, 3000, mostDispersion, 1.02},
	} {
		errors := make(map[bool]float64)
		for _, lda := range []bool{true, false} {
			if leastDispersion = 1; lda {
				leastDispersion = mostDispersion
			}
			start := blurred(truth, test.docs, 0.5)
			found, err := Topics(t.Context(), inPasses(test.docs, 1000), start, Options{For: ForPrediction, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			errors[lda] = errorOf(start, truth)
			s := found.Dispersion
			if lda && s != mostDispersion || !lda && (s < test.least || s > test.most) {
				t.Errorf("%s, LDA %v: found %.4g", name, lda, s)
			}
			if !found.Settled {
				t.Errorf("%s, LDA %v: not settled after %d passes", name, lda, found.Passes)
			}
		}
		if errors[false] > test.error*errors[true] {
			t.Errorf("%s: the error of B is %v, of LDA %v", name, errors[false], errors[true])
		}
	}
}

// TestRising compares sums with the functions that take their place from some number of tokens on.
func TestRising(t *testing.T) {
	for _, a := range []float64{1e-9, 0.3, 7, 5e5} {
		for _, x := range []float64{1, 2, fewTokens, fewTokens + 1, 300} {
			var first, second, logs float64
			for j := range int(x) {
				v := a + float64(j)
				first, second, logs = first+1/v, second+1/(v*v), logs+math.Log(v)
			}
			for name, pair := range map[string][2]float64{
				"reciprocals": {reciprocals(a, x), first}, "squares": {squares(a, x), second}, "rising": {rising(a, x), logs},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-7*math.Abs(pair[1])+1e-9 {
					t.Errorf("%s of %v and %v is %v, want %v", name, a, x, pair[0], pair[1])
				}
			}
		}
	}
}
