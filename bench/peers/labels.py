"""Groups items by other methods, for `go run ./bench labels --python PYTHON`: FOLDER K ITEMS.

FOLDER holds the documents as README.md says, and labelled.txt, the numbers of the items with a label. On standard output comes CSV: a row for each
method and labelled item, with the group.

- NMF: the component in which the item weighs most, once components are scaled by what documents have of them;
- NMF, tf-idf: the same of tf-idf weights;
- k-means on an SVD: K clusters of the items' rows of V·S, of min(K, 100) dimensions, scaled to length 1; of counts and of tf-idf weights.
"""
import csv
import os
import sys
import time

try:
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.cluster import KMeans
    from sklearn.decomposition import NMF, TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)


def nmf(matrix, k):
    model = NMF(k, init="nndsvd", max_iter=100, random_state=1)
    weights = model.fit_transform(matrix).sum(axis=0)
    return (model.components_ * weights[:, None]).argmax(axis=0)


def clusters(matrix, k):
    svd = TruncatedSVD(min(k, 100), random_state=1).fit(matrix)
    vectors = normalize((svd.components_ * svd.singular_values_[:, None]).T)
    return KMeans(k, n_init=3, random_state=1).fit_predict(vectors)


folder, k, items = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
indptr, indices, counts = (np.load(os.path.join(folder, name + ".npy")) for name in ("indptr", "indices", "counts"))
x = csr_matrix((counts.astype(float), indices, indptr), shape=(len(indptr) - 1, items))
tfidf = TfidfTransformer().fit_transform(x)
labelled = np.loadtxt(os.path.join(folder, "labelled.txt"), dtype=int, ndmin=1)
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["method", "seconds", "item", "group"])
for name, method, matrix in (("NMF", nmf, x), ("NMF, tf-idf", nmf, tfidf), ("k-means on an SVD", clusters, x), ("k-means on an SVD, tf-idf", clusters, tfidf)):
    start = time.perf_counter()
    groups = method(matrix, k)
    seconds = time.perf_counter() - start
    out.writerows([name, seconds, item, groups[item]] for item in labelled)
