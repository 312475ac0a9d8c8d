"""Completes baskets with scikit-learn's NMF, for `go run ./bench items --python PYTHON`: FOLDER K ITEMS.

FOLDER holds the documents to learn from as README.md says, and given.txt, the given items of a basket on each line. On standard output comes CSV: a
row for each method, basket and rank, with the item. A basket is a row of zeros and ones, with and without tf-idf weights. NMF finds W of the given
half for the topics H of the documents; items are ordered by W·H.
"""
import csv
import os
import sys
import time

try:
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import MiniBatchNMF
    from sklearn.feature_extraction.text import TfidfTransformer
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)

MOST = 100
folder, topics, items = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
indptr, indices = (np.load(os.path.join(folder, name + ".npy")) for name in ("indptr", "indices"))
train = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1, items))
with open(os.path.join(folder, "given.txt")) as lines:
    given = [[int(i) for i in line.split()] for line in lines]
offsets = np.cumsum([0] + [len(row) for row in given])
asked = csr_matrix((np.ones(offsets[-1]), [i for row in given for i in row], offsets), shape=(len(given), items))
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["method", "seconds", "basket", "item"])
for name, weights in (("NMF", None), ("NMF, tf-idf", TfidfTransformer())):
    x, q = train, asked
    if weights is not None:
        x = weights.fit_transform(x)
        q = weights.transform(q)
    model = MiniBatchNMF(topics, batch_size=1024, random_state=1, max_iter=20)
    start = time.perf_counter()
    model.fit(x)
    seconds = time.perf_counter() - start
    for number, (row, known) in enumerate(zip(model.transform(q) @ model.components_, given)):
        row[known] = -np.inf
        for item in np.argsort(-row, kind="stable")[:MOST]:
            out.writerow([name, seconds, number, item])
