// This file lists the systems that are compared.

package beside

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/bench/peers"
)

// Ours is the system that the others are compared with.
const Ours = "anchorage"

// system is a program with one setting.
type system struct {
	name, note string
	script     string // of package peers; empty for our own process
	method     string // the script's or the child's first argument
	plain      bool   // the program's default, which charts leave out; the other setting is its documented best one
	kind       kind
}

// systems are in the order of the tables. The heads of the scripts have the settings.
var systems = []system{
	{Ours, "as `anchorage fit` does it", "", "default", false, ours},
	{"anchorage-reading", "topics that read well (`--for reading`); the documents decide otherwise", "", "reading", true, ours},
	{"anchorage-prediction", "topics that predict well (`--for prediction`)", "", "prediction", true, ours},
	{"anchorage-no-refine", "the same without refinement (`--refine none`)", "", "no-refine", true, ours},
	{"anchorage-published", "everything as published (`--paper`)", "", "published", true, ours},
	{"sklearn-nmf", "scikit-learn's MiniBatchNMF on tf-idf, 20 passes", "scikit.py", "nmf", false, weighted},
	{"sklearn-nmf-default", "the same with its defaults", "scikit.py", "nmf-default", true, weighted},
	{"sklearn-kl", "MiniBatchNMF, Kullback-Leibler, as in its examples", "scikit.py", "kl", false, weighted},
	{"sklearn-kl-default", "the same with its defaults", "scikit.py", "kl-default", true, weighted},
	{"sklearn-lda", "LatentDirichletAllocation, online, 20 passes", "scikit.py", "lda", false, likelihood},
	{"sklearn-lda-default", "the same with its defaults: in batch, 10 passes", "scikit.py", "lda-default", true, likelihood},
	{"sklearn-svd", "TruncatedSVD on tf-idf, 20 power iterations", "scikit.py", "svd", false, components},
	{"sklearn-svd-default", "the same with its defaults", "scikit.py", "svd-default", true, components},
	{"gensim-lsi", "LsiModel on tf-idf, several passes", "gensim_topics.py", "lsi", false, components},
	{"gensim-lsi-default", "the same with its defaults: one pass", "gensim_topics.py", "lsi-default", true, components},
	{"gensim-lda", "LdaMulticore, 20 passes, as in its tutorial", "gensim_topics.py", "lda", false, likelihood},
	{"gensim-lda-default", "the same with its defaults: one pass", "gensim_topics.py", "lda-default", true, likelihood},
	{"gensim-nmf", "Nmf, 5 passes, as in its tutorial", "gensim_topics.py", "nmf", false, counted},
	{"gensim-nmf-default", "the same with its defaults: one pass", "gensim_topics.py", "nmf-default", true, counted},
	{"scipy-eigsh", "SciPy's eigsh on the operator that Anchorage sketches, to 10⁻⁴", "cooccurrence.py", "eigsh", false, components},
	{"scipy-eigsh-default", "the same to the machine's precision", "cooccurrence.py", "eigsh-default", true, components},
	{"numpy-raw", "rectified anchor words on a dense C, 50 projections", "cooccurrence.py", "raw", false, dense},
	{"numpy-anchors", "anchor words on a dense C, not rectified", "cooccurrence.py", "anchors", true, dense},
	{"r-irlba", "irlba of R on tf-idf, to 10⁻⁸", "irlba.R", "irlba", false, components},
	{"r-irlba-default", "the same with its defaults", "irlba.R", "irlba-default", true, components},
	{"r-rcppml", "RcppML of R on tf-idf, to 10⁻⁵", "rcppml.R", "rcppml", false, weighted},
	{"r-rcppml-default", "the same with its defaults", "rcppml.R", "rcppml-default", true, weighted},
	{"r-nmf", "NMF of R, which holds the documents dense: least squares, begun by NNDSVD", "nmf.R", "nmf", false, counted},
	{"r-nmf-default", "the same with its defaults: Kullback-Leibler, begun at random", "nmf.R", "nmf-default", true, counted},
	{"jsmf", "the authors' program under Octave, dense, with alternating projection", "jsmf.m", "jsmf", false, dense},
}

// Systems are the names of all systems.
func Systems() []string {
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.name
	}
	return names
}

// find returns a system. The error lists all of them.
func find(name string) (*system, error) {
	at := slices.IndexFunc(systems, func(s system) bool { return s.name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no system %q: there are %s", name, strings.Join(Systems(), ", "))
	}
	return &systems[at], nil
}

// Programs are what runs the scripts.
type Programs struct {
	Python, R, Octave string
	Command           []string // the process that calls Child; this program with ChildCommand if empty
}

// of returns the command that runs a script, by its ending.
func (p Programs) of(script string) []string {
	switch filepath.Ext(script) {
	case ".py":
		return []string{p.Python}
	case ".R":
		return []string{p.R, "--vanilla"}
	}
	return []string{p.Octave, "--no-gui", "--quiet"}
}

// command returns the command of a run: METHOD FOLDER OUTPUT ITEMS TOPICS SEED THREADS behind what runs them. The scripts are in a folder.
func (s *system) command(p Programs, scripts, folder, output string, items int, run Run, threads int) ([]string, error) {
	var words []string
	if s.script == "" {
		own, err := report.OwnCommand(p.Command, ChildCommand)
		if err != nil {
			return nil, err
		}
		words = own
	} else {
		words = append(p.of(s.script), filepath.Join(scripts, s.script))
	}
	return append(words, s.method, folder, output, strconv.Itoa(items), strconv.Itoa(run.Topics), strconv.Itoa(run.Repeat), strconv.Itoa(threads)), nil
}

// writeScripts writes all scripts to a folder.
func writeScripts(folder string) error { return os.CopyFS(folder, peers.Beside()) }
