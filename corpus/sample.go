// This file holds a sample of documents, and what it says of all of them.

package corpus

import "math"

// Sample has the figures of a sample of documents. Add fills it; what is known of all documents is set by whoever draws
// the sample.
type Sample struct {
	Documents, Entries, Tokens int64
	// AllDocuments and AllEntries are those of the whole input. Complete says that the sample is the whole input.
	AllDocuments, AllEntries Interval
	Complete                 bool
	// CPU is the processor time that reading the sample took, in seconds.
	CPU float64
	// CopyBytes is the size of the compact copy of the sample.
	CopyBytes int64

	vocabulary *Vocabulary
	half       []int64 // df in one half of the documents
	halved     int64   // documents in that half
	tally      Tally
	block      blockEncoder
}

// NewSample returns an empty sample.
func NewSample() *Sample { return &Sample{vocabulary: NewVocabulary()} }

// Vocabulary numbers the items of the sample. Whoever adds documents interns their items, and counts them.
func (s *Sample) Vocabulary() *Vocabulary { return s.vocabulary }

// Add adds documents, whose items are numbered and counted already. half says that they belong to the first of two
// halves, which should have about as many documents from all over the input each.
func (s *Sample) Add(docs *Documents, half bool) {
	for len(s.half) < s.vocabulary.Len() {
		s.half = append(s.half, 0)
	}
	for m := range docs.Documents() {
		items, counts := docs.Row(m)
		s.block.add(items, counts)
		if s.block.full() {
			s.flush()
		}
		s.Entries += int64(len(items))
		s.Tokens += Tokens(counts)
		if half {
			s.halved++
			for _, item := range items {
				s.half[item]++
			}
		}
	}
	s.Documents += int64(docs.Documents())
	s.tally.Add(docs)
}

// Expectation is what the corpus of all documents will be like.
type Expectation struct {
	Documents Interval `json:"documents"` // read
	Entries   Interval `json:"entries"`   // read
	Items     Interval `json:"items_seen"`
	Kept      Interval `json:"items_kept"`
	Kind      Kind     `json:"kind"`
	MinDF     int64    `json:"min_df"`
	// EntriesKept is how many entries a pass shows; Repeats is the number of tokens per entry.
	EntriesKept float64 `json:"entries_kept"`
	Repeats     float64 `json:"tokens_per_entry"`
	// IDBytes is the mean length of the ids of the items that are kept; SeenBytes and KeptBytes are the memory of all
	// items and of those.
	IDBytes   float64 `json:"-"`
	SeenBytes int64   `json:"-"`
	KeptBytes int64   `json:"-"`
	CopyBytes int64   `json:"copy_bytes"`
	// Growth is β, with which distinct items grow: n entries have about as many as n^β, in proportion.
	Growth float64 `json:"growth"`
}

// UsualGrowth is the Growth of documents of which nothing is known.
const UsualGrowth = 0.6

// ItemBytes returns the memory of an item in a vocabulary, whose id has the given number of bytes.
func ItemBytes(id float64) float64 { return id + vocabularyItem }

// Expect returns what the corpus will be like that Open makes with options.
func (s *Sample) Expect(o Options) Expectation {
	s.flush()
	e := Expectation{Documents: s.AllDocuments, Entries: s.AllEntries, Repeats: ratio(s.Tokens, s.Entries)}
	c := &Corpus{options: o, tally: s.tally}
	c.tally.Documents = int64(math.Round(float64(s.tally.Documents) * e.Documents.Estimate / float64(max(s.Documents, 1))))
	c.tally.Small = int64(math.Round(float64(s.tally.Small) * e.Documents.Estimate / float64(max(s.Documents, 1))))
	c.options.AllowSingles = true
	_ = c.chooseKind(s.vocabulary, e.Repeats) // it fails only where single items are refused
	e.Kind, e.MinDF = c.Account.Kind, c.options.Pruning.MinDF
	v, scale := s.vocabulary, e.Entries.Estimate/float64(max(s.Entries, 1))
	e.CopyBytes = int64(float64(s.CopyBytes) * scale)
	e.IDBytes = float64(len(v.arena)) / float64(max(v.Len(), 1))
	switch {
	case o.Vocabulary != nil:
		e.MinDF = 0
		e.Items, e.Kept = known(float64(o.Vocabulary.Len())), known(float64(o.Vocabulary.Len()))
		e.EntriesKept = e.Entries.Estimate
	case o.NoPrune:
		e.MinDF = 1
		e.Items = s.items(1)
		e.Kept, e.EntriesKept = e.Items, e.Entries.Estimate
	default:
		e.Items = s.items(1)
		e.keep(s, &c.options.Pruning)
	}
	e.Growth = UsualGrowth
	if all, read := e.Entries.Estimate, float64(s.Entries); all > 2*read && read > 0 && v.Len() > 0 {
		e.Growth = min(max(math.Log(max(e.Items.Estimate/float64(v.Len()), 1))/math.Log(all/read), 0.1), 1)
	}
	e.SeenBytes = int64(e.Items.High * (e.IDBytes + vocabularyItem))
	e.KeptBytes = int64(e.Kept.Estimate * (e.IDBytes + vocabularyItem))
	return e
}

