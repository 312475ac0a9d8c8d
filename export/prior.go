// This file finds the Dirichlet prior that the correlations of topics imply.

package export

// prior returns the parameters α of the Dirichlet distribution of documents' mixtures whose mean is p(topic) and whose E‖θ‖² is the trace
// of A: α = c·p with c = (1 − tr A)/(tr A − ‖p‖²), between 0.1 and 1000.
func (j *job) prior() []float64 {
	const least, greatest = 0.1, 1000.0
	k := j.Topics()
	trace, squares, sum := 0.0, 0.0, 0.0
	for a, p := range j.Shares {
		trace += max(j.TopicJoint[a*k+a], 0)
		squares += p * p
	}
	for _, p := range j.TopicJoint {
		sum += max(p, 0)
	}
	c := greatest
	if trace /= sum; trace > squares {
		c = min(max((1-trace)/(trace-squares), least), greatest)
	}
	alpha := make([]float64, k)
	for a, p := range j.Shares {
		alpha[a] = c * max(p, 1e-3/float64(k))
	}
	return alpha
}
