// Package refine improves topics that were found in another way, such as those of anchors, by the likelihood of the
// documents. It makes passes of collapsed variational inference over the documents; Topics has the formulas.
//
// A refinement (refiner) is one goroutine with three parts: its state, which a checkpoint keeps; what follows from the
// state (the topics as documents meet them); and scratch, which each batch of documents uses again.
//
// Several ranks (package internal/collective) can refine together: they divide the N×K arrays and the documents.
// Documents meet the rows of their items through package internal/visit. docs/distributed.md says what ranks send.
//
// Results have the same bits for any number of workers. Sums over rows are added in one tree and have the same bits for
// any number of ranks; sums over documents are not. n is added in single precision, one batch and one rank after the
// other, and the likelihood and A rank by rank. So one rank finds the same bytes as a process without ranks, a fixed
// number of ranks finds the same bytes each time, and different numbers find the same topics within rounding: A and
// shares within 1e-6, mixtures mostly within 1e-6. Rounding may end the local step of a document an iteration earlier,
// which moves mixtures of rare items by up to 1e-4. All ranks of one job have the same bits, so they decide alike.
package refine

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/matrix"
)

// Purpose says what refined topics are for.
type Purpose string

// The purposes.
const (
	// ForAuto is ForReading if documents repeat items at least BurstyRatio times as often as the topics explain, else
	// ForPrediction.
	ForAuto Purpose = "auto"
	// ForReading counts an item once in a document, however often it is repeated, by its weight ω, and each document once,
	// however long it is. The topics that the refinement started from count twice as much as the documents, and no item or
	// topic strays far from them.
	ForReading Purpose = "reading"
	// ForPrediction counts tokens by the likelihood of documents whose words come in bursts, as far as they do
	// (dispersion.go). Without bursts it is LDA.
	ForPrediction Purpose = "prediction"
)

// Purposes are all purposes.
var Purposes = []Purpose{ForAuto, ForReading, ForPrediction}

// BurstyRatio is how many times as often as the topics explain documents must repeat items to be called bursty:
// docs/accuracy.md has the figures of drawn and of real corpora.
const BurstyRatio = 2

// Options say how topics are refined. The zero value is the default.
type Options struct {
	For Purpose // empty for ForAuto
	// Passes is the number of passes over the documents, those of Epochs among them; 0 for as many as it takes until the
	// topics settle, at most MostPasses after the epochs, and 8 for reading.
	Passes int
	// Epochs is the number of passes in which the topics change Parts times; 0 for 2, or fewer if Passes leaves no other.
	// There are none for reading and from earlier mixtures; negative for none.
	Epochs, Parts int
	// Errors asks for Result.Errors, which takes four more passes.
	Errors  bool
	Seed    uint64
	Workers int
	// Report, if not nil, is called after every epoch and every pass, with its number from 1 and the mean log-likelihood,
	// NaN of passes that draw topics.
	Report func(pass int, logLikelihood float64)
}

const (
	// MostPasses is the most passes that are made until the likelihood settles.
	MostPasses = 30
	// mostReadingPasses is the same for reading: topics that are held to others have little to gain from more.
	mostReadingPasses = 8
	// settledGain is the gain of a pass, in nats per token, below which the likelihood has settled. Where tokens are many
	// it is less: then all of them together must gain less than settledShare nats per item, which say little of each.
	settledGain  = 3e-4
	settledShare = 0.05

	// A pass that moves at most this share of the tokens to other topics is the last: settledMove for reading, and for
	// prediction where passes follow that draw topics, but sparseMove there if tokens are fewer than entries of B, and
	// predictionMove where none follow. From earlier mixtures it is warmMove, and readingMove for the first pass of topics
	// for reading: they are held to others, and read the same long before their likelihood settles
	// (docs/decisions/warm-start.md).
	settledMove, sparseMove, predictionMove, warmMove, readingMove = 0.005, 0.01, 0.002, 0.02, 0.05

	// concentration is c, the strength of the prior of each item's mixture, in tokens. hold is the weight of the topics to
	// start from, for reading, relative to the data.
	concentration, hold         = 0.1, 2.0
	defaultEpochs, defaultParts = 2, 16
	// leastPart is the least number of documents of a part.
	leastPart = 64
	// blur is the share of p(topic) in a mixture to start from. A mixture that says 0 could never change.
	blur = 0.02
	// earlierBlur is the same of an earlier mixture, which single precision and the prior have kept from 0 but in places.
	earlierBlur = 1e-3
	// refineDelay and refineForgetting are t₀ and κ of the step sizes of the epochs.
	refineDelay, refineForgetting = 2.0, 0.7
)

