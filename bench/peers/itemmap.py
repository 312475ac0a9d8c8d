#!/usr/bin/python3
"""How many neighbours UMAP keeps of the vectors by which anchorage map draws: of an item's 15 nearest by cosine, how many
are among its 15 nearest on UMAP's map, over 1,000 items. Debian's package is umap-learn.

    anchorage export MODEL --to word2vec -o vectors.txt
    itemmap.py vectors.txt
"""
import sys
import time

import numpy as np
import umap

DEGREE, SAMPLE = 15, 1000

with open(sys.argv[1], encoding='utf-8') as file:
    items, topics = map(int, next(file).split())
    rows = np.array([line.rstrip('\n').rsplit(' ', topics)[1:] for line in file], dtype=np.float32)
rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
began = time.monotonic()
places = umap.UMAP(n_neighbors=DEGREE + 1, min_dist=0.1, metric='cosine', random_state=1).fit_transform(rows)
seconds = time.monotonic() - began
chosen = np.random.default_rng(1).choice(len(rows), min(SAMPLE, len(rows)), replace=False)
kept = 0
for i in chosen:
    cosine, distance = rows @ rows[i], ((places - places[i]) ** 2).sum(axis=1)
    cosine[i], distance[i] = -2, np.inf
    kept += len(np.intersect1d(np.argpartition(-cosine, DEGREE)[:DEGREE], np.argpartition(distance, DEGREE)[:DEGREE]))
print(f'UMAP {umap.__version__}: {len(rows)} items, {kept / len(chosen) / DEGREE:.3f} of the neighbours kept, {seconds:.0f} s')
