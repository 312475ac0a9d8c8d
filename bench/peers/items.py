"""Completes baskets with EASE, a neighbourhood inverse (MRF) and iALS in NumPy, for `go run ./bench items --python PYTHON`: FOLDER ITEMS.

FOLDER holds the documents to learn from as README.md says, and given.txt, the given items of a basket on each line. On standard output comes CSV: a
row for each method, basket and rank, with the item. A document is a row of zeros and ones.
EASE (Steck 2019): of the most frequent items, as many as 12 GiB hold, at most 16,000; λ = 200 and 500, in single precision.
MRF (Steck, NeurIPS 2019): 80 strongest neighbours of each item by exact counts, α = 0.5, λ = 10, the item's mean added.
iALS (Hu, Koren & Volinsky 2008): 100 dimensions, weight 1 + 20 of what a document has, λ = 20, 8 rounds; all items.
"""
import csv
import os
import sys
import time

try:
    import numpy as np
    from scipy.sparse import csr_matrix
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)

MOST, LIMIT = 100, 12 << 30
folder, items = sys.argv[1], int(sys.argv[2])
indptr, indices = (np.load(os.path.join(folder, name + ".npy")) for name in ("indptr", "indices"))
x = csr_matrix((np.ones(len(indices), np.float32), indices, indptr), shape=(len(indptr) - 1, items))
with open(os.path.join(folder, "given.txt")) as lines:
    given = [[int(i) for i in line.split()] for line in lines]
offsets = np.cumsum([0] + [len(row) for row in given])
asked = csr_matrix((np.ones(offsets[-1], np.float32), [i for row in given for i in row], offsets), shape=(len(given), items))
counts = np.asarray(x.sum(0)).ravel().astype(np.float64)
together = (x.T @ x).tocsr()
together.sort_indices()
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["method", "seconds", "basket", "item"])


def write(name, seconds, score):
    for first in range(0, len(given), 200):
        for number, row in enumerate(score(slice(first, min(first + 200, len(given)))), first):
            row[given[number]] = -np.inf
            best = np.argpartition(-row, MOST)[:MOST] if len(row) > MOST else np.arange(len(row))
            for item in best[np.argsort(-row[best], kind="stable")]:
                out.writerow([name, seconds, number, item])


def ease(lam):
    start = time.perf_counter()
    n = min(items, 16000, int((LIMIT / 12) ** 0.5))  # the matrix, its inverse, and scratch
    chosen = np.sort(np.argsort(-counts, kind="stable")[:n])
    p = together[chosen][:, chosen].toarray()
    p[np.diag_indices(n)] += lam
    p = np.linalg.inv(p)
    p /= -np.diag(p)
    p[np.diag_indices(n)] = 0

    def score(rows):
        all = np.full((rows.stop - rows.start, items), -1e30, np.float32)
        all[:, chosen] = asked[rows][:, chosen] @ p
        return all
    write(f"EASE, λ = {lam}, {n} items (NumPy)", time.perf_counter() - start, score)


def mrf(most=80, alpha=0.5, lam=10.0):
    start, m = time.perf_counter(), x.shape[0]
    scale = np.maximum(counts * (1 - counts / m), 1e-9) ** (alpha / 2)
    base, rows, columns, values = counts / m, [], [], []
    mean = base.copy()
    for j in range(items):
        at = slice(together.indptr[j], together.indptr[j + 1])
        near, c = together.indices[at], together.data[at]
        near, c = near[near != j], c[near != j]
        if len(near) == 0:
            continue
        c = (c - counts[j] * counts[near] / m) / (scale[j] * scale[near])
        if len(near) > most:
            strongest = np.argpartition(-np.abs(c), most)[:most]
            near, c = near[strongest], c[strongest]
        gram = together[near][:, near].toarray() - np.outer(counts[near], counts[near]) / m
        gram = gram / np.outer(scale[near], scale[near]) + lam * np.eye(len(near))
        b = np.linalg.solve(gram, c) * scale[j] / scale[near]
        rows.append(near)
        columns.append(np.full(len(near), j))
        values.append(b)
        base[j] -= (mean[near] * b).sum()
    w = csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(items, items))
    write("MRF, 80 neighbours (NumPy)", time.perf_counter() - start, lambda rows: (asked[rows] @ w).toarray() + base)


def ials(k=100, weight=20.0, lam=20.0, rounds=8):
    start, rng = time.perf_counter(), np.random.default_rng(1)

    def solve(matrix, other):
        gram, result = other.T @ other + lam * np.eye(k, dtype=np.float32), np.zeros((matrix.shape[0], k), np.float32)
        for row in range(matrix.shape[0]):
            f = other[matrix.indices[matrix.indptr[row]:matrix.indptr[row + 1]]]
            if len(f):
                result[row] = np.linalg.solve(gram + weight * (f.T @ f), (1 + weight) * f.sum(0))
        return result
    f, transposed = rng.normal(0, 0.1, (items, k)).astype(np.float32), x.T.tocsr()
    for _ in range(rounds):
        f = solve(transposed, solve(x, f))
    write("iALS, 100 dimensions (NumPy)", time.perf_counter() - start, lambda rows: solve(asked[rows], f) @ f.T)


ease(200)
ease(500)
mrf()
ials()
