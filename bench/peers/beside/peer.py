"""What the Python programs of `go run ./bench topics` share: documents in, topics and times out. README.md says how."""
import json
import os
import resource
import sys
import time
import warnings

ABSENT, MEMORY = 3, 12


class Watch:
    """Notes the seconds of stages, on the clock and of all processors together, also of processes that have ended."""

    def __init__(self):
        self.stages = []
        self.begin, self.used = time.monotonic(), self.cpu()

    @staticmethod
    def cpu():
        times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(t.ru_utime + t.ru_stime for t in times)

    def lap(self, name):
        now, used = time.monotonic(), self.cpu()
        self.stages.append({"name": name, "seconds": now - self.begin, "cpu_seconds": used - self.used})
        self.begin, self.used = now, used


def peak_bytes():
    # ru_maxrss would hold the parent's memory too: it is kept across exec.
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


def tfidf(counts):
    """Returns the weights of scikit-learn's TfidfTransformer: count·(ln((1+M)/(1+df))+1), rows of length 1."""
    import numpy as np

    weights = counts.astype(np.float64)
    df = np.bincount(weights.indices, minlength=weights.shape[1])
    weights.data *= (np.log((1 + weights.shape[0]) / (1 + df)) + 1)[weights.indices]
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    weights.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(weights.indptr))
    return weights


def turned(components):
    """Returns components of an eigenproblem as topics. A component and its negative are the same: the side with more of the square is taken."""
    import numpy as np

    positive, negative = np.maximum(components, 0), np.maximum(-components, 0)
    turn = (positive**2).sum(axis=1) < (negative**2).sum(axis=1)
    positive[turn] = negative[turn]
    return positive


def run(methods):
    """Runs the method that the command line names. A method gets counts, K, seed, threads and the watch, and returns K×N weights and the
    name of the program."""
    if len(sys.argv) != 8 or sys.argv[1] not in methods:
        sys.exit(f"usage: {sys.argv[0]} METHOD FOLDER OUTPUT ITEMS TOPICS SEED THREADS\nmethods: {', '.join(methods)}")
    method, folder, output = sys.argv[1:4]
    items, topics, seed, threads = (int(word) for word in sys.argv[4:])
    warnings.simplefilter("ignore")
    try:
        import numpy as np
        import scipy.sparse as sp

        watch = Watch()
        indptr, indices, values = (np.load(os.path.join(folder, f"{name}.npy")) for name in ("indptr", "indices", "counts"))
        counts = sp.csr_matrix((values.astype(np.float64), indices, indptr), shape=(len(indptr) - 1, items))
        del values
        watch.lap("load")
        weights, program = methods[method](counts, topics, seed, threads, watch)
        watch.lap("fit")
    except ImportError as missing:
        print(f"{missing}: bench/peers/install says what to install", file=sys.stderr)
        sys.exit(ABSENT)
    except MemoryError as full:
        print(f"out of memory: {full}", file=sys.stderr)
        sys.exit(MEMORY)
    weights = np.maximum(weights, 0)
    if weights.shape != (topics, items):
        sys.exit(f"{method} found {weights.shape[0]} topics of {weights.shape[1]} items")
    sums = weights.sum(axis=1, keepdims=True)
    np.save(os.path.join(output, "topics.npy"), np.ascontiguousarray(weights / np.where(sums > 0, sums, 1), dtype=np.float32))
    watch.lap("write")
    with open(os.path.join(output, "answer.json"), "w") as out:
        json.dump({"program": program, "stages": watch.stages, "peak_bytes": peak_bytes()}, out)