// vocabularyItem is the memory of an item in a vocabulary, its id left out: end, key, counts, and place in the hash
// table.
const vocabularyItem = 32 + 8

// flush counts the block, unless it is empty.
func (s *Sample) flush() {
	if s.block.documents > 0 {
		s.CopyBytes += s.block.size()
		s.block.reset()
	}
}

// keep sets what pruning leaves.
func (e *Expectation) keep(s *Sample, p *Pruning) {
	e.Kept = s.items(max(p.MinDF, 1))
	highest := int64(math.MaxInt64)
	if p.MaxDFRatio > 0 {
		highest = share(p.MaxDFRatio, s.Documents)
	}
	frequent, entries, rare := 0.0, 0.0, int64(0)
	kept := float64(s.Documents) / max(e.Documents.Estimate, 1) * float64(p.MinDF)
	for i, df := range s.vocabulary.DocumentFrequency {
		_, stop := p.Stopwords[string(s.vocabulary.id(i))]
		switch {
		case df > highest || stop:
			frequent++
			entries += float64(df)
		case float64(df) < kept:
			rare += df
		}
	}
	share := 1 - (entries+float64(rare))/float64(max(s.Entries, 1))
	e.EntriesKept = max(share, 0) * e.Entries.Estimate
	for _, bound := range []*float64{&e.Kept.Estimate, &e.Kept.Low, &e.Kept.High} {
		*bound = max(*bound-frequent, 0)
		if p.MaxItems > 0 {
			*bound = min(*bound, float64(p.MaxItems))
		}
	}
}

// items returns how many items have a document frequency of least or more in all documents. Their number grows like a
// power of the documents (Heaps' law), whose exponent is that of the growth from half of the sample to all of it. The
// exponent itself falls with the documents, the more slowly the more there are: that is what the bounds are for.
func (s *Sample) items(least int64) Interval {
	seen, half := atLeast(s.vocabulary.DocumentFrequency, least), atLeast(s.half, least)
	t := s.AllDocuments.Estimate / float64(max(s.Documents, 1))
	if s.Complete || t <= 1 {
		return known(seen)
	}
	if seen == 0 || s.halved == 0 || s.halved == s.Documents {
		return Interval{seen, seen, float64(s.vocabulary.Len()) * t}
	}
	most := math.Log(seen/max(half, 1)) / math.Log(float64(s.Documents)/float64(s.halved))
	exponent := max(most, 0) * usualFall
	return Interval{seen * math.Pow(t, exponent), seen * math.Pow(t, exponent*leastGrowth), seen * math.Pow(t,
		exponent*mostGrowth) * 1.05}
}

// What the exponent of the growth of the items falls to beyond the sample, and how much less or more that may be.
const (
	usualFall   = 0.85
	leastGrowth = 0.6
	mostGrowth  = 1.3
)

// atLeast returns how many of some frequencies are least or more.
func atLeast(frequencies []int64, least int64) (count float64) {
	for _, f := range frequencies {
		if f >= max(least, 1) {
			count++
		}
	}
	return count
}

func ratio(a, b int64) float64 { return float64(a) / float64(max(b, 1)) }

// Interval is an estimate with bounds within which the true value lies in about nineteen of twenty cases. Low and High
// equal Estimate if it is known.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Known reports whether the value is known.
func (i Interval) Known() bool { return i.Low == i.High }

// known returns the interval of a value that is known.
func known(value float64) Interval { return Interval{value, value, value} }
