#!/usr/bin/env python3
"""Topics and their joint probabilities by other programs, for `go run ./bench truth`.

usage: truth.py METHOD FOLDER OUTPUT ITEMS TOPICS SEED

FOLDER holds the documents as compressed sparse rows: indptr.npy, indices.npy, counts.npy. OUTPUT receives p(item | topic),
TOPICS x ITEMS, float32, .npy; a topic that was given up is 0. On standard output comes one JSON object: the stages with
their seconds, the peak memory in bytes, the passes over the documents, the name of the program, and A, the mean over
documents of E[theta theta'] (of a Dirichlet posterior with LDA, of the shares themselves with NMF). The exit code is 3 where
a library is missing.

Checked with scikit-learn 1.2.1 and gensim 4.2.0. Linear algebra has one thread. Settings are the documented best ones:
  sklearn-lda          batch, until the perplexity falls by less than 0.1 (perp_tol), 100 iterations at most
  sklearn-lda-online   https://scikit-learn.org/stable/modules/generated/sklearn.decomposition.LatentDirichletAllocation.html:
                       batches of 1/32 of the documents, from 256 to 1,024, 20 passes; learning_offset 1.1 and learning_decay 0.51,
                       at the ends of what is documented, were the best of five pairs on N = M = 2,000 (the defaults, 10 and 0.7,
                       gave 1.17 for B, these 0.71)
  sklearn-nmf          https://scikit-learn.org/stable/auto_examples/applications/plot_topics_extraction_with_nmf_lda.html:
                       Kullback-Leibler, solver mu, init nndsvda, 1,000 iterations; no penalty, since counts
                       are not weighted
  gensim-lda           https://radimrehurek.com/gensim/auto_examples/tutorials/run_lda.html: all settings
  gensim-nmf           chunks and passes as gensim-lda
"""
import json
import os
import resource
import sys
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"


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


def dirichlet_joint(gamma):
    """Returns the mean of E[theta theta'] under Dirichlet distributions with the rows of gamma."""
    import numpy as np

    total = gamma.sum(axis=1)
    weights = 1 / (total * (total + 1))
    return ((gamma * weights[:, np.newaxis]).T @ gamma + np.diag(weights @ gamma)) / len(gamma)


def shares_joint(components, shares):
    """Returns the mean of theta theta' of factors whose product is the counts."""
    shares = shares * components.sum(axis=1)
    sums = shares.sum(axis=1)
    shares = shares[sums > 0] / sums[sums > 0, None]
    return shares.T @ shares / len(shares)


def sklearn_lda(counts, topics, seed, lap, **settings):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(n_components=topics, random_state=seed, **settings).fit(counts)
    lap("fit")
    return model.components_, dirichlet_joint(model._unnormalized_transform(counts)), model.n_iter_


def sklearn_batch(counts, topics, seed, lap):
    return sklearn_lda(counts, topics, seed, lap, learning_method="batch", max_iter=100, evaluate_every=5)


def sklearn_online(counts, topics, seed, lap):
    batch = min(max(counts.shape[0] // 32, 256), 1024)
    return sklearn_lda(counts, topics, seed, lap, learning_method="online", batch_size=batch, learning_offset=1.1, learning_decay=0.51,
                       max_iter=20)


def sklearn_nmf(counts, topics, seed, lap):
    from sklearn.decomposition import NMF

    model = NMF(n_components=topics, init="nndsvda", beta_loss="kullback-leibler", solver="mu", max_iter=1000, random_state=seed)
    shares = model.fit_transform(counts)
    lap("fit")
    return model.components_, shares_joint(model.components_, shares), model.n_iter_


def bags(counts):
    """Returns documents as gensim takes them."""
    ends = zip(counts.indptr[:-1], counts.indptr[1:])
    return [list(zip(counts.indices[a:b].tolist(), counts.data[a:b].tolist())) for a, b in ends]


def gensim_lda(counts, topics, seed, lap):
    import numpy as np
    from gensim.models import LdaModel

    documents = bags(counts)
    lap("convert")
    model = LdaModel(documents, id2word={i: str(i) for i in range(counts.shape[1])}, num_topics=topics, chunksize=2000, passes=20,
                     iterations=400, alpha="auto", eta="auto", eval_every=None, random_state=seed)
    lap("fit")
    gamma = np.concatenate([model.inference(documents[d:d + 2000])[0] for d in range(0, len(documents), 2000)])
    return model.get_topics(), dirichlet_joint(gamma.astype(np.float64)), 20


def gensim_nmf(counts, topics, seed, lap):
    import numpy as np
    from gensim.models.nmf import Nmf

    documents = bags(counts)
    lap("convert")
    model = Nmf(documents, id2word={i: str(i) for i in range(counts.shape[1])}, num_topics=topics, chunksize=2000, passes=20,
                random_state=seed)
    lap("fit")
    components = model.get_topics()
    shares = np.zeros((len(documents), topics))
    for d, document in enumerate(documents):
        for k, share in model.get_document_topics(document, minimum_probability=0):
            shares[d, k] = share
    return components, shares_joint(components / components.sum(axis=1, keepdims=True), shares), 20


METHODS = {"sklearn-lda": sklearn_batch, "sklearn-lda-online": sklearn_online, "sklearn-nmf": sklearn_nmf, "gensim-lda": gensim_lda,
           "gensim-nmf": gensim_nmf}


def main():
    if len(sys.argv) != 7 or sys.argv[1] not in METHODS:
        sys.exit(__doc__)
    method, folder, output = sys.argv[1:4]
    items, topics, seed = (int(word) for word in sys.argv[4:])
    library = {"sklearn": "scikit-learn"}.get(method.split("-")[0], method.split("-")[0])
    try:
        import numpy as np
        import scipy.sparse as sp
        version = __import__(method.split("-")[0]).__version__
    except ImportError as missing:
        print(f"{missing}: install {library}; bench/peers/README.md says how", file=sys.stderr)
        sys.exit(3)
    warnings.simplefilter("ignore")
    watch = Watch()
    indptr, indices, values = (np.load(f"{folder}/{name}.npy") for name in ("indptr", "indices", "counts"))
    counts = sp.csr_matrix((values.astype(np.float64), indices, indptr), shape=(len(indptr) - 1, items))
    watch.lap("load")
    components, joint, passes = METHODS[method](counts, topics, seed, watch.lap)
    watch.lap("shares")
    if components.shape != (topics, items):
        sys.exit(f"{method} found {components.shape[0]} topics of {components.shape[1]} items")
    sums = components.sum(axis=1, keepdims=True)
    np.save(output, np.ascontiguousarray(components / np.where(sums > 0, sums, 1), dtype=np.float32))
    json.dump({"stages": watch.stages, "peak_bytes": peak_bytes(), "passes": int(passes), "program": f"{library} {version}",
               "joint": (joint / joint.sum()).ravel().tolist()}, sys.stdout)


main()
