// This file lists the parts of the whole set of results.

package main

import (
	"strings"
	"time"
)

// part is a folder of the set, and the command lines that make it, one after the other. DATA in them stands for the folder of the data, and
// RESULTS for the part's own folder.
type part struct {
	folder string        // in that of all results
	takes  time.Duration // about, on two processors; a part that was made before has its own time
	lines  []string
	quick  string // in place of the lines: the same in seconds, on drawn data; empty for nothing
}

// series says that a line goes on from the runs in its folder.
func series(line string) bool {
	name, _, _ := strings.Cut(line, " ")
	switch name {
	case "bayes", "choose", "nights", "peers", "plan", "refine", "scale", "topics", "truth":
		return true
	}
	return false
}

// The methods that are compared on all drawn corpora but the largest one, and on that one. What is left out there takes hours.
const (
	recovery = "floor,posterior,default,no-refine,prediction,equal-weights,published,joined,joined-batch,lda,lda-10,lda-batch," +
		"sklearn-lda,sklearn-lda-online,sklearn-nmf,gensim-lda,gensim-nmf"
	largest = "floor,posterior,default,no-refine,prediction,equal-weights,published,joined,lda,lda-10,sklearn-nmf"
)

// allTopics are the methods whose topics are compared on all corpora; merged sketches and LDA take long on wiki.
const allTopics = "default,no-refine,reading,prediction,one-pass,published,equal-weights,no-evidence,no-polish,nmf,nmf-early,lsi"

// The programs that are run beside ours: those whose best settings end within two minutes on most vocabularies of wiki, the best settings of
// the others, and defaults in their place; and the limits of each run.
const (
	quickPeers   = "anchorage,sklearn-nmf,sklearn-svd,gensim-lsi,scipy-eigsh,r-irlba,r-rcppml,numpy-raw"
	slowPeers    = "gensim-nmf,sklearn-kl,sklearn-lda,gensim-lda"
	defaultPeers = "anchorage-prediction,gensim-nmf-default,gensim-lda-default,sklearn-kl-default"
	goodPeers    = "anchorage,sklearn-nmf,sklearn-svd,r-rcppml,gensim-nmf-default,gensim-lda-default"
	peerLimits   = " --time-limit 2m --memory-limit 8GB"
)