// Start is what a refinement starts from, and what it changes.
type Start struct {
	Mixtures *matrix.Tall // N×K: row i is p(topic | item i). Refine replaces the rows. Several processes may share it
	// N: how far each mixture is the item's own, from 0 to 1; nil if unknown. Refine replaces the values
	Reliability []float64
	Weights     []float64 // N: ω; nil if all are 1
	Frequency   []int64   // N: the tokens of each item
	Joint       []float64 // K×K: A
	Documents   int64     // of all processes
	Before      int64     // documents of the processes before this one: corpus.Corpus.Before
	Here        int64     // documents of this process: corpus.Corpus.Here; for one process those of all
	// Earlier, if not nil, sets dst, K values, to p(topic | item i) as the mixtures were refined to before, from nearly
	// the same mixtures and documents. The passes begin there, without epochs. Mixtures still says what topics for reading
	// are held to. It may be called by several goroutines at once, and only for rows of Mixtures that are held.
	Earlier func(dst []float64, i int)
	// EarlierFor is what they were refined for. If it is not what the topics are refined for now, the passes do not begin
	// there.
	EarlierFor Purpose
}

// Course says how a refinement went.
type Course struct {
	For        Purpose `json:"for"`               // ForReading or ForPrediction
	Burstiness float64 `json:"burstiness"`        // repetitions of items over those that topics explain, or 0
	Epochs     int     `json:"epochs"`            // passes in which the topics changed many times
	Passes     int     `json:"passes"`            // passes after them
	Repairs    int     `json:"repairs,omitempty"` // of earlier programs: times that two topics became one and one two
	Samples    int     `json:"samples,omitempty"` // passes after them that drew the topics of tokens
	// Moved is the share of the tokens that the first pass from earlier mixtures moved to other topics: the mean over
	// tokens of half the ℓ1 distance of their items' mixtures. It is 0 if the passes did not begin with such.
	Moved float64 `json:"moved,omitempty"`
	// Settled says whether the last pass, unless it ended a fall, changed the likelihood by less than 0.0003 nats per
	// token and 0.05 per item, or moved at most 0.005 of the tokens to other topics: for prediction 0.002 or, if
	// passes that draw topics follow, 0.005, and 0.01 where tokens are fewer than entries of B; or, if the passes began
	// with earlier mixtures, 0.02, the first of those for reading 0.05.
	Settled bool `json:"settled"`
}

// AllPasses returns how many passes over the documents were made, without those that predict errors.
func (c *Course) AllPasses() int { return c.Epochs + c.Passes + c.Samples }

// Result is the result of a refinement.
type Result struct {
	Course
	// of each epoch and pass: mean of ln p(token | θ of its document) under the topics before it, as tokens are counted
	LogLikelihood []float64
	Alpha         []float64 // K: the Dirichlet prior of documents' mixtures
	Dispersion    float64   // for prediction: s, from 1 for words that come in bursts to 10⁶, which is for none
	// A, K×K: the mean over the documents of E[θθᵀ], of the documents as they are counted. It sums to 1
	Joint  []float64
	Shares []float64 // K: p(topic) = Σ_i p(i)·p(topic | i), with p(i) of tokens as they are counted
	// Errors, K: ‖b̂_k − b_k‖₁ as predicted, from 0 to 2, between topic k and the one that other documents of the same
	// kind would give, if there were many of them. nil if they were not asked for, or if the documents are too few.
	Errors []float64
	// Unrelated, K: the greatest error that can be, that of a topic which other documents would not give. nil without
	// Errors.
	Unrelated []float64
}

