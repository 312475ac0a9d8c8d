"""The topics of this folder as a gensim LdaModel.

    from lda import load
    model = load()
    model[model.id2word.doc2bow(["..."])]

Run as a program, it saves the model in this folder as lda.model, for LdaModel.load. Topics are as they were learned: p(item | topic)
in topics.npy. Inference works in double precision, since gensim adds the smallest step of its numbers to probabilities, which in
single precision hides rare items.
"""

import os

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import LdaModel


def load(folder=os.path.dirname(os.path.abspath(__file__))):
    """Returns an LdaModel."""
    topics = np.load(os.path.join(folder, "topics.npy")).astype(np.float64)
    topics /= topics.sum(axis=1, keepdims=True)
    tokens = np.load(os.path.join(folder, "tokens.npy"))
    dictionary = Dictionary.load_from_text(os.path.join(folder, "dictionary.txt"))
    model = LdaModel(
        id2word=dictionary,
        num_topics=len(topics),
        alpha=np.load(os.path.join(folder, "alpha.npy")),
        eta=1e-9,
        dtype=np.float64,
        random_state=1,
    )
    model.state.sstats[...] = topics * tokens[:, np.newaxis]
    model.state.numdocs = dictionary.num_docs
    model.expElogbeta = topics
    return model


if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lda.model")
    load().save(path)
    print(path)