// parts is the set, as bench/results has it, in the order of worth: first what is quoted most for the time that it takes.
var parts = []part{
	{"plan", 5 * time.Minute, []string{"plan retail:25:DATA/data/retail nips:25:DATA/data/nips kos:25:DATA/data/kos wiki:50:DATA/data/wiki reddit:100:DATA/data/reddit -o RESULTS"},
		"plan wiki:4:DATA/data/wiki -o RESULTS"},
	{"topics", 40 * time.Minute, []string{
		"topics --data DATA/data -o RESULTS --corpora nips,retail --min-df 1 --max-df-ratio 1 -k 50 --seeds 1 --methods default,published,nmf --python /usr/bin/python3",
		"topics --data DATA/data -o RESULTS --corpora wiki --min-df 2 -k 50 --seeds 1 --methods " + allTopics + ",uniform,exact-sums --limit 8m --python /usr/bin/python3",
		"topics --data DATA/data -o RESULTS --corpora nips,retail --min-df 2 -k 50 --seeds 2 --methods " + allTopics + ",merged,lda --python /usr/bin/python3",
		"topics --data DATA/data -o RESULTS --corpora wiki --min-df 2 --max-items 2000,5000,20000,50000 -k 50 --methods default,published --seeds 1",
	}, "topics --data DATA/data -o RESULTS --corpora wiki --min-df 1,5 -k 4 --methods default,published --seeds 1"},
	{"scale", 90 * time.Minute, []string{"scale -o RESULTS"}, "scale -o RESULTS --items 300,600 --documents 600,1200 --document-items 300 --document-tokens 20 --topics 5"},
	{"peers", 90 * time.Minute, []string{
		"peers --data DATA/data -o RESULTS --corpora wiki --vocabulary 2000,5000,20000,100000,0 -k 50 --repeats 1 --peers " + quickPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora drawn --vocabulary 5000 -k 50 --peers " + goodPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora retail --vocabulary 0 -k 50 --repeats 1 --peers " + goodPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora wiki --vocabulary 5000 -k 50 --repeats 1 --peers " + slowPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora wiki --vocabulary 5000,0 -k 50 --repeats 1 --peers " + defaultPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora nips,kos --vocabulary 0 -k 50 --repeats 1 --peers " + goodPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora wiki --vocabulary 2000,5000,20000 -k 50 --peers " + quickPeers + peerLimits,
		"peers --data DATA/data -o RESULTS --corpora reddit --vocabulary 0 -k 50 --repeats 1 --peers " + quickPeers + peerLimits,
		"peers --data DATA/data -o RESULTS" + peerLimits,
	}, "peers --data DATA/data -o RESULTS --corpora wiki,drawn --vocabulary 150,250 -k 4 --peers anchorage,anchorage-published --repeats 1"},
	{"items/retail", 5 * time.Minute, []string{"items DATA/data/retail -o RESULTS --name retail --seeds 1 -k 50 --ease-items 500 --dimensions 50 --baskets 1200 --learning 600"},
		"items DATA/data/wiki -o RESULTS --seeds 1 -k 3 --ease-items 50 --dimensions 5 --baskets 50 --learning 50"},
	{"items/drawn", 5 * time.Minute, []string{"items -o RESULTS -k 20 --seeds 1 --drawn-items 3000 --drawn-documents 20000 --baskets 1000 --learning 800 --dimensions 20 --ease-items 1000"}, ""},
	{"labels/drawn", time.Minute, []string{"labels -o RESULTS"}, ""},
	{"rare/n2000", 15 * time.Minute, []string{"truth -o RESULTS --items 2000 -k 20 --documents 20000,80000 --tokens 100 --seeds 1 --methods default,no-polish,equal-weights,published,ap+aw"},
		"truth -o RESULTS --items 100 -k 3 --documents 300 --seeds 1 --methods default,ap+aw"},
	{"truth", 10 * time.Minute, []string{"truth -o RESULTS --documents 1000,3000,10000,30000,100000,300000,1000000,3000000 --seeds 4"},
		"truth -o RESULTS --items 100 -k 3 --documents 300,600 --seeds 1"},
	{"refine", 10 * time.Minute, []string{
		"refine --data DATA/data -o RESULTS --corpora kos -k 50 --hold 0.5,1,2,5 --python /usr/bin/python3",
		"refine --data DATA/data -o RESULTS --corpora nips,retail,wiki -k 50 --hold 0.5,1,2,5",
	}, "refine --data DATA/data -o RESULTS --corpora wiki -k 4 --hold 2"},
	{"certificate", 3 * time.Minute, []string{"certificate -o RESULTS"}, "certificate -o RESULTS --corpora 2"},
	{"paper", 30 * time.Minute, []string{"paper --data DATA -o RESULTS --topics 5,10,25,50,100 --growth-topics 10,25 --reduced wiki=25 --reduced nytimes=50 --reduced movies=50 --reduced songs=50 --reduced AP+AW=5:10:25 --reduced PALM+LAW=5:10:25 --reduced iPALM+LAW=5:10 --sizes 1250,2500,5000,10000 --max-items 60000 --seeds 1"},
		"paper --data DATA -o RESULTS --corpora wiki,songs --share 0.01 --topics 3 --sizes 60 --seeds 1"},
	{"palm", 5 * time.Minute, []string{"paper --data DATA -o RESULTS --figures 3 --corpora nips,retail --topics 10,25 --pipelines PALM+LAW,PALM-converged+LAW,iPALM+LAW --reduced PALM-converged+LAW=10"},
		"paper --data DATA -o RESULTS --figures 3 --corpora wiki --topics 3 --pipelines PALM+LAW,PALM-converged+LAW,iPALM+LAW"},
	{"choose", 20 * time.Minute, []string{"choose -o RESULTS --data DATA/data --real-to 100 --steps 6"}, "choose -o RESULTS -k 3 --items 200 --multiples 10 --seeds 1 --to 10"},
	{"recovery", 30 * time.Minute, []string{
		"truth -o RESULTS --items 2000 -k 20 --tokens 100 --documents 2000,8000,32000 --seeds 1 --python /usr/bin/python3 --methods " + recovery + ",ap+aw",
		"truth -o RESULTS --items 20000 -k 20 --tokens 100 --documents 20000,80000 --seeds 1 --limit 30m --python /usr/bin/python3 --methods " + recovery,
		"truth -o RESULTS --items 100000 -k 20 --tokens 100 --documents 100000 --seeds 1 --limit 30m --python /usr/bin/python3 --methods " + recovery,
		"truth -o RESULTS --items 100000 -k 20 --tokens 100 --documents 400000 --seeds 1 --limit 30m --python /usr/bin/python3 --methods " + largest,
	}, "truth -o RESULTS --items 100 -k 3 --documents 300 --seeds 1 --methods floor,default,joined"},
	{"rare/n20000", 2 * time.Minute, []string{"truth -o RESULTS --items 20000 -k 20 --documents 20000,80000 --tokens 100 --seeds 1 --methods default,no-polish,no-evidence,equal-weights,published"}, ""},
	{"rare/n100000", 2 * time.Minute, []string{"truth -o RESULTS --items 100000 -k 20 --documents 100000 --tokens 100 --seeds 1 --methods default,published"}, ""},
	{"labels/long", time.Minute, []string{"labels -o RESULTS --drawn-items 5000 --drawn-documents 30000 --tokens 40 --tree 5,4,3 --concentration 0.1,0.3,0.5 --spread 0.5"}, ""},
	{"bayes", 10 * time.Minute, []string{
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 1000 --models bnmf,lda --documents 50000 --priors chapter,learned --seeds 3",
		"bayes --data DATA/data --corpora wiki -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 500 --models bnmf,lda --documents 20000 --priors chapter,learned --seeds 3",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 1000 --models bnmf,lda --documents 50000 --priors window --seeds 2",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 1000 --models cnmf,lda --documents 50000 --t0 1,64",
		"bayes --data DATA/data --corpora wiki -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 500 --models cnmf --documents 20000 --priors chapter,learned",
		"bayes --data DATA/data --corpora wiki -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 500 --models lda --documents 20000 --t0 64 --seeds 3",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 1000 --models lda --documents 25000,100000,200000",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 1000 --models lda --documents 100000 --priors learned,window",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 1000 --models lda --documents 200000 --t0 64 --priors chapter,learned",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 4000 --models lda --documents 200000 --priors chapter,learned",
		"bayes --data DATA/data --corpora wiki -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 500,3000 --models lda --documents 60000 --pieces 44",
		"bayes --data DATA/data --corpora wiki -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --batch-sizes 3000 --models lda --documents 60000 --pieces 44 --priors learned,window",
		"bayes --data DATA/data --corpora reddit -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --models lda --documents 10000 --algorithms batch --epochs 20",
		"bayes --data DATA/data --corpora wiki -o RESULTS --max-df-ratio 0.1 --topics 25,50,100 --models lda --documents 10000 --pieces 0,44 --algorithms batch --epochs 20",
	}, "bayes -o RESULTS --data DATA/data --corpora wiki --topics 3,6 --batch-sizes 100 --items 100 --max-df-ratio 1"},
}
