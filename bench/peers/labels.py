#!/usr/bin/python3
"""Compares topics of items with known labels for other methods, beside anchorage, on the same documents, in one run.

    bench/peers/labels.py OUT [SHARD...] [-- FLAG...]

Run it from the top of the repository. OUT is a folder that must not exist; the flags are those of `go run ./bench labels`, which
writes its results to OUT. This script then groups the same items, adds its lines to OUT/README.md and OUT/scores.csv, and prints them.
Without scikit-learn it says so and leaves the results of anchorage.

Every method gives each item one of K groups, K being the number of topics of a level:

- NMF: the component in which the item weighs most, once components are scaled by what documents have of them;
- NMF, tf-idf: the same of tf-idf weights;
- k-means on an SVD: K clusters of the items' rows of V·S, of min(K, 100) dimensions, scaled to length 1; of counts and of tf-idf weights.
"""

import os
import subprocess
import sys
import tempfile
import time

LEAST_DF = (1, 5, 20)


def read(path):
    """Returns lines of pairs, as two lists of numbers each."""
    with open(path) as lines:
        for line in lines:
            pairs = [pair.split(":") for pair in line.split()]
            yield [int(p[0]) for p in pairs], [int(p[1]) if len(p) > 1 else 0 for p in pairs]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out, shards, flags = sys.argv[1], sys.argv[2:], []
    if "--" in shards:
        at = shards.index("--")
        shards, flags = shards[:at], shards[at + 1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "run", "-tags", "nocloud", "./bench", "labels", "-o", out, "--peers", folder, *flags, *shards], check=True)
        try:
            import numpy as np
            import sklearn
            from scipy.sparse import csr_matrix
            from sklearn.cluster import KMeans
            from sklearn.decomposition import NMF, TruncatedSVD
            from sklearn.feature_extraction.text import TfidfTransformer
            from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score
            from sklearn.preprocessing import normalize
        except ImportError:
            print("scikit-learn is absent: only anchorage was measured", file=sys.stderr)
            return
        rows, columns, counts, documents = [], [], [], 0
        for items, numbers in read(os.path.join(folder, "documents.txt")):
            rows += [documents] * len(items)
            columns += items
            counts += numbers
            documents += 1
        levels = []
        for items, labels in read(os.path.join(folder, "labels.txt")):
            levels.append((items[0], np.array(items[1:]), np.array(labels[1:])))
    items = max(max(columns), max(int(level[1].max()) for level in levels)) + 1
    x = csr_matrix((np.array(counts, float), (rows, columns)), shape=(documents, items))
    df = np.bincount(columns, minlength=items)
    tfidf = TfidfTransformer().fit_transform(x)

    def nmf(matrix, k):
        model = NMF(k, init="nndsvd", max_iter=100, random_state=1)
        weights = model.fit_transform(matrix).sum(axis=0)
        return (model.components_ * weights[:, None]).argmax(axis=0)

    def clusters(matrix, k):
        svd = TruncatedSVD(min(k, 100), random_state=1).fit(matrix)
        vectors = normalize((svd.components_ * svd.singular_values_[:, None]).T)
        return KMeans(k, n_init=3, random_state=1).fit_predict(vectors)

    methods = (("NMF", nmf, x), ("NMF, tf-idf", nmf, tfidf), ("k-means on an SVD", clusters, x), ("k-means on an SVD, tf-idf", clusters, tfidf))
    lines = ["", "## scikit-learn %s" % sklearn.__version__, "", "`bench/peers/labels.py` grouped the items of the same documents, those of the first seed.", "",
             "| topics | method | least documents | NMI | AMI | seconds |", "| ---: | --- | ---: | ---: | ---: | ---: |"]
    with open(os.path.join(out, "scores.csv"), "a") as scores:
        for k, labelled, labels in levels:
            for name, method, matrix in methods:
                start = time.perf_counter()
                groups = method(matrix, k)[labelled]
                seconds = time.perf_counter() - start
                for least in LEAST_DF:
                    some = df[labelled] >= least
                    nmi = normalized_mutual_info_score(labels[some], groups[some])
                    ami = adjusted_mutual_info_score(labels[some], groups[some])
                    lines.append("| %d | %s | %d | %.4f | %.4f | %.0f |" % (k, name, least, nmi, ami, seconds))
                    print(lines[-1], flush=True)
                    scores.write('%s,1,%d,%d,%d,%d,%d,%.6f,%.6f\n' % ('"%s"' % name if "," in name else name, k, least, some.sum(), len(set(labels[some])), len(set(groups[some])), nmi, ami))
    with open(os.path.join(out, "README.md"), "a") as readme:
        readme.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
