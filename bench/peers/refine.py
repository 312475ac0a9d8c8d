"""Learns topics by LDA of another program, for `go run ./bench refine`.

    refine.py METHOD FOLDER OUTPUT ITEMS TOPICS SEED

METHOD is sklearn-lda or gensim-lda. FOLDER has train.txt, test.txt and held.txt: a line per document, of item:count. The program
makes 10 passes over train.txt. After 1, 2, 5 and 10 it finds the mixtures of test.txt and scores held.txt. OUTPUT gets the
likelihood and the ten most probable items of the best topics, as JSON. Standard output gets the passes and the time that these
took to learn. The exit code is 3 if a library is missing.
"""

import json
import os
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

CHECKS = (1, 2, 5, 10)
TOP = 10
LEAST = 1e-12


def read(path):
    """Returns documents as lists of (item, count)."""
    with open(path) as lines:
        return [[tuple(map(int, entry.split(":"))) for entry in line.split()] for line in lines]


def matrix(documents, items):
    offsets = np.cumsum([0] + [len(d) for d in documents])
    entries = [e for d in documents for e in d]
    return csr_matrix(([c for _, c in entries], [i for i, _ in entries], offsets), shape=(len(documents), items), dtype=np.float64)


def score(shares, topics, held):
    """Returns the mean of ln p over held-out tokens, the share of those with no probability, and the number of tokens."""
    total, impossible, tokens = 0.0, 0, 0
    for share, document in zip(shares, held):
        if document:
            items, counts = map(np.array, zip(*document))
            p = share @ topics[:, items]
            total += counts @ np.log(np.maximum(p, LEAST))
            impossible += counts[p < LEAST].sum()
            tokens += counts.sum()
    return total / tokens, float(impossible / tokens), int(tokens)


def sklearn_lda(train, test, items, topics, seed):
    """Returns the name of the program, and functions that make a pass and that give topics and mixtures."""
    import sklearn
    from sklearn.decomposition import LatentDirichletAllocation
    x, t = matrix(train, items), matrix(test, items)
    model = LatentDirichletAllocation(
        topics, learning_method="online", batch_size=256, learning_offset=64, learning_decay=0.7, total_samples=x.shape[0],
        mean_change_tol=1e-3, n_jobs=1, random_state=seed)

    def state():
        return model.components_ / model.components_.sum(axis=1)[:, np.newaxis], model.transform(t)

    return "scikit-learn " + sklearn.__version__, lambda: model.partial_fit(x), state


def gensim_lda(train, test, items, topics, seed):
    """Does the same with gensim."""
    import gensim
    model = gensim.models.LdaModel(
        num_topics=topics, id2word={i: str(i) for i in range(items)}, alpha="auto", eta="auto", passes=1, chunksize=2000, iterations=100,
        eval_every=None, random_state=seed)

    def state():
        gamma, _ = model.inference(test)
        return model.get_topics().astype(np.float64), gamma / gamma.sum(axis=1)[:, np.newaxis]

    return "gensim " + gensim.__version__, lambda: model.update(train), state


def main():
    method, folder, output = sys.argv[1:4]
    items, topics, seed = map(int, sys.argv[4:7])
    train, test, held = (read(os.path.join(folder, name)) for name in ("train.txt", "test.txt", "held.txt"))
    try:
        program, learn, state = {"sklearn-lda": sklearn_lda, "gensim-lda": gensim_lda}[method](train, test, items, topics, seed)
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(3)
    best, seconds, cpu = None, 0.0, 0.0
    for number in range(1, max(CHECKS) + 1):
        start, used = time.perf_counter(), time.process_time()
        learn()
        seconds += time.perf_counter() - start
        cpu += time.process_time() - used
        if number not in CHECKS:
            continue
        b, shares = state()
        value, impossible, tokens = score(shares, b, held)
        print("%s, %d passes: %.4f" % (method, number, value), file=sys.stderr, flush=True)
        if best is None or value > best[0]["log_likelihood"]:
            lists = np.argsort(-b, axis=1, kind="stable")[:, :TOP].tolist()
            best = ({"log_likelihood": value, "impossible": impossible, "tokens": tokens, "lists": lists}, number, seconds, cpu)
    with open(output, "w") as f:
        json.dump(best[0], f)
    json.dump({"stages": [{"name": "learn", "seconds": best[2], "cpu_seconds": best[3]}], "passes": best[1], "program": program}, sys.stdout)


if __name__ == "__main__":
    try:
        import numpy as np
        from scipy.sparse import csr_matrix
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(3)
    main()
