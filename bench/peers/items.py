#!/usr/bin/python3
"""Completes baskets with scikit-learn's NMF, beside anchorage, on one division of the documents, in one run.

    bench/peers/items.py OUT [SHARD...] [-- FLAG...]

Run it from the top of the repository. OUT is a folder that must not exist; the flags are those of `go run ./bench items`, which
writes its results to OUT. This script then learns from the same documents, completes the same halves of baskets, adds its lines to
OUT/README.md, and prints them. Without scikit-learn it says so and leaves the results of anchorage.

A basket is a row of zeros and ones, with and without tf-idf weights. NMF finds W of the given half for the topics H of the documents
to learn from; items are ordered by W·H.
"""

import os
import subprocess
import sys
import tempfile
import time

SHORT, MIDDLE, LONG = 20, 50, 100


def read(folder, name):
    with open(os.path.join(folder, name)) as lines:
        return [[int(i) for i in line.split()] for line in lines]


def matrix(rows, items):
    import numpy as np
    from scipy.sparse import csr_matrix
    offsets = np.cumsum([0] + [len(r) for r in rows])
    return csr_matrix((np.ones(offsets[-1]), [i for r in rows for i in r], offsets), shape=(len(rows), items))


def judge(scores, given, held, tiers):
    """Returns recall@20, recall@20 of the rarer half of sales, recall@50 and NDCG@100, as package items defines them."""
    import numpy as np
    recall20, recall50, ndcg, found, wanted = [], [], [], 0, 0
    gains = 1 / np.log2(np.arange(LONG) + 2)
    for row, g, h in zip(scores, given, held):
        row[g] = -np.inf
        best = np.argsort(-row, kind="stable")[:LONG]
        hits = np.isin(best, h)
        recall20.append(hits[:SHORT].sum() / len(h))
        recall50.append(hits[:MIDDLE].sum() / len(h))
        ndcg.append((hits * gains).sum() / gains[:len(h)].sum())
        found += (hits[:SHORT] & (tiers[best[:SHORT]] >= 5)).sum()
        wanted += (tiers[h] >= 5).sum()
    return [float(np.mean(recall20)), found / max(wanted, 1), float(np.mean(recall50)), float(np.mean(ndcg))]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out, shards, flags = sys.argv[1], sys.argv[2:], []
    if "--" in shards:
        at = shards.index("--")
        shards, flags = shards[:at], shards[at + 1:]
    topics = 100
    for flag, value in zip(flags, flags[1:]):
        if flag in ("-k", "--topics"):
            topics = int(value)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "run", "./bench", "items", "-o", out, "--peers", folder, *flags, *shards], check=True)
        try:
            import numpy as np
            import sklearn
            from sklearn.decomposition import MiniBatchNMF
            from sklearn.feature_extraction.text import TfidfTransformer
        except ImportError:
            print("scikit-learn is absent: only anchorage was measured", file=sys.stderr)
            return
        train, given, held = (read(folder, name) for name in ("train.txt", "given.txt", "held.txt"))
        tiers = np.array([t for (t,) in read(folder, "tiers.txt")])
    lines = ["", "## scikit-learn %s, half of each basket held out, first seed" % sklearn.__version__, "",
             "`bench/peers/items.py` learned from the same documents with %d components, in batches of 1,024 documents, and completed the same baskets." % topics, "",
             "| method | recall@20 | rarer half | recall@50 | NDCG@100 | seconds to learn |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, weights in (("NMF", None), ("NMF, tf-idf", TfidfTransformer())):
        x, q = matrix(train, len(tiers)), matrix(given, len(tiers))
        if weights is not None:
            x = weights.fit_transform(x)
            q = weights.transform(q)
        model = MiniBatchNMF(topics, batch_size=1024, random_state=1, max_iter=20)
        start = time.perf_counter()
        model.fit(x)
        seconds = time.perf_counter() - start
        figures = judge(model.transform(q) @ model.components_, given, held, tiers)
        lines.append("| %s | %s | %.0f |" % (name, " | ".join("%.4f" % f for f in figures), seconds))
    text = "\n".join(lines) + "\n"
    with open(os.path.join(out, "README.md"), "a") as f:
        f.write(text)
    print(text)


if __name__ == "__main__":
    main()
