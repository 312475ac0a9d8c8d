"""Reads the exports of a model as their programs do: gensim, pyLDAvis and the csv module of Python.

    python3 exports.py FOLDER

FOLDER has wiki-gensim, wiki-word2vec, wiki-npy, wiki-csv, and wiki-vis if the topics of documents are known.
"""

import csv
import json
import os
import sys
import tempfile

import numpy as np
from gensim.models import KeyedVectors, LdaModel

folder = sys.argv[1]


def within(*names):
    return os.path.join(folder, *names)


def array(export, name):
    return np.load(within(export, name + ".npy"))


items = json.load(open(within("wiki-npy", "items.json"), encoding="utf-8"))
topics = array("wiki-npy", "topic_items").T  # K×N
k, n = topics.shape
assert len(items) == n and k == 20, topics.shape
shares, joint = array("wiki-npy", "shares"), array("wiki-npy", "correlations")
assert np.allclose(topics.sum(axis=1), 1, atol=1e-4)
assert np.allclose(array("wiki-npy", "mixtures").sum(axis=1), 1, atol=1e-5)
assert np.allclose(joint, joint.T) and abs(shares.sum() - 1) < 1e-9

# gensim: the topics, inference on documents of one topic, and the same after saving and loading.
sys.path.insert(0, within("wiki-gensim"))
import lda  # noqa: E402

model = lda.load()
assert np.allclose(model.get_topics(), topics, atol=1e-7), abs(model.get_topics() - topics).max()
assert np.allclose(model.alpha / model.alpha.sum(), shares, atol=2e-2)
saved = os.path.join(tempfile.mkdtemp(), "lda.model")
model.save(saved)
again = LdaModel.load(saved)
found = 0
for topic in range(k):
    words = [items[i] for i in np.argsort(-topics[topic] * (topics[topic] / topics.sum(axis=0)))[:30]]
    document = model.id2word.doc2bow(words)
    assert len(document) == 30, "the dictionary lacks words of topic %d" % topic
    mixture = dict(model.get_document_topics(document, minimum_probability=0))
    loaded = dict(again.get_document_topics(document, minimum_probability=0))
    assert abs(sum(mixture.values()) - 1) < 1e-6
    assert all(abs(mixture[t] - loaded[t]) < 0.01 for t in mixture), "the saved model infers something else"
    found += max(mixture, key=mixture.get) == topic
assert found >= k - 1, "gensim finds %d of %d topics again" % (found, k)
assert [word for word, _ in model.show_topic(0, 5)] == [items[i] for i in np.argsort(-topics[0], kind="stable")[:5]]

# gensim: vectors.
vectors = KeyedVectors.load_word2vec_format(within("wiki-word2vec"))
assert vectors.vectors.shape == (n, k) and vectors.index_to_key == items
similar = json.load(open(within("similar.json"), encoding="utf-8"))
for ours in similar:
    assert abs(ours["similarity"] - vectors.similarity("army", ours["item"])) < 1e-5, ours
for at, first in enumerate(similar):
    for later in similar[at + 1:]:
        assert first["uncertain"] <= later["uncertain"], similar
        assert any(later[key] <= first[key] for key in ("similarity", "reliability")), (first, later)

# The csv module.
with open(within("wiki-csv", "topic_items.csv"), newline="", encoding="utf-8") as file:
    rows = list(csv.reader(file))
assert rows[0] == ["item_id"] + ["topic_%d" % t for t in range(k)] and [row[0] for row in rows[1:]] == items
assert np.array_equal(np.array([row[1:] for row in rows[1:]], dtype=np.float32), topics.T)
with open(within("wiki-csv", "topics.csv"), newline="", encoding="utf-8") as file:
    assert np.allclose([float(row["share"]) for row in csv.DictReader(file)], shares)

# pyLDAvis: what its prepare() checks before it draws (pyLDAvis 3.4, _prepare.py, _input_check), and no infinite logarithm.
if os.path.exists(within("wiki-vis")):
    sys.path.insert(0, within("wiki-vis"))
    import vis

    given = vis.arguments()
    terms, documents = given["topic_term_dists"], given["doc_topic_dists"]
    assert documents.shape[1] == terms.shape[0] == k
    assert len(given["doc_lengths"]) == documents.shape[0] > 0
    assert terms.shape[1] == len(given["vocab"]) == len(given["term_frequency"]) == n
    assert (terms.sum(axis=1) >= 0.999).all() and (documents.sum(axis=1) >= 0.999).all()
    assert (terms > 0).all() and (given["term_frequency"] > 0).all() and (given["doc_lengths"] > 0).all()
    assert given["vocab"] == items and np.allclose(terms, topics, atol=1e-6)
    print("pyLDAvis: %d documents" % len(documents))

print("gensim, csv: %d topics of %d items, %d found again" % (k, n, found))
