// This file carries the topics of documents from pass to pass, so that the next one begins where the last ended.

package refine

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
func (c carried) of(document int) []uint32 {
	if document >= len(c)/carriedTopics {
		return nil
	}
	return c[document*carriedTopics:][:carriedTopics]
}

// begin sets a to what is known of a document with the given number of tokens: a_k = α_k + its tokens of topic k.
func (c carried) begin(a, alpha []float32, document int, tokens float64) {
	copy(a, alpha)
	for _, topic := range c.of(document) {
		a[topic>>carriedBits] += float32(tokens) * float32(topic&(1<<carriedBits-1)) / (1 << carriedBits)
	}
}

// keep takes the topics of a document from a.
func (c carried) keep(a, alpha []float32, document int, tokens float64) {
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
