// This file lists the parts, and the command lines that make the whole set of results.

package main

import (
	"anchorage/bench/internal/bayes"
	"anchorage/bench/internal/certificate"
	"anchorage/bench/internal/choosing"
	"anchorage/bench/internal/items"
	"anchorage/bench/internal/labels"
	"anchorage/bench/internal/nights"
	"anchorage/bench/internal/onepass"
	"anchorage/bench/internal/paper"
	"anchorage/bench/internal/planning"
	"anchorage/bench/internal/ranks"
	"anchorage/bench/internal/recovery"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/scale"
	"anchorage/bench/internal/soak"
	"anchorage/bench/internal/topics"
)

// parts are all parts.
var parts = []*run.Part{bayes.Part, certificate.Part, choosing.Part, items.Part, labels.Part, nights.Part, onepass.Part,
	paper.Part, planning.Part, ranks.Part, recovery.Part, scale.Part, soak.Part, topics.Part}

// lines are the command lines of a folder of bench/results, in the order of worth. DATA in them is the folder of the
// data.
type lines struct {
	folder string
	lines  []string
}

// The systems that are compared: our settings; those whose best settings end soon on wiki, these with others that end
// soon on small corpora, the best settings of the rest; and the limits of each run.
const (
	ourSettings = "anchorage,anchorage-no-refine,anchorage-reading,anchorage-prediction,anchorage-one-pass," +
		"anchorage-published,anchorage-equal-weights,anchorage-no-evidence,anchorage-no-polish,sklearn-nmf," +
		"sklearn-nmf-default,sklearn-svd"
	quickSystems = "anchorage,sklearn-nmf,sklearn-svd,gensim-lsi,scipy-eigsh,r-irlba,r-rcppml"
	goodSystems  = quickSystems + ",numpy-tlda,sklearn-kl,gensim-nmf-default,gensim-lda-default"
	slowSystems  = "gensim-nmf,sklearn-kl,sklearn-lda,gensim-lda"
	limits       = " --data DATA/data --limit 20m --memory-limit 8000"
)

// stochastic begins the lines of variational inference.
const stochastic = "bayes --data DATA/data --max-df-ratio 0.1 --topics 25,50,100 "

// starts compares where refinements begin.
const starts = "recovery --items 1000 --seed 1,2,3 --method floor,anchorage,anchorage-random,anchorage-no-refine "

