// This file holds the options, their defaults, and what a fit takes of memory and disk.

package bayes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/aligned"
)

// Model is the name of a model.
type Model string

// The models; the package comment defines them.
const (
	BNMF Model = "bnmf"
	CNMF Model = "cnmf"
	LDA  Model = "lda"
)

// Models are all models.
var Models = []Model{BNMF, CNMF, LDA}

// Options say what is learned and how. Model and Topics must be given. Other fields may be 0, which means their
// default; the defaults are the chapter's.
type Options struct {
	Model  Model   `json:"model"`
	Topics int     `json:"topics"` // K
	Latent int     `json:"latent"` // m, of correlated NMF; 0 for 50, or K where that is less
	C0     float64 `json:"c0"`     // 0 for 0.05·V
	A0     float64 `json:"a0"`     // 0 for 1/K
	B0     float64 `json:"b0"`     // 0 for 1/K
	// Variance is σ² of correlated NMF; 0 for 1/m.
	Variance float64 `json:"variance"`
	// LearnPriors makes the stochastic algorithm learn c₀, a₀ and b₀ from the documents, from the values above on;
	// State.Options has what it found. The formulas are in priors.go. The batch algorithm cannot do it.
	LearnPriors bool `json:"learn_priors,omitempty"`
	// BatchSize is |C_t|, the documents of a mini-batch; 0 for 1000. The batches of an epoch differ in size by one
	// document at most. They are a little smaller than BatchSize where it does not divide the number of documents.
	BatchSize int `json:"batch_size"`
	// Delay is t₀ and Forgetting is κ of the step size ρ_t = (t₀+t)^−κ, with t from 1; 0 for 1 and 0.5. Since t is at
	// least 1, ρ is below 1, and no step erases what was learned before.
	Delay      float64 `json:"delay"`
	Forgetting float64 `json:"forgetting"`
	// LocalTolerance ends the optimisation of a document's variables when they change by less, relative to their sum (a)
	// or to 1+‖u‖ (u); 0 for 0.001. LocalIterations is the most iterations that it makes; 0 for 100.
	LocalTolerance  float64 `json:"local_tolerance"`
	LocalIterations int     `json:"local_iterations"`
	Seed            uint64  `json:"seed"`
	Workers         int     `json:"-"` // goroutines; 0 for one per processor
}

// The greatest values of options. Beyond them, memory or the digits of numbers would not do.
const (
	MostTopics     = 100_000
	MostBatch      = 10_000_000 // documents of a mini-batch
	MostIterations = 1_000_000  // and epochs
	MostParameter  = 1e9        // c₀, a₀, b₀, σ² and t₀
)

// Check returns an error that says which option is out of its range.
func (o Options) Check() error {
	if !slices.Contains(Models, o.Model) {
		return fmt.Errorf("there is no model %q: the models are %v", o.Model, Models)
	}
	return checkRanges([]optionRange{
		{"the number of topics", float64(o.Topics), 2, MostTopics},
		{"the dimension of locations", float64(o.Latent), 0, float64(o.Topics)},
		{"the batch size", float64(o.BatchSize), 0, MostBatch},
		{"the local iterations", float64(o.LocalIterations), 0, MostIterations},
		{"the number of workers", float64(o.Workers), 0, math.Inf(1)},
		{"the local tolerance", o.LocalTolerance, 0, 1},
		{"κ of the step size", cmp.Or(o.Forgetting, 0.5), 0.5, 1},
		{"c₀", o.C0, 0, MostParameter}, {"a₀", o.A0, 0, MostParameter}, {"b₀", o.B0, 0, MostParameter},
		{"σ²", o.Variance, 0, MostParameter}, {"t₀", o.Delay, 0, MostParameter},
	})
}

// Check returns an error that says which part of the plan is out of its range.
func (p Plan) Check() error {
	return checkRanges([]optionRange{
		{"the epochs", float64(p.Epochs), 0, MostIterations}, {"the iterations", float64(p.Iterations), 0, MostIterations},
		{"the tolerance", p.Tolerance, 0, 1}, {"the batches between tests", float64(p.TestEvery), NoTests, math.Inf(1)},
	})
}

// optionRange is an option with the least and the greatest value that it may have.
type optionRange struct {
	name               string
	value, least, most float64
}

func checkRanges(options []optionRange) error {
	for _, o := range options {
		if !(o.value >= o.least && o.value <= o.most) {
			return fmt.Errorf("%s must be from %v to %v, not %v", o.name, o.least, o.most, o.value)
		}
	}
	return nil
}

// withDefaults returns the options for V items, with the defaults in place of zero values.
func (o Options) withDefaults(items int) Options {
	o.Latent, o.BatchSize = cmp.Or(o.Latent, min(50, o.Topics)), cmp.Or(o.BatchSize, 1000)
	o.C0, o.Variance = cmp.Or(o.C0, 0.05*float64(items)), cmp.Or(o.Variance, 1/float64(o.Latent))
	o.A0, o.B0 = cmp.Or(o.A0, 1/float64(o.Topics)), cmp.Or(o.B0, 1/float64(o.Topics))
	o.Delay, o.Forgetting = cmp.Or(o.Delay, 1), cmp.Or(o.Forgetting, 0.5)
	o.LocalTolerance, o.LocalIterations = cmp.Or(o.LocalTolerance, 1e-3), cmp.Or(o.LocalIterations, 100)
	if o.Model != CNMF { // options that the model does not have are 0
		o.Latent, o.Variance = 0, 0
	} else {
		o.A0, o.B0 = 0, 0
	}
	if o.Model == LDA {
		o.B0 = 0
	}
	return o
}

// rate returns ρ_t.
func (o *Options) rate(t int64) float64 { return math.Pow(o.Delay+float64(t), -o.Forgetting) }

// Totals is what a fit must know of the documents before it begins. sketch.CountMarginals counts them.
type Totals struct {
	Items     int                   `json:"items"`     // V
	Documents int64                 `json:"documents"` // D
	Tokens    int64                 `json:"tokens"`    // Σ X
	Key       func(item int) uint64 `json:"-"`         // a hash of the item's id, for its random numbers
}

// localWidth returns how many values of a document outlast an iteration of the batch algorithm: u, padded, and α with
// correlated NMF, else a, padded. The options must have their defaults.
func (o *Options) localWidth() int {
	if o.Model == CNMF {
		return aligned.Columns[float64](o.Latent) + 1
	}
	return aligned.Columns[float64](o.Topics)
}

// Memory returns about how many bytes a fit holds at its peak for V items: g, V×K, and with the batch algorithm its
// successor of the same size; and the variables of a mini-batch, where entries is the mean number of entries of a
// document.
func (o Options) Memory(items int, batch bool, entries float64) int64 {
	o = o.withDefaults(items)
	row := 8 * int64(aligned.Columns[float64](o.Topics))
	global := row * int64(items)
	if batch {
		global *= 2
	}
	global += 4 * int64(items) // the index of a batch's items
	documents := int64(o.BatchSize)
	distinct := min(int64(items), int64(entries*float64(documents)))
	local := documents*4*row + 2*distinct*row + int64(entries*float64(documents))*32
	return global + local + 8*int64(o.Topics)*int64(o.Topics)
}
