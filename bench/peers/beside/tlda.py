"""Online tensor LDA for `go run ./bench topics`, with NumPy and SciPy.

The method of Kangaslahti, Ebanks, Kossaifi, Liu, Alvarez & Anandkumar (Political Analysis 34, 2026; arXiv 2511.07809), whose program needs
TensorLy, written from the formulas of Anandkumar, Ge, Hsu, Kakade & Telgarsky (JMLR 15, 2014, section 3). Three words x, y, z of a document
of LDA with α = α₀·π have the moments
  M₁ = E[x] = Σ π_k b_k                                                   of topics b_k
  M₂ = (α₀+1)·E[(x − M₁)(y − M₁)'] + M₁M₁' = Σ π_k b_k b_k' = U·U'         rank K: the K first eigenpairs; W = U⁺' whitens
  T  = M₃(W, W, W) = Σ π_k^(−½) v_k⊗v_k⊗v_k,  b_k = π_k^(−½)·U·v_k         with orthonormal v_k
Averages are over all pairs and triples of different tokens of a document, without bias, and over documents, which count by their tokens
(counting alike, short ones drown the others in noise). M₃ is never formed. The factors V follow the stochastic gradient of
Σ T(v_k, v_k, v_k), batch by batch: V becomes the nearest orthonormal matrix to V + η·T(I, V, V), where T has the triples of the batch, and
corrections (of M₁, of pairs, and of tokens that are the same) from all documents. Topics are projected on the simplex.

Settings: α₀, which the method wants to be told, is that of 0.01·K, 0.03·K and 0.1·K whose Σ π_k is nearest to 1, as it is with the true one;
the time is of all three. Real text would take 0.3·K too, and predict worse. 40 epochs in 32 batches of at least 256 documents, η = 0.3/√K, falling as 1/(1 + epoch/5).
Memory is O((N + M)·K + K³) beside the documents.
"""
import peer


def whitened(counts, tokens, topics, alpha, seed):
    """Returns M₁, U and W, N×K; fewer columns where M₂ has fewer positive eigenvalues."""
    import numpy as np
    import scipy.sparse as sp
    from scipy.sparse.linalg import LinearOperator, eigsh

    scale = 1 / ((tokens - 1) * tokens.sum())
    mean = np.asarray(counts.sum(axis=0)).ravel() / tokens.sum()
    x, same = sp.diags(np.sqrt(scale)) @ counts, counts.T @ scale
    xt = x.T.tocsr()
    operator = LinearOperator((x.shape[1],) * 2, dtype=np.float64,
                              matvec=lambda v: (alpha + 1) * (xt @ (x @ v) - same * v) - alpha * mean * (mean @ v))
    start = np.random.default_rng(seed).standard_normal(x.shape[1])
    values, vectors = eigsh(operator, k=topics, which="LA", tol=1e-4, v0=start)
    vectors, values = vectors[:, values > 0], values[values > 0]
    return mean, vectors * np.sqrt(values), vectors / np.sqrt(values)


def cubed(a, b, c):
    """Returns Σ_r a_r⊗b_r⊗c_r over rows, in blocks of them."""
    import numpy as np

    k = a.shape[1]
    sums = np.zeros((k, k * k))
    for i in range(0, len(a), 2048):
        rows = slice(i, i + 2048)
        sums += a[rows].T @ (b[rows, :, None] * c[rows, None, :]).reshape(-1, k * k)
    return sums.reshape(k, k, k)


def thrice(t):
    """Returns the sum of a⊗b⊗b over the three places of a."""
    return t + t.transpose(1, 0, 2) + t.transpose(1, 2, 0)


def decomposed(counts, topics, alpha, seed, watch):
    """Returns topics in rows, not yet projected, and Σ π_k."""
    import numpy as np

    tokens = np.asarray(counts.sum(axis=1)).ravel()
    mean, u, w = whitened(counts, tokens, topics, alpha, seed)
    watch.lap("whiten")

    k, m = w.shape[1], counts.shape[0]
    weight = (alpha + 1) * (alpha + 2) / 2 / ((tokens - 1) * (tokens - 2) * tokens.mean())
    z = counts @ w
    same = 2 * cubed(w * (counts.T @ weight)[:, None], w, w) - thrice(cubed(counts.T @ (z * weight[:, None]), w, w))
    first = w.T @ mean
    pairs = (np.eye(k) + alpha * np.outer(first, first)) / (alpha + 1)  # W'·E[xy']·W, as W'M₂W = I
    rest = same / m - alpha * (alpha + 1) / 2 * thrice(np.multiply.outer(first, pairs)) \
        + alpha**2 * np.multiply.outer(np.outer(first, first), first)
    watch.lap("moments")

    def product(v, docs):
        return z[docs].T @ ((z[docs] @ v) ** 2 * weight[docs, None]) / len(docs) \
            + ((rest.reshape(-1, k) @ v).reshape(k, k, k) * v[None]).sum(axis=1)

    random = np.random.default_rng(seed)
    v = np.linalg.qr(random.standard_normal((k, k)))[0]
    for epoch in range(40):
        for docs in np.array_split(random.permutation(m), max(1, min(32, m // 256))):
            left, _, right = np.linalg.svd(v + 0.3 / np.sqrt(k) / (1 + epoch / 5) * product(v, docs))
            v = left @ right
    strength = (v * product(v, np.arange(m))).sum(axis=0)  # T(v_k, v_k, v_k) = π_k^(−½)
    watch.lap("factors")
    return (u @ v * strength).T, (1 / strength**2).sum()


def tlda(counts, topics, seed, threads, watch):
    import numpy as np

    watch.lap("import")
    counts = counts[np.asarray(counts.sum(axis=1)).ravel() >= 3]
    trials = (decomposed(counts, topics, share * topics, seed, watch) for share in (0.01, 0.03, 0.1))
    rows, _ = min(trials, key=lambda trial: abs(trial[1] - 1))
    found = np.zeros((topics, counts.shape[1]))
    for row, b in zip(found, rows):
        falling = np.sort(b)[::-1]
        shifts = (np.cumsum(falling) - 1) / np.arange(1, len(b) + 1)
        row[:] = np.maximum(b - shifts[falling > shifts][-1], 0)
    return found, f"NumPy {np.__version__}"


peer.run({"tlda": tlda})
