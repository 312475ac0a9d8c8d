// Package systems runs programs that find topics, ours and others', on the same documents and items, within limits of
// time and memory. All are run in one way, which bench/peers/README.md describes: a folder of documents in, a folder of
// topics out.
package systems

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/model/fit"
)

// Ours is the system that the others are compared with.
const Ours = "anchorage"

// system is a program with one setting: ours by fit, others by a script of bench/peers/beside.
type system struct {
	name, note string
	fit        func(*fit.Options) // changes the defaults
	// begin, if not nil, sets the topics that the refinement begins from instead of the spectral ones
	begin          func(t *anchor.Topics, seed uint64)
	script, method string
}

// spectral leaves out the refinement, and does what the functions say.
func spectral(also ...func(*fit.Options)) func(*fit.Options) {
	return func(o *fit.Options) {
		o.Refine.Passes = fit.NoRefinement
		for _, fn := range also {
			fn(o)
		}
	}
}

// settled rectifies until hardly anything moves.
func settled(o *fit.Options) { o.Rectify.Tolerance = 5e-5 }

// published sets everything as the papers have it, with the given method.
func published(method fit.Method) func(*fit.Options) {
	return func(o *fit.Options) {
		of := fit.Published(fit.LRJSMF)
		of.Method, of.Topics, of.Seed, of.Run = method, o.Topics, o.Seed, o.Run
		*o = of
	}
}

// plainly is without weights, evidence or polish, from the eigenpairs of some passes: what the papers' stages do. With
// 20 they are as good as exact.
func plainly(passes int, sums anchor.RowSums, baseline bool) func(*fit.Options) {
	return spectral(func(o *fit.Options) {
		o.Sketch.ItemWeights, o.Sketch.DocumentWeights = fit.WeightsNone, fit.WeightsEqual
		o.Sketch.NoEvidence, o.Anchor.NoPolish = true, true
		o.Sketch.Passes, o.Anchor.RowSums, o.Baseline = passes, sums, baseline
	})
}

