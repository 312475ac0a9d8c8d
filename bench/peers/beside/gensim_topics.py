"""gensim's methods, for `go run ./bench topics`. The documents come from the sparse matrix, one at a time.

The settings without -default are the documented best ones:
  lsi   LsiModel on tf-idf with several passes (onepass=False, power_iters=4)
  lda   LdaMulticore as run_lda.html of its tutorials sets LdaModel, as far as LdaMulticore has the options
  nmf   Nmf as nmf_tutorial.html has it
LdaMulticore has a process less than there are threads, beside that which feeds them, as its manual says.
"""
import peer


def opened(counts):
    from gensim.matutils import Sparse2Corpus

    return Sparse2Corpus(counts, documents_columns=False), {i: str(i) for i in range(counts.shape[1])}


def named(components):
    import gensim

    return components, f"gensim {gensim.__version__}"


def lsi(counts, topics, seed, threads, watch):
    import numpy as np
    from gensim.models import LsiModel

    watch.lap("import")
    corpus, names = opened(peer.tfidf(counts))
    watch.lap("weights")
    found = LsiModel(corpus, id2word=names, num_topics=topics, random_seed=seed, onepass=False, power_iters=4).projection.u.T
    components = np.zeros((topics, counts.shape[1]))
    components[: len(found)] = found
    return named(peer.turned(components))


def lda_default(counts, topics, seed, threads, watch, **settings):
    from gensim.models import LdaMulticore

    watch.lap("import")
    counts.data = counts.data.astype(int)
    corpus, names = opened(counts)
    model = LdaMulticore(corpus, id2word=names, num_topics=topics, workers=max(threads - 1, 1), random_state=seed, **settings)
    return named(model.get_topics())


def lda(counts, topics, seed, threads, watch):
    return lda_default(counts, topics, seed, threads, watch, chunksize=2000, passes=20, iterations=400, alpha="asymmetric", eta="auto",
                       eval_every=None)


def nmf_default(counts, topics, seed, threads, watch, **settings):
    from gensim.models.nmf import Nmf

    watch.lap("import")
    corpus, names = opened(counts)
    return named(Nmf(corpus, id2word=names, num_topics=topics, random_state=seed, **settings).get_topics())


def nmf(counts, topics, seed, threads, watch):
    return nmf_default(counts, topics, seed, threads, watch, chunksize=1000, passes=5, kappa=0.1, w_max_iter=300, w_stop_condition=0.0001,
                       h_max_iter=100, h_stop_condition=0.001)


peer.run({"lsi": lsi, "lda": lda, "lda-default": lda_default, "nmf": nmf, "nmf-default": nmf_default})
