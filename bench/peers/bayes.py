#!/usr/bin/python3
"""Compares scikit-learn's and gensim's online LDA with anchorage's, on one split, in one run.

    bench/peers/bayes.py OUT SHARD... [-- FLAG...]

Run it from the top of the repository. OUT is a folder that must not exist; the flags are those of `go run ./bench bayes`. That
program writes the documents and its own results to OUT. This script learns from the same documents in the same order, once,
in the same batches and with the same priors and step sizes. It predicts the same held-out thirds from posterior means, writes
OUT/README.md and prints it. It leaves out a program that is absent; without both there is nothing to do.

Only learning is timed. Every line has the number of workers; with one, the linear algebra of NumPy has one thread too.
"""

import csv
import datetime
import os
import platform
import subprocess
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"


def read(path):
    """Returns documents as lists of (item, count)."""
    with open(path) as lines:
        return [[tuple(map(int, entry.split(":"))) for entry in line.split()] for line in lines]


FRACTIONS = ("eta", "alpha", "t0", "kappa")  # the settings that are not whole numbers


def table(folder, name):
    """Returns the rows of a CSV file as dictionaries."""
    with open(os.path.join(folder, name), newline="") as lines:
        return list(csv.DictReader(lines))


def score(shares, topics, held):
    """Returns the mean of ln Σ_k p(item | topic) p(topic | document) over held-out tokens."""
    import numpy as np
    total, tokens = 0.0, 0
    for share, document in zip(shares, held):
        if document:
            items, counts = map(np.array, zip(*document))
            total += counts @ np.log(share @ topics[:, items])
            tokens += counts.sum()
    return total / tokens, int(tokens)


def matrix(documents, items):
    import numpy as np
    from scipy.sparse import csr_matrix
    offsets = np.cumsum([0] + [len(d) for d in documents])
    entries = [e for d in documents for e in d]
    return csr_matrix(([c for _, c in entries], [i for i, _ in entries], offsets), shape=(len(documents), items), dtype=np.float64)


def run_sklearn(s, train, test, held, workers):
    import numpy as np
    import sklearn
    from sklearn.decomposition import LatentDirichletAllocation
    x = matrix(train, s["items"])
    model = LatentDirichletAllocation(
        s["topics"], doc_topic_prior=s["alpha"], topic_word_prior=s["eta"], learning_method="online", learning_offset=s["t0"],
        learning_decay=s["kappa"], batch_size=s["batch_size"], total_samples=x.shape[0], max_iter=1, evaluate_every=-1,
        max_doc_update_iter=100, mean_change_tol=1e-3, n_jobs=workers, random_state=s["seed"])
    start = time.perf_counter()
    model.fit(x)
    seconds = time.perf_counter() - start
    topics = model.components_ / model.components_.sum(axis=1)[:, np.newaxis]
    shares = model.transform(matrix(test, s["items"]))
    return "scikit-learn " + sklearn.__version__, seconds, *score(shares, topics, held)


def run_gensim(s, train, test, held, workers):
    import gensim
    import numpy as np
    options = dict(
        num_topics=s["topics"], id2word={i: str(i) for i in range(s["items"])}, chunksize=s["batch_size"], passes=1, decay=s["kappa"],
        offset=s["t0"], alpha=np.full(s["topics"], s["alpha"]), eta=s["eta"], iterations=100, gamma_threshold=1e-3, eval_every=None,
        random_state=s["seed"])
    start = time.perf_counter()
    if workers == 1:
        model = gensim.models.LdaModel(train, **options)
    else:
        model = gensim.models.LdaMulticore(train, workers=workers, **options)
    seconds = time.perf_counter() - start
    gamma, _ = model.inference(test)
    shares = gamma / gamma.sum(axis=1)[:, np.newaxis]
    return "gensim " + gensim.__version__, seconds, *score(shares, model.get_topics().astype(np.float64), held)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, shards = sys.argv[1], sys.argv[2:]
    flags = []
    if "--" in shards:
        at = shards.index("--")
        shards, flags = shards[:at], shards[at + 1:]
    peers = []
    for name, run in (("sklearn", run_sklearn), ("gensim", run_gensim)):
        try:
            __import__(name)
            peers.append(run)
        except ImportError:
            print(name + " is absent and left out", file=sys.stderr)
    if not peers:
        return
    if os.path.exists(out):
        sys.exit(out + " exists")
    subprocess.run(["go", "run", "./bench", "bayes", "--peers", out, *flags, *shards], check=True)
    settings = {name: float(value) if name in FRACTIONS else int(value) for name, value in table(out, "settings.csv")[0].items()}
    train, test, held = (read(os.path.join(out, name)) for name in ("train.txt", "test.txt", "held.txt"))
    results = [(r["program"], int(r["workers"]), float(r["seconds"]), float(r["log_likelihood"]), int(r["tokens"]))
               for r in table(out, "anchorage.csv")]
    for run in peers:
        for workers in (1, 2):
            name, seconds, value, tokens = run(settings, train, test, held, workers)
            results.append((name, workers, seconds, value, tokens))
            print(results[-1], file=sys.stderr, flush=True)
    write(out, settings, train, results, flags)
    for name in ("train.txt", "test.txt", "held.txt"):  # large, and made again by the same command
        os.remove(os.path.join(out, name))


def commit():
    """Returns the commit of the repository, with what it is called in other results; nothing outside of one."""
    def git(*words):
        return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()
    head = git("rev-parse", "--short=12", "HEAD")
    changes = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results")
    return ", commit " + head + (" with changes" if changes else "") if head else ""


def write(out, settings, train, results, flags):
    """Writes the comparison, every program against anchorage's LDA with as many workers."""
    lines = [
        "# Online LDA of three programs", "",
        "Made on %s by" % datetime.date.today(), "", "```", "bench/peers/bayes.py OUT SHARD... -- %s" % " ".join(flags), "```", "",
        "on %s, %d processors%s. D = %d documents, V = %d, K = %d, |C| = %d, a₀ = 1/K, c₀/V = %g, ρ = (%g+t)^−%g." % (
            processor(), os.cpu_count(), commit(), len(train), settings["items"], settings["topics"], settings["batch_size"], settings["eta"],
            settings["t0"], settings["kappa"]),
        "Every program learned from the same documents in the same order, once, and predicted the same held-out thirds of %d tokens." % results[0][4],
        "Seconds are of learning, all in one run.", "",
        "| program | workers | seconds | documents per second | held-out ln p per token | anchorage's lda is faster by |",
        "| --- | ---: | ---: | ---: | ---: | ---: |"]
    ours = {workers: seconds for name, workers, seconds, _, _ in results if name == "anchorage lda"}
    for name, workers, seconds, value, _ in results:
        ratio = "%.1f" % (seconds / ours[workers]) if workers in ours and not name.startswith("anchorage") else ""
        lines.append("| %s | %d | %.2f | %.0f | %s | %s |" % (name, workers, seconds, len(train) / seconds, ("%.4f" % value).replace("-", "−"), ratio))
    text = "\n".join(lines) + "\n"
    with open(os.path.join(out, "README.md"), "w") as f:
        f.write(text)
    print(text)


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


if __name__ == "__main__":
    main()