// Refine improves topics by the likelihood of the documents of a pass. It alternates, for items i, documents d and
// counts X_id,
//
//	γ_idk ∝ B_ik·a_dk    a_dk = α_k + Σ_i X_id γ_idk                 B_ik = p(i)·B̆_ik/p(k)
//	n_ik = Σ_d w_d X_id γ_idk    B̆_ik = (n_ik + c_i·m_ik)/(n_i + c_i)    p(k) = Σ_i p(i) B̆_ik
//
// The first line is the collapsed local step of package infer, in which each token leaves itself out (CVB0 of Asuncion,
// Welling, Smyth & Teh, "On Smoothing and Inference for Topic Models", UAI 2009). The second differs from LDA's by its
// prior: each item's p(topic | item) has a Dirichlet prior with mean m_i and strength c_i, so that the frequencies of
// items stay those of the data. For prediction X are the tokens that topics are expected to have given (dispersion.go),
// w_d = 1, m_i = p(topic) and c_i = c. For reading X_id = ω_i over its mean, w_d is in inverse proportion to Σ_i X_id,
// m_i is the mixture to start from, and c_i = c + 2·n_i.
//
// The reliability of item i becomes n_i/(n_i + c*), with c* the concentration of the Dirichlet distribution that has
// the variance of all mixtures: the share that would be the item's own if the prior had that strength. For reading it
// is mixed with that of the start, as the mixtures are.
//
// α is matched to A after every pass (infer.MatchDirichlet). A is the mean over documents of E[θθᵀ] = (a·aᵀ + diag
// a)/(s(s+1)), with s = Σ_k a_k.
//
// Documents are dealt into parts at random. In the first epochs, for prediction, n moves towards the statistics of a
// part, by ρ_t = (2+t)^−0.7, and B changes after each part. Each part reads all documents and leaves out those of other
// parts. After the epochs, B changes once a pass.
//
// For prediction, unless words come in bursts, the last passes draw topics (infer.Worker.Sample) in place of the first
// line, and n and A are the means over most of them. So they are free of the bias of a γ that knows only the
// expectation of the other tokens. Options.Passes leaves these passes out.
//
// A document begins its local step with the topics that it had at the end of the last: 8 of them are kept, 32 bytes
// for each of the first 8,388,608 documents. Passes that draw keep the topic of every token, in 2 bytes, up to 256
// MiB. A pass is the last if it moves few tokens to other topics.
//
// It holds 2·N×K values of single precision beside those of start, 3·N×K while it draws topics, 4·N×K while it
// predicts errors, and the variables of up to 1,024 documents. The error is that of the pass or of ctx; then the
// mixtures are as they were, or refined if it came while errors were predicted.
//
// If ctx carries a checkpoint, the state goes there after each part of an epoch and each pass, but not after those
// that draw: who continues makes all of these. The start must be the same when it resumes.
//
// Processes that share the mixtures refine together: each has a pass over its documents, and all find the same. Vectors
// of start are whole. The error is the cause of the end of ctx where another process was lost.
func Topics(ctx context.Context, pass corpus.Pass, start *Start, o Options) (found *Result, err error) {
	defer func() {
		if err != nil && start.Mixtures.Layout() != nil && ctx.Err() != nil {
			found, err = nil, context.Cause(ctx) // the loss of another process
		}
	}()
	r, err := newRefiner(ctx, pass, start, o)
	if err != nil {
		return nil, err
	}
	if r.point.Resumes() {
		err = r.restore(ctx)
	} else {
		err = r.survey(ctx)
	}
	if err != nil {
		return nil, err
	}
	epochs := r.options.Epochs
	if r.earlier != nil || r.found.For == ForReading {
		// Epochs find what earlier mixtures know, and where topics are held to others each pass comes as near to the end.
		epochs = 0
	}
	for r.epoch < epochs {
		if err := r.runEpoch(ctx); err != nil {
			return nil, err
		}
	}
	for !r.done() {
		r.reached(ctx)
		if err := r.runPass(ctx); err != nil {
			return nil, err
		}
	}
	if r.draws() {
		r.reached(ctx) // who continues later begins with the first of these passes
	}
	for r.draws() {
		if err := r.sample(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.finish(ctx); err != nil || !r.options.Errors {
		return &r.found, err
	}
	return &r.found, r.predict(ctx)
}

func (o Options) withDefaults(documents int64) Options {
	o.For = cmp.Or(o.For, ForAuto)
	switch {
	case o.Epochs == 0 && o.Passes > 0:
		o.Epochs = min(defaultEpochs, o.Passes-1)
	case o.Epochs == 0:
		o.Epochs = defaultEpochs
	case o.Epochs < 0:
		o.Epochs = 0
	}
	o.Parts = int(min(int64(cmp.Or(o.Parts, defaultParts)), documents/leastPart))
	if o.Parts < 2 { // a smaller part says too little of the topics
		o.Parts, o.Epochs = 1, 0
	}
	return o
}

// done reports whether enough passes were made.
func (r *refiner) done() bool {
	if r.options.Passes > 0 {
		return r.found.Epochs+r.found.Passes >= r.options.Passes && r.found.Passes > 0
	}
	most := MostPasses
	if r.found.For == ForReading {
		most = mostReadingPasses
	}
	return r.found.Settled || r.found.Passes >= most
}

// runEpoch makes one pass in parts, or those of its parts that are left.
func (r *refiner) runEpoch(ctx context.Context) error {
	for r.part < r.options.Parts {
		r.reached(ctx)
		r.step++
		rho := math.Pow(refineDelay+float64(r.step), -refineForgetting)
		if err := r.learn(ctx, &r.partial, rho, r.epoch, r.part); err != nil {
			return err
		}
		if err := r.renew(ctx); err != nil {
			return err
		}
		r.part++
	}
	r.found.Epochs++
	err := r.end(&r.partial)
	r.epoch, r.part, r.partial = r.epoch+1, 0, passSums{}
	return err
}

// runPass makes one pass after which all of the topics follow from the documents.
func (r *refiner) runPass(ctx context.Context) error {
	var sums passSums
	if err := r.learn(ctx, &sums, 1, 0, allParts); err != nil {
		return err
	}
	return r.completePass(ctx, &sums)
}

// completePass is runPass once the documents have said what they say of the topics.
func (r *refiner) completePass(ctx context.Context, sums *passSums) error {
	r.found.Passes++
	if err := r.end(sums); err != nil {
		return err
	}
	if err := r.compare(ctx); err != nil {
		return err
	}
	return r.renew(ctx)
}

// compare measures how far a pass has moved the mixtures from those that its documents met, and whether that is little
// enough to be the last. It must come before renew, which lets documents meet the new ones.
func (r *refiner) compare(ctx context.Context) error {
	sums, err := r.total(ctx, 2, func(sums, row []float64, i int) {
		tokens, from, total := r.mixture(row, i), make([]float64, r.k), 0.0
		r.inferrer.Row(from, i)
		for k, share := range r.shares {
			from[k] *= share // p(k | i) is B_ik·p(k), normalized
			total += from[k]
		}
		if total == 0 {
			return // an item without tokens
		}
		for k, p := range from {
			sums[0] += tokens * math.Abs(row[k]-p/total) / 2
		}
		sums[1] += tokens
	})
	if err != nil || sums[1] == 0 {
		return err
	}
	moved, most := sums[0]/sums[1], settledMove
	r.moved = moved
	switch {
	case r.earlier == nil && r.found.For == ForPrediction && !r.draws():
		most = predictionMove
	case r.earlier == nil && r.found.For == ForPrediction:
		if sums[1] < float64(r.n)*float64(r.k) {
			most = sparseMove
		}
	case r.earlier != nil:
		most = warmMove
		if r.found.Passes == 1 {
			r.found.Moved = moved
			if r.found.For == ForReading {
				most = readingMove
			}
		}
	}
	r.found.Settled = r.found.Settled || moved <= most
	return nil
}

// end takes what a pass has found of all documents together.
func (r *refiner) end(sums *passSums) error {
	if sums.tokens == 0 {
		return fmt.Errorf("refine: no document has a token to learn from")
	}
	of, value := &r.found, r.note(sums)
	of.LogLikelihood = append(of.LogLikelihood, value)
	if of.For == ForPrediction {
		r.moveDispersion(sums.repetitions)
	}
	first := 1 // the first pass whose likelihood can be compared with
	if r.earlier != nil {
		first = 2 // the prior of the pass before is that of whole documents, which is not what counts
	}
	if of.Passes > first {
		least := min(settledGain, settledShare*float64(r.n)/sums.tokens)
		fell := r.gain < -least // while α changes; where a fall turns, the gain is small and nothing has settled
		r.gain = value - r.last
		of.Settled = math.Abs(r.gain) < least && !fell
	}
	r.last = value
	return nil
}

// note takes A and α from a pass, and returns the mean log-likelihood of its tokens.
func (r *refiner) note(sums *passSums) (value float64) {
	of := &r.found
	of.Joint = sums.jointMean()
	r.alpha = infer.MatchDirichlet(of.Joint, r.k)
	value = sums.likelihood / sums.tokens
	if r.options.Report != nil {
		r.options.Report(of.Epochs+of.Passes+r.samples.passes, value)
	}
	return value
}
