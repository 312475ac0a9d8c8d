"""Methods on the co-occurrences C that Anchorage factors, for `go run ./bench topics`, with NumPy and SciPy.

C = (1/M) Σ_m (h h' − diag h)/(n(n−1)), where document m has the counts h, and n tokens.
  eigsh           SciPy's eigsh on the operator, which forms no C, with a tolerance of 1e-4; components as topics, as with LSI
  raw             the rectified anchor-word algorithm (Lee, Bindel & Mimno, NIPS 2015) on a dense C: 50 alternating projections, anchors by
                  pivoted Gram-Schmidt, mixtures by exponentiated gradient
"""
import peer


def weighted(counts):
    """Returns documents scaled so that C = X'X − diag(d), and d."""
    import numpy as np
    import scipy.sparse as sp

    tokens = np.asarray(counts.sum(axis=1)).ravel()
    counts = counts[tokens >= 2]
    tokens = tokens[tokens >= 2]
    scale = 1 / (tokens * (tokens - 1) * len(tokens))
    return sp.diags(np.sqrt(scale)) @ counts, np.asarray(counts.T @ scale).ravel()


def eigsh(counts, topics, seed, threads, watch):
    import numpy as np
    import scipy
    from scipy.sparse.linalg import LinearOperator, eigsh as solve

    watch.lap("import")
    x, diagonal = weighted(counts)
    xt = x.T.tocsr()
    watch.lap("operator")
    start = np.random.default_rng(seed).standard_normal(x.shape[1])
    operator = LinearOperator((x.shape[1],) * 2, matvec=lambda v: xt @ (x @ v) - diagonal * v, dtype=np.float64)
    return peer.turned(solve(operator, k=topics, which="LA", tol=1e-4, v0=start)[1].T), f"SciPy {scipy.__version__}"


def dense(counts, watch):
    import numpy as np

    n = counts.shape[1]
    c = np.empty((n, n))  # refused at once where the address space does not hold it
    x, diagonal = weighted(counts)
    (x.T @ x).toarray(out=c)
    c[np.arange(n), np.arange(n)] -= diagonal
    watch.lap("co-occurrences")
    return c


def rectify(c, topics, seed, rounds):
    """Alternates between the matrices of rank K without negative eigenvalues, those with the sum 1, and those without negative entries."""
    import numpy as np
    from scipy.sparse.linalg import eigsh as solve

    start = np.random.default_rng(seed).standard_normal(len(c))
    for _ in range(rounds):
        values, vectors = solve(c, k=topics, which="LA", v0=start)
        c = (vectors * np.maximum(values, 0)) @ vectors.T
        c += (1 - c.sum()) / c.size
        np.maximum(c, 0, out=c)
    return c / c.sum()


def anchors_of(rows, topics):
    """Returns the rows that pivoted Gram-Schmidt takes."""
    import numpy as np

    norms, basis, chosen = (rows**2).sum(axis=1), [], []
    for _ in range(topics):
        chosen.append(int(norms.argmax()))
        v = rows[chosen[-1]].copy()
        for _ in range(2):
            for b in basis:
                v -= (b @ v) * b
        v /= np.linalg.norm(v)
        basis.append(v)
        norms = np.maximum(norms - (rows @ v) ** 2, 0)
        norms[chosen] = -1
    return chosen


def mixtures(rows, chosen, rounds=500):
    """Returns the convex combinations of the anchors' rows that are nearest to the rows, by exponentiated gradient."""
    import numpy as np

    gram, right = rows[chosen] @ rows[chosen].T, rows @ rows[chosen].T
    step, best = 1 / gram.max(), np.full((len(rows), len(chosen)), 1 / len(chosen))
    for _ in range(rounds):
        descent = 2 * step * (right - best @ gram)
        best *= np.exp(descent - descent.max(axis=1, keepdims=True))
        best /= best.sum(axis=1, keepdims=True)
    return best


def raw(counts, topics, seed, threads, watch):
    import numpy as np

    c = rectify(dense(counts, watch), topics, seed, rounds=50)
    watch.lap("rectify")
    frequency = c.sum(axis=1)
    c /= np.where(frequency > 0, frequency, 1)[:, None]
    chosen = anchors_of(c, topics)
    watch.lap("anchors")
    return (mixtures(c, chosen) * np.maximum(frequency, 0)[:, None]).T, f"NumPy {np.__version__}"


peer.run({"eigsh": eigsh, "raw": raw})
