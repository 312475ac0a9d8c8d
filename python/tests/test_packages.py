"""Tests with SciPy, pandas, polars, pyarrow, scikit-learn and gensim, each where it is installed."""

import importlib.util
import unittest
import warnings

import numpy as np

import anchorage

from test_model import OPTIONS, drawn, groups


def needs(name):
    return unittest.skipUnless(importlib.util.find_spec(name), f"{name} is not installed")


def matrix(docs):
    """Returns the counts of documents, and the names of the columns."""
    import scipy.sparse as sp

    names = sorted({item for doc in docs for item in doc})
    rows = [d for d, doc in enumerate(docs) for _ in doc]
    columns = [names.index(item) for doc in docs for item in doc]
    return sp.csr_matrix((np.ones(len(rows), int), (rows, columns)), (len(docs), len(names))), names


@needs("scipy")
class Sparse(unittest.TestCase):
    def test_forms(self):
        counts, names = matrix(drawn())
        want = anchorage.fit(counts, 4, items=names, **OPTIONS)
        self.assertEqual(sorted(groups(want)), ["g0", "g1", "g2", "g3"])
        for form in ("csc", "coo", "lil", "dok"):
            got = anchorage.fit(counts.asformat(form), 4, items=names, **OPTIONS)
            np.testing.assert_array_equal(got.topic_items, want.topic_items)
        np.testing.assert_array_equal(want.transform(counts)[:7], want.transform(counts[:7]))

    def test_save_npz_is_read(self):
        import os
        import tempfile

        import scipy.sparse as sp

        counts, _ = matrix(drawn())
        want = anchorage.fit(counts, 4, **OPTIONS)
        with tempfile.TemporaryDirectory() as folder:
            for compressed in (True, False):
                path = os.path.join(folder, f"{compressed}.npz")
                sp.save_npz(path, counts, compressed)
                np.testing.assert_array_equal(anchorage.fit(path, 4, **OPTIONS).topic_items, want.topic_items)
            sp.save_npz(path, counts.tocsc())
            with self.assertRaisesRegex(anchorage.InputError, "tocsr"):
                anchorage.fit(path, 4, **OPTIONS)


@needs("pandas")
class Pandas(unittest.TestCase):
    def test_tables(self):
        import pandas as pd

        docs = drawn()
        want = sorted(groups(anchorage.fit(docs, 4, **OPTIONS)))
        long = pd.DataFrame([(f"order {d}", item, 1) for d, doc in enumerate(docs) for item in doc],
                            columns=["order_id", "product", "quantity"])
        long = long.sample(frac=1, random_state=1).sort_values("order_id", kind="stable")
        model = anchorage.fit(long, 4, **OPTIONS)
        self.assertEqual(sorted(groups(model)), want)
        ids, shares = model.transform(long, return_ids=True)
        self.assertEqual(list(ids), list(long["order_id"].unique()))
        self.assertEqual(shares.shape, (len(docs), 4))
        named = long.rename(columns={"order_id": "x", "product": "y", "quantity": "z"})
        again = anchorage.fit(named, 4, document_column="x", items_column="y", counts_column="z", **OPTIONS)
        np.testing.assert_array_equal(again.topic_items, model.topic_items)
        lists = pd.DataFrame({"id": range(100, 100 + len(docs)), "items": docs})
        model = anchorage.fit(lists, 4, **OPTIONS)
        self.assertEqual(sorted(groups(model)), want)
        self.assertEqual(model.transform(lists, return_ids=True)[0][:2], [100, 101])
        texts = pd.DataFrame({"title": [doc[0] for doc in docs], "body": [" ".join(doc[1:]) for doc in docs]})
        options = {"min_df": 1, "max_df_ratio": 1, **OPTIONS}
        self.assertEqual(sorted(groups(anchorage.fit(texts, 4, text_column="title,body", **options))), want)
        self.assertEqual(sorted(groups(anchorage.fit(texts["body"], 4, **options))), want)
        self.assertRaisesRegex(ValueError, "no column 'nix'", anchorage.fit, texts, 4, text_column="nix")
        self.assertRaisesRegex(ValueError, "document_column", anchorage.fit, named, 4, items_column="y")


class Frames(unittest.TestCase):
    docs = drawn()

    def check(self, table):
        self.assertEqual(sorted(groups(anchorage.fit(table, 4, **OPTIONS))), ["g0", "g1", "g2", "g3"])

    @needs("polars")
    def test_polars(self):
        import polars

        self.check(polars.DataFrame({"items": self.docs}))

    @needs("pyarrow")
    def test_pyarrow(self):
        import pyarrow

        self.check(pyarrow.table({"items": self.docs}))


@needs("sklearn")
class Estimator(unittest.TestCase):
    def test_check_estimator(self):
        from sklearn.utils.estimator_checks import check_estimator

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The checks fit random fractions, which "refuse", the default, refuses.
            check_estimator(anchorage.AnchorTopics(amounts="ceil"))

    def test_pipeline(self):
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline

        texts = [" ".join(doc) for doc in drawn()]
        pipeline = make_pipeline(CountVectorizer(), anchorage.AnchorTopics(4, random_state=3))
        shares = pipeline.fit_transform(texts)
        self.assertEqual(shares.shape, (240, 4))
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
        topics = pipeline[-1]
        self.assertEqual(topics.components_.shape, (4, 40))
        np.testing.assert_allclose(topics.components_.sum(axis=1), 1, rtol=1e-5)
        self.assertEqual(list(topics.get_feature_names_out()), [f"anchortopics{k}" for k in range(4)])
        names = pipeline[0].get_feature_names_out()
        self.assertEqual({len({names[i][:2] for i in row}) for row in topics.get_topic_items(8)}, {1})
        search = GridSearchCV(pipeline, {"anchortopics__n_components": [2, 4]}, cv=2).fit(texts)
        self.assertEqual(search.best_params_, {"anchortopics__n_components": 4})
        with self.assertRaisesRegex(ValueError, "CountVectorizer"):
            make_pipeline(TfidfVectorizer(), anchorage.AnchorTopics(4)).fit(texts)

    def test_score_falls_for_shuffled_topics(self):
        counts, _ = matrix(drawn())
        topics = anchorage.AnchorTopics(4).fit(counts)
        score = topics.score(counts)
        self.assertGreater(score, -np.log(40))  # what equal probabilities of all items give
        topics.components_ = topics.components_[::-1]
        self.assertLess(topics.score(counts), score)


@needs("gensim")
class Gensim(unittest.TestCase):
    def test_dictionary_and_corpus(self):
        import os
        import tempfile

        from gensim.corpora import Dictionary, MmCorpus

        docs = drawn()
        words = Dictionary(docs)
        with tempfile.TemporaryDirectory() as folder:
            path, names = os.path.join(folder, "corpus.mtx"), os.path.join(folder, "words.txt")
            MmCorpus.serialize(path, [words.doc2bow(doc) for doc in docs])
            words.save_as_text(names)
            model = anchorage.fit(path, 4, docword_vocab=names, **OPTIONS)
            self.assertEqual(sorted(groups(model)), ["g0", "g1", "g2", "g3"])


if __name__ == "__main__":
    unittest.main()