// systems are in the order of the tables. The heads of the scripts have their settings.
var systems = []system{
	{name: Ours, note: "as `anchorage fit` does it", fit: func(*fit.Options) {}},
	{name: "anchorage-no-refine", note: "the same without refinement (`--refine none`), as most settings of ours below",
		fit: spectral()},
	{name: "anchorage-random", note: "refined for prediction, from random topics instead of the spectral ones",
		begin: randomize, fit: spectral()},
	{name: "anchorage-reading", note: "topics that read well (`--for reading`)",
		fit: func(o *fit.Options) { o.Refine.For = refine.ForReading }},
	{name: "anchorage-prediction", note: "topics that predict well (`--for prediction`)",
		fit: func(o *fit.Options) { o.Refine.For = refine.ForPrediction }},
	{name: "anchorage-settled", note: "rectified to a tolerance of 5·10⁻⁵, and not of 10⁻³", fit: settled},
	{name: "anchorage-no-refine-settled", note: "the same without refinement", fit: spectral(settled)},
	{name: "anchorage-one-pass", note: "one pass over the documents once the items are counted",
		fit: func(o *fit.Options) { o.Sketch.Passes = 1 }},
	{name: "anchorage-published", note: "everything as published (`--paper`)", fit: published(fit.LRJSMF)},
	{name: "anchorage-equal-weights", note: "without item weights",
		fit: spectral(func(o *fit.Options) { o.Sketch.ItemWeights = fit.WeightsNone })},
	{name: "anchorage-equal-documents", note: "short documents count like long ones (`--set document-weights=equal`)",
		fit: func(o *fit.Options) { o.Sketch.DocumentWeights = fit.WeightsEqual }},
	{name: "anchorage-no-refine-equal-documents", note: "the same without refinement",
		fit: spectral(func(o *fit.Options) { o.Sketch.DocumentWeights = fit.WeightsEqual })},
	{name: "anchorage-no-evidence", note: "every row taken for certain",
		fit: spectral(func(o *fit.Options) { o.Sketch.NoEvidence = true })},
	{name: "anchorage-no-polish", note: "mixtures as the anchors give them",
		fit: spectral(func(o *fit.Options) { o.Anchor.NoPolish = true })},
	{name: "anchorage-uniform", note: "with uniform normalization",
		fit: spectral(func(o *fit.Options) { o.Rectify.Normalization = fit.NormalizeUniform })},
	{name: "anchorage-exact-sums", note: "with exact row sums",
		fit: spectral(func(o *fit.Options) { o.Anchor.RowSums = anchor.RowSumsExact })},
	{name: "enn-exact", note: "accurate eigenpairs, ENN, counted row sums", fit: plainly(20, anchor.RowSumsExact, false)},
	{name: "enn-factor", note: "accurate eigenpairs, ENN, row sums of the factor, as published",
		fit: plainly(20, anchor.RowSumsFactor, false)},
	{name: "none-exact", note: "accurate eigenpairs, no rectification, counted row sums",
		fit: plainly(20, anchor.RowSumsExact, true)},
	{name: "enn-exact-auto", note: "eigenpairs as of `--passes auto`, ENN, counted row sums",
		fit: plainly(0, anchor.RowSumsExact, false)},
	{name: "ap+aw", note: "C held whole, rectified by alternating projection; topics by AW", fit: published(fit.RAW)},
	{name: "sklearn-nmf", note: "scikit-learn's MiniBatchNMF on tf-idf, 20 passes", script: "scikit.py", method: "nmf"},
	{name: "sklearn-nmf-default", note: "the same with its defaults", script: "scikit.py", method: "nmf-default"},
	{name: "sklearn-kl", note: "MiniBatchNMF, Kullback-Leibler, as in its examples", script: "scikit.py", method: "kl"},
	{name: "sklearn-kl-default", note: "the same with its defaults", script: "scikit.py", method: "kl-default"},
	{name: "sklearn-kl-batch", note: "NMF on counts, Kullback-Leibler, solver mu, init nndsvda, up to 1,000 iterations",
		script: "scikit.py", method: "kl-batch"},
	{name: "sklearn-lda", note: "LatentDirichletAllocation, online, 20 passes", script: "scikit.py", method: "lda"},
	{name: "sklearn-svd", note: "TruncatedSVD on tf-idf, 20 power iterations", script: "scikit.py", method: "svd"},
	{name: "gensim-lsi", note: "LsiModel on tf-idf, several passes", script: "gensim_topics.py", method: "lsi"},
	{name: "gensim-lda", note: "LdaMulticore, 20 passes, as in its tutorial", script: "gensim_topics.py", method: "lda"},
	{name: "gensim-lda-default", note: "the same with its defaults: one pass", script: "gensim_topics.py",
		method: "lda-default"},
	{name: "gensim-nmf", note: "Nmf, 5 passes, as in its tutorial", script: "gensim_topics.py", method: "nmf"},
	{name: "gensim-nmf-default", note: "the same with its defaults: one pass", script: "gensim_topics.py",
		method: "nmf-default"},
	{name: "scipy-eigsh", note: "SciPy's eigsh on the operator that Anchorage sketches, to 10⁻⁴",
		script: "cooccurrence.py", method: "eigsh"},
	{name: "numpy-raw", note: "rectified anchor words on a dense C, 50 projections", script: "cooccurrence.py",
		method: "raw"},
	{name: "numpy-tlda", note: "online tensor LDA (arXiv 2511.07809), from its formulas, 40 epochs", script: "tlda.py",
		method: "tlda"},
	{name: "r-irlba", note: "irlba of R on tf-idf, to 10⁻⁸", script: "irlba.R", method: "irlba"},
	{name: "r-rcppml", note: "RcppML of R on tf-idf, to 10⁻⁵", script: "rcppml.R", method: "rcppml"},
}

// Notes say what the systems are.
func Notes() (notes []show.Note) {
	for _, s := range systems {
		notes = append(notes, show.Note{Name: s.name, Text: s.note})
	}
	return notes
}

// Names are those of all systems.
func Names() (names []string) {
	for _, s := range systems {
		names = append(names, s.name)
	}
	return names
}

func find(name string) *system { return &systems[slices.Index(Names(), name)] }

// Settings are the settings of parts that run systems.
var Settings = []run.Setting{
	{Name: "python", Default: "python3", Help: "interpreter of Python for other programs", How: true},
	{Name: "r", Default: "Rscript", Help: "interpreter of R", How: true},
	{Name: "threads", Default: "2", Help: "threads of each system", How: true},
	{Name: "memory-limit", Default: "0", Help: "memory of a run, in MB; 0 for any", How: true},
}

// command returns what runs a system: METHOD FOLDER OUTPUT ITEMS TOPICS SEED THREADS behind it.
func (s *system) command(j *run.Job, self, scripts, folder, output string, items, topics int, seed uint64) []string {
	words := []string{self, ChildCommand}
	method := s.name
	if s.script != "" {
		method = s.method
		script := filepath.Join(scripts, s.script)
		if filepath.Ext(script) == ".R" {
			words = []string{j.Text("r"), "--vanilla", script}
		} else {
			words = []string{j.Text("python"), script}
		}
	}
	return append(words, method, folder, output, strconv.Itoa(items), strconv.Itoa(topics), strconv.FormatUint(seed, 10),
		j.Text("threads"))
}

// limitsOf returns the limits of a run.
func limitsOf(j *run.Job) limits {
	return limits{time: j.Limit, memory: int64(j.Int("memory-limit")) * 1e6}
}

// limits are those of a run; 0 means none.
type limits struct {
	time   time.Duration
	memory int64 // bytes, of all processes of the run together
}
