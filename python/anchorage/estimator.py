"""An estimator of scikit-learn."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_non_negative

from ._model import fit
from ._program import AnchorageError


class AnchorTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Topics of a matrix of counts, for pipelines after CountVectorizer.

    Parameters
    ----------
    n_components : number of topics K, or fewer where the documents cannot show as many; that is a warning.
    random_state : int, RandomState or None, which is the seed 1: results are reproducible by default.
    amounts : what to do with values that are not whole numbers. "refuse" raises a ValueError; "round" takes the
        nearest whole number, and "ceil" the next greater one. tf-idf weights are no counts.
    options : dict of further flags of ``anchorage fit``, as ``anchorage.fit`` takes them.

    Attributes
    ----------
    components_ : array of K×N: p(item | topic); rows have the sum 1. Columns that no document has are 0.
    model_ : the anchorage.Model; None if there is a single topic, which is how often each item occurs.
    n_features_in_ : N.
    """

    def __init__(self, n_components=10, *, random_state=None, amounts="refuse", options=None):
        self.n_components = n_components
        self.random_state = random_state
        self.amounts = amounts
        self.options = options

    def fit(self, X, y=None):
        """Learns the topics of X, M×N: a row per document and a column per item."""
        X = self._counts(X, reset=True)
        if X.shape[0] < 2:
            raise ValueError(f"topics need more than n_samples = {X.shape[0]} sample")
        if X.shape[1] < 2:
            raise ValueError(f"topics need more than n_features = {X.shape[1]} feature")
        if X.nnz == 0:
            raise ValueError("X has no counts")
        if self.n_components < 1:
            raise ValueError(f"n_components is at least 1, not {self.n_components}")
        self.model_ = self._fit(X)
        if self.model_ is None:
            self.components_ = np.asarray(X.sum(axis=0), dtype=float) / X.sum()
        else:
            self.components_ = np.zeros((len(self.model_.topics), X.shape[1]))
            self.components_[:, np.array(self.model_.items, dtype=int)] = self.model_.topic_items.T
        if len(self.components_) < self.n_components:
            warnings.warn(f"the documents show {len(self.components_)} topics, not {self.n_components}", stacklevel=2)
        return self

    def _fit(self, X):
        """Returns a model of at most n_components topics, or None if the documents show only one."""
        # The vectorizer has chosen the items, so none is left out here.
        options = {"min_df": 1, "max_df_ratio": 1, "min_items": 1, "min_tokens": 1, "no_report": True,
                   "seed": self._seed(), **(self.options or {})}
        options["set"] = {"allow-single-items": True, **options.get("set", {})}
        k = min(self.n_components, int((np.diff(X.indptr) > 0).sum()), len(np.unique(X.indices)))
        while k > 1:
            try:
                return fit(X, k, progress=False, **options)
            except AnchorageError as error:
                if "most_topics" not in error.details:
                    raise
                k = min(error.details["most_topics"], k - 1)
        return None

    def transform(self, X):
        """Returns p(topic | document), M×K."""
        check_is_fitted(self)
        return self._mixtures(self._counts(X, reset=False))

    def _mixtures(self, X):
        """Returns p(topic | document) of a matrix that was checked."""
        if self.model_ is None:
            return np.ones((X.shape[0], 1))
        return self.model_.transform(X).astype(float)

    def score(self, X, y=None):
        """Returns the mean log-likelihood of a held-out token, in nats: topics are inferred from one half of the tokens
        of each document, and predict the other half. The division depends on X only.
        """
        check_is_fitted(self)
        X = self._counts(X, reset=False)
        known, hidden = X.copy(), X.copy()
        known.data = np.random.default_rng(0).binomial(X.data.astype(np.int64), 0.5).astype(X.dtype)
        hidden.data = X.data - known.data
        known.eliminate_zeros()
        hidden.eliminate_zeros()
        if hidden.nnz == 0:
            return 0.0
        shares, total = self._mixtures(known), 0.0
        rows = np.repeat(np.arange(X.shape[0]), np.diff(hidden.indptr))
        least = np.finfo(float).tiny
        for begin in range(0, hidden.nnz, 1 << 16):
            part = slice(begin, begin + (1 << 16))
            p = np.einsum("ik,ki->i", shares[rows[part]], self.components_[:, hidden.indices[part]])
            total += hidden.data[part] @ np.log(np.maximum(p, least))
        return float(total / hidden.data.sum())

    def get_topic_items(self, n=10):
        """Returns the n most probable columns of each topic, K×n; see also model_.topics."""
        check_is_fitted(self)
        return np.argsort(-self.components_, axis=1, kind="stable")[:, :n]

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def _seed(self):
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return 1 if self.random_state is None else int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _counts(self, X, reset):
        """Checks X and returns it as a CSR matrix of whole numbers."""
        X = self._validate_data(X, accept_sparse="csr", dtype=[np.float64, np.float32, np.int64, np.int32], reset=reset)
        check_non_negative(X, "AnchorTopics")
        X = sp.csr_matrix(X)
        X.sum_duplicates()
        rounded = np.ceil(X.data) if self.amounts == "ceil" else np.rint(X.data)
        if self.amounts == "refuse" and (rounded != X.data).any():
            raise ValueError("X has values that are not whole numbers. AnchorTopics learns from counts: use "
                             "CountVectorizer rather than TfidfVectorizer, or AnchorTopics(amounts='round')")
        if self.amounts not in ("refuse", "round", "ceil"):
            raise ValueError(f"amounts is 'refuse', 'round' or 'ceil', not {self.amounts!r}")
        X = sp.csr_matrix((rounded.astype(np.int64), X.indices, X.indptr), shape=X.shape)
        X.eliminate_zeros()
        return X

    def _more_tags(self):
        return {"requires_positive_X": True, "preserves_dtype": []}
