#!/usr/bin/python3
"""Infers documents with scikit-learn's and gensim's LDA under anchorage's topics, in one run.

    bench/peers/transform.py OUT MODEL SHARD... [-- FLAG...]

Run it from the top of the repository. OUT is a folder that must not exist; MODEL and the flags are those of `go run ./bench transform`, which
writes documents, topics and its own results to OUT. This script takes the same topics, and the same Dirichlet prior (scikit-learn its
mean: it has one value for all topics). It infers the same documents with one thread, predicts the same held-out thirds, writes
OUT/peers.csv and adds a table to OUT/README.md. It leaves out a program that is absent.
"""

import csv
import os
import subprocess
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"


def read(path):
    """Returns documents as lists of (item, count)."""
    with open(path) as lines:
        return [[tuple(map(int, entry.split(":"))) for entry in line.split()] for line in lines]


def table(folder, name):
    """Returns the rows of a CSV file as dictionaries."""
    with open(os.path.join(folder, name), newline="") as lines:
        return list(csv.DictReader(lines))


def score(shares, topics, held):
    """Returns the mean of ln Σ_k p(item | topic) p(topic | document) over held-out tokens, of at least 1e-12 each."""
    import numpy as np
    total, tokens = 0.0, 0
    for share, document in zip(shares, held):
        if document:
            items, counts = map(np.array, zip(*document))
            p = share @ topics[:, items]
            total += counts @ np.log(np.maximum(p, 1e-12))
            tokens += counts.sum()
    return total / tokens


def sklearn_inference(topics, alpha):
    import numpy as np
    import sklearn
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import LatentDirichletAllocation
    k, n = topics.shape
    model = LatentDirichletAllocation(k, doc_topic_prior=alpha.mean(), max_doc_update_iter=100, mean_change_tol=1e-3, n_jobs=1)
    model.fit(csr_matrix(np.ones((1, n))))  # makes the attributes
    model.components_ = model.exp_dirichlet_component_ = np.ascontiguousarray(np.maximum(topics, 1e-30))
    model.doc_topic_prior_ = alpha.mean()

    def prepare(documents):
        offsets = np.cumsum([0] + [len(d) for d in documents])
        entries = [e for d in documents for e in d]
        return csr_matrix(([c for _, c in entries], [i for i, _ in entries], offsets), shape=(len(documents), n), dtype=np.float64)

    return "scikit-learn " + sklearn.__version__, prepare, model.transform


def gensim_inference(topics, alpha):
    import gensim
    import numpy as np
    k, n = topics.shape
    model = gensim.models.LdaModel(num_topics=k, id2word={i: str(i) for i in range(n)}, alpha=alpha, iterations=100, gamma_threshold=1e-3,
                                   dtype=np.float64, random_state=1)
    model.expElogbeta = np.maximum(topics, 1e-30)

    def infer(documents):
        gamma, _ = model.inference(documents)
        return gamma / gamma.sum(axis=1)[:, np.newaxis]

    return "gensim " + gensim.__version__, lambda documents: documents, infer


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    out, arguments = sys.argv[1], sys.argv[2:]
    flags = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, flags = arguments[:at], arguments[at + 1:]
    peers = []
    for name, inference in (("sklearn", sklearn_inference), ("gensim", gensim_inference)):
        try:
            __import__(name)
            peers.append(inference)
        except ImportError:
            print(name + " is absent and left out", file=sys.stderr)
    if not peers:
        return
    subprocess.run(["go", "run", "-tags", "nocloud", "./bench", "transform", *arguments, *flags, "--export", "-o", out], check=True)
    import numpy as np
    settings = table(out, "settings.csv")[0]
    n, k = int(settings["items"]), int(settings["topics"])
    topics = np.fromfile(os.path.join(out, "topics.f32"), dtype="<f4").reshape(k, n).astype(np.float64)
    alpha = np.array([float(row["alpha"]) for row in table(out, "alpha.csv")])
    documents, test, held = (read(os.path.join(out, name)) for name in ("all.txt", "test.txt", "held.txt"))
    ours = next(r for r in table(out, "runs.csv") if r["method"] == "collapsed" and r["prior"] == "dirichlet" and r["workers"] == "1")
    results = []
    for inference in peers:
        name, prepare, infer = inference(topics, alpha)
        timed = prepare(documents[:5000])
        begin, cpu = time.perf_counter(), time.process_time()
        infer(timed)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
        value = score(infer(prepare(test)), topics, held)
        count = min(5000, len(documents))
        results.append((name, count / seconds, count / cpu, value))
        print(results[-1], file=sys.stderr, flush=True)
    with open(os.path.join(out, "peers.csv"), "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["program", "documents_per_second", "documents_per_cpu_second", "log_likelihood"])
        writer.writerows(results)
    lines = ["", "Other programs with the same topics, the same prior and one thread (`bench/peers/transform.py OUT MODEL SHARD... %s`), in the"
             % " ".join(["--", *flags] if flags else []), "same run. The last column compares documents per second of processor time with those of `collapsed`.", "",
             "| program | documents per second | per second of processor time | held-out ln p per token | anchorage is faster by |",
             "| --- | ---: | ---: | ---: | ---: |"]
    rate, value = float(ours["documents_per_cpu_second"]), float(ours["log_likelihood"])
    lines.append("| anchorage, collapsed | %.0f | %.0f | %.4f | |" % (float(ours["documents_per_second"]), rate, value))
    for name, second, cpu, value in results:
        lines.append("| %s | %.0f | %.0f | %.4f | %.0f |" % (name, second, cpu, value, rate / cpu))
    with open(os.path.join(out, "README.md"), "a") as f:
        f.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    for name in ("all.txt", "test.txt", "held.txt", "topics.f32", "alpha.csv"):  # large, and made again by the same command
        os.remove(os.path.join(out, name))


if __name__ == "__main__":
    main()
