"""Measures the package: the import, a fit of texts, what the exchange of counts costs, and transform beside
scikit-learn's LDA. python3 measure.py [DOCUMENTS], with the package installed; three runs of each, the median.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import anchorage
from anchorage._documents import write


def median(what, run, times=3):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begun)
    print(f"{what}: {statistics.median(taken):.2f} s")
    return statistics.median(taken)


def main(documents=750_000):
    median("import anchorage", lambda: subprocess.run([sys.executable, "-c", "import anchorage"], check=True))
    median("import numpy, which is part of it", lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True))

    rng = np.random.default_rng(1)
    words = rng.zipf(1.3, 20 * documents) % 50_000
    counts = sp.csr_matrix((np.ones(len(words), np.int32), words, np.arange(0, len(words) + 1, 20)), (documents, 50_000))
    counts.sum_duplicates()
    print(f"{counts.nnz:,} entries of {documents:,} documents")
    texts = [" ".join(f"w{i}" for i in words[20 * d:20 * d + 20]) for d in range(min(documents, 5_000))]
    quiet = {"progress": False, "no_report": True, "refine": "none", "passes": 2}
    median("fit of 5,000 texts", lambda: anchorage.fit(texts, 20, **quiet))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        median("counts to a file", lambda: write(counts, folder))
        source = write(counts, folder).arguments

        def command():
            anchorage.run("fit", *source, "-k", "20", "--replace", "-o", folder / "model", "--refine=none", "--passes=2",
                          "--no-report", progress=False)

        alone = median("fit of the file by the command line", command)
        whole = median("fit of the matrix by Python", lambda: anchorage.fit(counts, 20, **quiet))
        print(f"the exchange costs {whole - alone:.2f} s")
        model = anchorage.load(folder / "model")
        some = counts[:100_000]
        ours = median(f"transform of {some.shape[0]:,} documents", lambda: model.transform(some))

        from sklearn.decomposition import LatentDirichletAllocation

        lda = LatentDirichletAllocation(20, max_iter=1, learning_method="online", random_state=1).fit(counts[:5_000])
        theirs = median("the same by scikit-learn's LDA", lambda: lda.transform(some), times=1)
        print(f"{theirs / ours:.1f} times as long")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