// all is the set, as bench/results has it: first what is quoted most for the time that it takes.
var all = []lines{
	{"plan", []string{"plan --data DATA/data"}},
	{"topics", []string{
		"topics --data DATA/data --corpus nips,retail --vocabulary 0 --min-df 1 --max-df-ratio 1 --system " +
			"anchorage,anchorage-published,sklearn-nmf",
		"topics --data DATA/data --corpus wiki --vocabulary 0 --min-df 2 --max-df-ratio 0.3 --system " + ourSettings,
		"topics --data DATA/data --corpus nips,retail --vocabulary 0 --min-df 2 --max-df-ratio 0.3 --repeat 1,2 --system " +
			ourSettings,
	}},
	{"scale", []string{"scale --documents '' --items 10000,30000,100000,300000,1000000",
		"scale --documents '' --refine none",
		"scale --documents '' --items 1000000 --refine none --memory-limit 3072"}},
	{"scale/documents", []string{"scale --items '' --documents 1000000,10000000 --refine none"}},
	{"peers", []string{
		"topics --corpus kos,nips,retail --vocabulary 0 --repeat 1,2,3 --system " + goodSystems + limits,
		"topics --corpus drawn --vocabulary 5000 --repeat 1,2,3 --system " + goodSystems + limits,
		"topics --corpus wiki --vocabulary 0,2000,5000,20000 --repeat 1,2,3 --system " + quickSystems + limits,
		"topics --corpus wiki --vocabulary 2000,5000,20000 --repeat 1,2,3 --system numpy-raw" + limits,
		"topics --corpus wiki --vocabulary 0 --min-df 1 --max-df-ratio 1 --system " + quickSystems + limits,
		"topics --corpus reddit --vocabulary 0 --system " + quickSystems + limits,
		"topics --corpus wiki --vocabulary 5000 --system " + slowSystems + limits,
		"topics --corpus kos,nips,retail,wiki --vocabulary 0 --system " +
			"anchorage-reading,anchorage-prediction,anchorage-no-refine,anchorage-published" + limits,
		"topics --corpus nips --vocabulary 0 --topics 100,200 --system anchorage,sklearn-nmf,r-rcppml" + limits,
		"topics --corpus wiki --vocabulary 20000 --system numpy-tlda" + limits,
		"topics --corpus drawn-tweets --vocabulary 100 --topics 2 --repeat 1,2,3 --system anchorage,numpy-tlda" + limits,
		"topics --corpus drawn-tweets --vocabulary 2000 --topics 20 --repeat 1,2,3 --system anchorage,numpy-tlda" + limits,
	}},
	{"items", []string{
		"items --data DATA/data --corpus retail --topics 50 --python python3",
		"items --data DATA/data --corpus kos --topics 20 --baskets 500 --python python3",
		"items --data DATA/data --corpus debian --topics 50 --python python3",
		"items --topics 20 --items 3000 --documents 20000 --python python3",
		"items --corpus viewers --topics 50 --items 1811 --documents 5418 --baskets 1000 --python python3",
		"items --corpus market --items 48000 --documents 63000 --python python3",
	}},
	{"labels/drawn", []string{"labels"}},
	{"labels/long",
		[]string{"labels --items 5000 --documents 30000 --tokens 40 --tree 5,4,3 --concentration 0.1,0.3,0.5 --spread 0.5"}},
	{"rare/n2000",
		[]string{"recovery --items 2000 --documents 20000,80000 --method " +
			"anchorage,anchorage-no-polish,anchorage-equal-weights,anchorage-published,ap+aw,floor"}},
	{"truth",
		[]string{"recovery --items 500 --topics 5 --tokens 50 --documents " +
			"1000,3000,10000,30000,100000,300000,1000000,3000000 --seed 1,2,3,4 --method " +
			"floor,enn-exact,enn-factor,none-exact,enn-exact-auto"}},
	{"refine", []string{"topics --data DATA/data --corpus kos,nips,retail,wiki,reddit --vocabulary 0 --system " +
		"anchorage-no-refine,anchorage-reading,anchorage-prediction"}},
	{"lengths", []string{"topics --data DATA/data --corpus kos,nips,retail,wiki,reddit --vocabulary 0 --system " +
		"anchorage,anchorage-equal-documents,anchorage-no-refine,anchorage-no-refine-equal-documents"}},
	{"starts", []string{
		starts + "--topics 20,50,100,200 --documents 1000,4000,16000 --tokens 50",
		starts + "--topics 50,100,200 --documents 1000,4000,16000 --tokens 20",
		starts + "--topics 50 --documents 1000,4000,16000 --tokens 10,100,200",
		starts + "--topics 50 --documents 4000 --tokens 50 --anchor-strength 0.8",
		starts + "--topics 50 --documents 4000 --tokens 50 --anchor-strength 0.5",
		starts + "--topics 50 --documents 4000 --tokens 50 --anchor-strength 0.3",
		starts + "--topics 50 --documents 4000 --tokens 50 --deviation 3 --blocks 5 --correlation 0.8",
	}},
	{"certificate", []string{"certificate --data DATA/data --corpus drawn,kos,nips,retail,wiki"}},
	{"onepass", []string{
		"onepass --data DATA/data --corpus nips,retail,drawn,wiki --omega signs,normal-unscaled",
		"onepass --data DATA/data --corpus nips --omega signs-unscaled,normal",
		"onepass --data DATA/data --corpus wiki --min-df 2 --omega signs",
	}},
	{"choose", []string{
		"choose --data DATA/data --corpus nips,kos,retail,wiki",
		"choose",
		"choose --topics 10,25,45,70 --tokens 20,200 --multiple 10 --strength 0.6 --seed 11,12",
		"choose --topics 10,25,45,70 --concentration 0.03,0.3 --multiple 20 --strength 0.9 --seed 11,12",
		"choose --topics 10,25,45,70 --items 5000 --multiple 4 --strength 0.9 --seed 11,12",
	}},
	{"nights", []string{"nights --data DATA/data --corpus reddit-nights"}},
	{"recovery", []string{
		"recovery --seed 1,2,3 --method floor,anchorage,anchorage-no-refine,anchorage-equal-documents," +
			"anchorage-published,sklearn-kl-batch",
	}},
	{"rare/n20000",
		[]string{"recovery --items 20000 --documents 20000,80000 --method " +
			"floor,anchorage,anchorage-no-polish,anchorage-no-evidence,anchorage-equal-weights,anchorage-published"}},
	{"rare/n100000", []string{"recovery --items 100000 --documents 100000 --method floor,anchorage,anchorage-published"}},
	{"paper", []string{
		"paper --data DATA --figures 2 --corpora nips",
		"paper --data DATA --figures 3 --corpora nips,retail --topics 5,10 --seeds 1",
		"paper --data DATA --figures 3 --corpora nips,retail,wiki --topics 25 --seeds 1 --pipelines " +
			"AP+AW,PALM+LAW,ENN+LAW,LR-JSMF",
		"paper --data DATA --figures 3 --corpora nips,retail --topics 50,75,100 --seeds 1 --pipelines " +
			"AP+AW,PALM+LAW,ENN+LAW,LR-JSMF",
		"paper --data DATA --figures 3 --corpora nytimes,movies,songs --topics 50 --seeds 1 --pipelines ENN+LAW,LR-JSMF",
		"paper --data DATA --figures 4 --corpora nips,retail --topics 10,25,50,75,100 --sizes 1250,2500,5000,10000,0 " +
			"--seeds 1",
		"paper --data DATA --figures 4 --corpora wiki --topics 25 --sizes 1250,2500,5000,10000 --seeds 1",
		"paper --data DATA --figures 4 --corpora nips,retail --topics 10 --sizes 1250,2500 --seeds 10",
		"paper --data DATA --figures table1,4.3 --corpora nips,wiki",
	}},
	{"palm", []string{
		"paper --data DATA --figures 3 --corpora nips,retail --topics 10,25 --pipelines PALM+LAW,iPALM+LAW",
		"paper --data DATA --figures 3 --corpora nips,retail --topics 10 --pipelines PALM-converged+LAW",
	}},
	{"bayes", []string{
		stochastic + "--corpora reddit --batch-sizes 1000 --models bnmf,lda --documents 50000 --priors chapter,learned " +
			"--seeds 3",
		stochastic + "--corpora wiki --batch-sizes 500 --models bnmf,lda --documents 20000 --priors chapter,learned " +
			"--seeds 3",
		stochastic + "--corpora reddit --batch-sizes 1000 --models bnmf,lda --documents 50000 --priors window --seeds 2",
		"bayes --data DATA/data --max-df-ratio 0.1 --topics 25 --corpora wiki --batch-sizes 125,250,500,1000,2000,4000 " +
			"--models bnmf,cnmf --documents 20000 --seeds 3",
		"bayes --data DATA/data --max-df-ratio 0.1 --topics 25 --corpora reddit --batch-sizes 250,500,1000,2000,4000,8000 " +
			"--models bnmf,cnmf --documents 50000 --seeds 3",
		stochastic + "--corpora reddit --batch-sizes 1000 --models cnmf,lda --documents 50000 --t0 1,64",
		stochastic + "--corpora wiki --batch-sizes 500 --models cnmf --documents 20000 --priors chapter,learned",
		stochastic + "--corpora wiki --batch-sizes 500 --models lda --documents 20000 --t0 64 --seeds 3",
		stochastic + "--corpora reddit --batch-sizes 1000 --models lda --documents 25000,100000,200000",
		stochastic + "--corpora reddit --batch-sizes 1000 --models lda --documents 100000 --priors learned,window",
		stochastic + "--corpora reddit --batch-sizes 1000 --models lda --documents 200000 --t0 64 --priors chapter,learned",
		stochastic + "--corpora reddit --batch-sizes 4000 --models lda --documents 200000 --priors chapter,learned",
		stochastic + "--corpora wiki --batch-sizes 500,3000 --models lda --documents 60000 --pieces 44",
		stochastic + "--corpora wiki --batch-sizes 3000 --models lda --documents 60000 --pieces 44 --priors learned,window",
		stochastic + "--corpora reddit --models lda --documents 10000 --algorithms batch --epochs 20",
		stochastic + "--corpora wiki --models lda --documents 10000 --pieces 0,44 --algorithms batch --epochs 20",
	}},
}
