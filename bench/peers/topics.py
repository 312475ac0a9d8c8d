#!/usr/bin/env python3
"""Topics by other programs, for `go run ./bench topics`.

usage: topics.py METHOD FOLDER OUTPUT ITEMS TOPICS SEED

FOLDER holds the documents as compressed sparse rows: indptr.npy, indices.npy, counts.npy. OUTPUT receives p(item | topic),
TOPICS x ITEMS, float32, .npy; a topic that was given up is 0. On standard output comes one JSON object: the stages with
their seconds, the peak memory in bytes, and the name of the program. The exit code is 3 where a library is missing.
"""
import json
import resource
import sys
import time
import warnings


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_bytes():
    # ru_maxrss would hold the parent's memory too: it is kept across exec.
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class Watch:
    """Notes the seconds of stages, on the clock and of all processors together."""

    def __init__(self):
        self.stages = []
        self.begin, self.used = time.monotonic(), cpu()

    def lap(self, name):
        now, used = time.monotonic(), cpu()
        self.stages.append({"name": name, "seconds": now - self.begin, "cpu_seconds": used - self.used})
        self.begin, self.used = now, used


def tfidf(counts):
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer().fit_transform(counts)


def nmf(counts, topics, seed, watch, **rule):
    from sklearn.decomposition import MiniBatchNMF

    weights = tfidf(counts)
    watch.lap("weights")
    batch = min(max(counts.shape[0] // 8, 256), 4096)
    rule = rule or {"batch_size": batch, "tol": 0, "max_no_improvement": None}
    return MiniBatchNMF(n_components=topics, max_iter=20, random_state=seed, **rule).fit(weights).components_


def nmf_early(counts, topics, seed, watch):
    return nmf(counts, topics, seed, watch, batch_size=1024)


def lda(counts, topics, seed, watch):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_components=topics, learning_method="online", batch_size=1024, learning_offset=10.0, max_iter=10, random_state=seed
    ).fit(counts)
    return model.components_


def lsi(counts, topics, seed, watch):
    import numpy as np
    from sklearn.decomposition import TruncatedSVD

    weights = tfidf(counts)
    watch.lap("weights")
    components = TruncatedSVD(n_components=topics, random_state=seed).fit(weights).components_
    # A component and its negative are the same: the side with more of the square is taken for the topic.
    positive = np.maximum(components, 0)
    negative = np.maximum(-components, 0)
    turn = (positive**2).sum(axis=1) < (negative**2).sum(axis=1)
    positive[turn] = negative[turn]
    return positive


METHODS = {"nmf": nmf, "nmf-early": nmf_early, "lda": lda, "lsi": lsi}


def main():
    if len(sys.argv) != 7 or sys.argv[1] not in METHODS:
        sys.exit(__doc__)
    method, folder, output = sys.argv[1:4]
    items, topics, seed = (int(word) for word in sys.argv[4:])
    try:
        import numpy as np
        import scipy.sparse as sp
        import sklearn.decomposition
        import sklearn.exceptions
        import sklearn.feature_extraction.text
    except ImportError as missing:
        print(f"{missing}: install scikit-learn 1.1 or later; bench/peers/README.md says how", file=sys.stderr)
        sys.exit(3)
    # The number of passes is what is asked for.
    warnings.simplefilter("ignore", sklearn.exceptions.ConvergenceWarning)
    watch = Watch()
    indptr, indices, values = (np.load(f"{folder}/{name}.npy") for name in ("indptr", "indices", "counts"))
    counts = sp.csr_matrix((values.astype(np.float64), indices, indptr), shape=(len(indptr) - 1, items))
    watch.lap("load")
    components = METHODS[method](counts, topics, seed, watch)
    watch.lap("fit")
    if components.shape != (topics, items):
        sys.exit(f"{method} found {components.shape[0]} topics of {components.shape[1]} items")
    sums = components.sum(axis=1, keepdims=True)
    np.save(output, np.ascontiguousarray(components / np.where(sums > 0, sums, 1), dtype=np.float32))
    json.dump({"stages": watch.stages, "peak_bytes": peak_bytes(), "program": f"scikit-learn {sklearn.__version__}"}, sys.stdout)


main()
