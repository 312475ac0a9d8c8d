// This file keeps what a refinement knows from pass to pass: the topics of documents, so that the next pass begins
// where the last ended, and all of it in checkpoints.

package refine

import (
	"context"
	"slices"

	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
)

const (
	// carriedTopics is how many topics of a document are carried: those with the most of its tokens. The others begin at
	// their prior.
	carriedTopics = 8
	// carriedBits is the number of bits of a topic's share of the tokens; the topic has the others.
	carriedBits = 12
	// mostCarried is how many documents are carried, the first of all processes: 256 MiB. Later ones begin at the prior.
	mostCarried = 1 << 23
)

// carried are the topics of the documents of this process, carriedTopics for each: topic<<carriedBits + the share of
// the tokens beyond the prior, in units of 2^−carriedBits. 0 is for none.
type carried []uint32

// newCarried returns those of a number of documents, of which nothing is known yet, after others.
func newCarried(before, documents int64) carried {
	return make(carried, carriedTopics*max(min(documents, mostCarried-before), 0))
}

// of returns the topics of a document; nil for one that has no room.
func (c carried) of(document int64) []uint32 {
	if document >= int64(len(c)/carriedTopics) {
		return nil
	}
	return c[document*carriedTopics:][:carriedTopics]
}

// begin sets a to what is known of a document with the given number of tokens: a_k = α_k + its tokens of topic k.
func (c carried) begin(a, alpha []float32, document int64, tokens float64) {
	copy(a, alpha)
	for _, topic := range c.of(document) {
		a[topic>>carriedBits] += float32(tokens) * float32(topic&(1<<carriedBits-1)) / (1 << carriedBits)
	}
}

// keep takes the topics of a document from a.
func (c carried) keep(a, alpha []float32, document int64, tokens float64) {
	of := c.of(document)
	if of == nil {
		return
	}
	clear(of)
	scale, least := float32((1<<carriedBits)/tokens), float32(tokens)/(1<<carriedBits)
	for k, v := range a {
		if v-alpha[k] < least {
			continue
		}
		share := min(uint32((v-alpha[k])*scale), 1<<carriedBits-1)
		at := carriedTopics - 1 // the place of the least share, which goes
		for at > 0 && of[at-1]&(1<<carriedBits-1) < share {
			of[at] = of[at-1]
			at--
		}
		of[at] = uint32(k)<<carriedBits | share
		if last := of[carriedTopics-1] & (1<<carriedBits - 1); last > 0 {
			least = float32(last+1) / scale
		}
	}
}

// reached says that the refinement is between two steps. A checkpoint may take the state as it is now later. The
// matrices must stay as they are until then.
func (r *refiner) reached(ctx context.Context) {
	if r.point != nil {
		now := *r
		now.partial.joint, now.partial.diagonal = slices.Clone(r.partial.joint), slices.Clone(r.partial.diagonal)
		r.point.Reached(func(v *checkpoint.Values) { now.checkpoint(ctx, v) })
	}
}

// restore continues from the state of a checkpoint.
func (r *refiner) restore(ctx context.Context) error {
	if err := r.point.Restore(func(v *checkpoint.Values) { r.checkpoint(ctx, v) }); err != nil {
		return err
	}
	// The topics follow from n, and from α and the shares as they were then.
	alpha := r.alpha
	r.alpha, r.shares = r.computedFrom.alpha, r.computedFrom.shares
	err := r.renew(ctx)
	r.alpha = alpha
	return err
}

// checkpoint takes the state between two steps. The topics are computed again.
func (r *refiner) checkpoint(ctx context.Context, v *checkpoint.Values) {
	begun := r.earlier != nil
	if v.Take(&begun); !begun {
		r.earlier = nil
	}
	v.Take(&r.epoch, &r.part, &r.step, &r.meanWeight, &r.meanLength, &r.last, &r.gain)
	sums, found := &r.partial, &r.found
	v.Take(&sums.likelihood, &sums.tokens, &sums.documents, &sums.joint, &sums.diagonal, &r.alpha, &r.computedFrom.alpha,
		&r.computedFrom.shares)
	v.Take(&found.For, &found.Burstiness, &found.Moved, &found.Epochs, &found.Passes, &found.Settled,
		&found.LogLikelihood,
		&found.Joint, &r.sums)
	if found.For == ForPrediction {
		v.Take(&r.dispersion, &sums.repetitions.slope, &sums.repetitions.curve)
	}
	r.takeCarried(ctx, v)
}

// takeCarried takes the topics of the documents of all processes: another number of them may continue.
func (r *refiner) takeCarried(ctx context.Context, v *checkpoint.Values) {
	all := []uint32(r.carried)
	if !v.Reading() {
		var err error
		all, err = kernel.Concat(ctx, r.layout, all)
		v.Fail(err)
	}
	if v.Take(&all); v.Reading() {
		copy(r.carried, all[min(int(r.start.Before)*carriedTopics, len(all)):])
	}
}
