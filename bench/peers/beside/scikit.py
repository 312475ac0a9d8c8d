"""scikit-learn's methods, for `go run ./bench topics`.

The settings without -default are the documented best ones:
  nmf   MiniBatchNMF, Frobenius, on tf-idf: 20 passes in batches of an eighth of the documents (256 to 4,096), no early end
  kl    MiniBatchNMF, Kullback-Leibler, as plot_topics_extraction_with_nmf_lda.html of its examples has it
  lda   LatentDirichletAllocation, online: batches of 1/32 of the documents (256 to 1,024), 20 passes, learning_offset 1.1, learning_decay
        0.51: the best of five pairs in `go run ./bench recovery`
  svd   TruncatedSVD on tf-idf with 20 power iterations
  kl-batch   NMF on counts: Kullback-Leibler, solver mu, init nndsvda, 1,000 iterations, as in its examples without the penalty
"""
import peer


def named(model):
    import sklearn

    return model.components_, f"scikit-learn {sklearn.__version__}"


def nmf(counts, topics, seed, threads, watch, **settings):
    from sklearn.decomposition import MiniBatchNMF

    watch.lap("import")
    weights = peer.tfidf(counts)
    watch.lap("weights")
    return named(MiniBatchNMF(n_components=topics, random_state=seed, **settings).fit(weights))


def nmf_best(counts, topics, seed, threads, watch):
    batch = min(max(counts.shape[0] // 8, 256), 4096)
    return nmf(counts, topics, seed, threads, watch, max_iter=20, batch_size=batch, tol=0, max_no_improvement=None)


def kl(counts, topics, seed, threads, watch):
    return nmf(counts, topics, seed, threads, watch, beta_loss="kullback-leibler", batch_size=128, init="nndsvda", alpha_W=0.00005,
               alpha_H=0.00005, l1_ratio=0.5)


def kl_default(counts, topics, seed, threads, watch):
    return nmf(counts, topics, seed, threads, watch, beta_loss="kullback-leibler")


def kl_batch(counts, topics, seed, threads, watch):
    from sklearn.decomposition import NMF

    watch.lap("import")
    return named(NMF(n_components=topics, init="nndsvda", beta_loss="kullback-leibler", solver="mu", max_iter=1000, random_state=seed).fit(counts))


def lda(counts, topics, seed, threads, watch):
    from sklearn.decomposition import LatentDirichletAllocation

    watch.lap("import")
    batch = min(max(counts.shape[0] // 32, 256), 1024)
    return named(LatentDirichletAllocation(n_components=topics, random_state=seed, n_jobs=threads, learning_method="online", batch_size=batch,
                                           learning_offset=1.1, learning_decay=0.51, max_iter=20).fit(counts))


def svd(counts, topics, seed, threads, watch):
    from sklearn.decomposition import TruncatedSVD

    watch.lap("import")
    weights = peer.tfidf(counts)
    watch.lap("weights")
    components, program = named(TruncatedSVD(n_components=topics, random_state=seed, n_iter=20).fit(weights))
    return peer.turned(components), program


peer.run({"nmf": nmf_best, "nmf-default": nmf, "kl": kl, "kl-default": kl_default, "kl-batch": kl_batch, "lda": lda, "svd": svd})
