"""Tests of what needs NumPy only: documents of all kinds, models and errors."""

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import anchorage

OPTIONS = {"no_report": True, "progress": False}


def drawn(documents=240, seed=0):
    """Documents of four groups of ten items: most of a document's items are of its group."""
    rng = np.random.default_rng(seed)
    return [[f"g{d % 4}i{i}" for i in rng.integers(0, 10, 18)] + [f"g{(d + 1) % 4}i{i}" for i in rng.integers(0, 10, 5)]
            for d in range(documents)]


def groups(model):
    """Returns the group of each topic, by its most probable item."""
    return [model.items[int(i)][:2] for i in model.topic_items.argmax(axis=0)]


class OfLists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.docs = drawn()
        cls.model = anchorage.fit(cls.docs, 4, **OPTIONS)

    def test_arrays(self):
        m = self.model
        self.assertEqual(sorted(groups(m)), ["g0", "g1", "g2", "g3"])
        self.assertEqual(m.topic_items.shape, (40, 4))
        np.testing.assert_allclose(m.topic_items.sum(axis=0), 1, rtol=1e-5)
        np.testing.assert_allclose(m.mixtures.sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(m.shares, m.correlations.sum(axis=1), rtol=1e-3)
        self.assertEqual([t.topic for t in m.topics], [0, 1, 2, 3])
        for k, topic in enumerate(m.topics):
            self.assertAlmostEqual(topic.share, m.shares[k])
            self.assertIn(topic.anchor, m.items)
            self.assertEqual(topic.anchor, m.anchors[k])
            self.assertTrue(set(topic.prominent) <= set(m.items))

    def test_transform(self):
        shares = self.model.transform([*self.docs[:8], [], ["unknown"]])
        self.assertEqual(shares.shape, (10, 4))
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
        self.assertEqual([groups(self.model)[k] for k in shares[:8].argmax(axis=1)], ["g0", "g1", "g2", "g3"] * 2)
        np.testing.assert_allclose(shares[8], shares[9])  # both have the prior's mixture

    def test_questions(self):
        similar = self.model.similar("g1i3", 5)
        self.assertEqual(len(similar), 5)
        self.assertEqual({each.item[:2] for each in similar}, {"g1"})
        recommended = self.model.recommend(["g2i1", "g2i5"], 4)
        self.assertEqual({each.item[:2] for each in recommended}, {"g2"})
        self.assertFalse({"g2i1", "g2i5"} & {each.item for each in recommended})
        self.assertIn("documents", recommended[0].details)

    def test_save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = self.model.save(Path(folder) / "model")
            loaded = anchorage.load(Path(folder) / "model")
            np.testing.assert_array_equal(loaded.topic_items, self.model.topic_items)
            self.assertEqual(loaded.topics, self.model.topics)
            self.assertRaises(FileExistsError, self.model.save, saved.path)
            copy = pickle.loads(pickle.dumps(self.model))
            np.testing.assert_array_equal(copy.transform(self.docs[:3]), loaded.transform(self.docs[:3]))

    def test_report(self):
        report = self.model.report()
        self.assertIn("<html", report.path.read_text(encoding="utf-8"))
        self.assertIn("<iframe", report._repr_html_())
        self.assertNotIn('srcdoc="<', report._repr_html_())

    def test_a_model_goes_with_its_object(self):
        model = anchorage.fit(self.docs, 4, **OPTIONS)
        path = model.path
        self.assertTrue(path.exists())
        del model
        self.assertFalse(path.exists())

    def test_equal_input_gives_equal_bytes(self):
        again = anchorage.fit(self.docs, 4, **OPTIONS)
        np.testing.assert_array_equal(again.topic_items, self.model.topic_items)


class Kinds(unittest.TestCase):
    """The same documents in every form give the same topics."""

    def setUp(self):
        self.docs = drawn()
        self.want = anchorage.fit(self.docs, 4, **OPTIONS)

    def check(self, model):
        order = [model.items.index(item) for item in self.want.items]
        got, want = model.topic_items[order], self.want.topic_items
        best = [np.abs(got - want[:, [k]]).sum(axis=0).min() for k in range(4)]
        self.assertLess(max(best), 1e-3)

    def test_texts(self):
        # A text keeps its line breaks from being those of documents.
        self.check(anchorage.fit([" ".join(doc[:5]) + "\n\r" + " ".join(doc[5:]) for doc in self.docs], 4,
                                 min_df=1, max_df_ratio=1, **OPTIONS))

    def test_array(self):
        names = sorted({item for doc in self.docs for item in doc})
        counts = np.zeros((len(self.docs), len(names)), np.int64)
        for d, doc in enumerate(self.docs):
            for item in doc:
                counts[d, names.index(item)] += 1
        model = anchorage.fit(counts, 4, items=names, **OPTIONS)
        self.check(model)
        np.testing.assert_allclose(model.transform(counts[:5]), model.transform(self.docs[:5]), atol=1e-3)
        for kind in (np.uint8, np.int16, np.float32, np.float64):
            self.check(anchorage.fit(counts.astype(kind), 4, items=names, **OPTIONS))
        self.assertRaisesRegex(ValueError, "39 items", anchorage.fit, counts, 4, items=names[:39])
        with self.assertRaisesRegex(anchorage.InputError, "not a whole number"):
            anchorage.fit(counts / 3, 4, items=names, **OPTIONS)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "docs.jsonl"
            path.write_text("".join(json.dumps({"id": f"d{d}", "items": doc}) + "\n" for d, doc in enumerate(self.docs)))
            model = anchorage.fit(str(path), 4, **OPTIONS)
            self.check(model)
            self.check(anchorage.fit([path], 4, **OPTIONS))
            ids, shares = model.transform(path, return_ids=True)
            self.assertEqual(ids[:2], ["d0", "d1"])
            self.assertEqual(shares.shape, (len(self.docs), 4))

    def test_what_is_no_document(self):
        for docs in ([], [1, 2], ["a text", ["a", "list"]], [["a", " blank"]]):
            self.assertRaises(ValueError, anchorage.fit, docs, 2)


class Errors(unittest.TestCase):
    def test_kinds(self):
        docs = drawn(60)
        with self.assertRaises(anchorage.InputError) as caught:
            anchorage.fit("no-such-file.csv", 4, progress=False)
        self.assertEqual((caught.exception.code, caught.exception.file), (11, "no-such-file.csv"))
        with self.assertRaisesRegex(anchorage.UsageError, "unknown flag"):
            anchorage.fit(docs, 4, no_such_option=1)
        with self.assertRaises(anchorage.UsageError) as caught:
            anchorage.fit([["a", "b"], ["b", "c"], ["a", "c"]] * 9, 3, set={"polish": "never"}, progress=False)
        with tempfile.TemporaryDirectory() as folder:
            anchorage.fit(docs, 4, output=Path(folder) / "model", **OPTIONS)
            with self.assertRaises(anchorage.ExistsError):
                anchorage.fit(docs, 4, output=Path(folder) / "model", **OPTIONS)
        with self.assertRaises(anchorage.ResourceError):
            anchorage.fit(docs, 4, memory_limit="1MiB", **OPTIONS)
        self.assertRaises(anchorage.AnchorageError, anchorage.load, "no-such-model")

    def test_row(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "docs.jsonl"
            path.write_text('{"items": ["a", "b"]}\n{"items": 7\n')
            with self.assertRaises(anchorage.InputError) as caught:
                anchorage.fit(path, 2, progress=False)
            self.assertEqual((caught.exception.file, caught.exception.row), (str(path), 2))

    @unittest.skipUnless(os.name == "posix", "signals")
    def test_interrupt(self):
        program = ("import anchorage, numpy as np\nrng = np.random.default_rng(0)\n"
                   "docs = [[str(i) for i in rng.integers(0, 5000, 60)] for _ in range(8000)]\nprint('begin', flush=True)\n"
                   "try:\n    anchorage.fit(docs, 100, no_report=True, progress=False)\n"
                   "except KeyboardInterrupt:\n    print('interrupted')\n")
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, env={**os.environ, "TMPDIR": folder},
                                       # a shell's background jobs ignore the signal
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            self.assertEqual(process.stdout.readline(), "begin\n")
            while not os.listdir(folder) and process.poll() is None:  # until the documents are written
                time.sleep(0.01)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=60)
            self.assertEqual(out, "interrupted\n", said)
            self.assertEqual(os.listdir(folder), [])

    def test_progress(self):
        program = ("import anchorage\nanchorage.fit([['a', 'b', 'c'], ['b', 'c', 'd'], ['x', 'y', 'z'], ['y', 'z', 'w']] * 9,"
                   " 2, no_report=True, progress=%s)\n")
        for shown in (True, False):
            done = subprocess.run([sys.executable, "-c", program % shown], capture_output=True, text=True, check=True)
            self.assertEqual("anchorage: stage done" in done.stderr, shown)


if __name__ == "__main__":
    unittest.main()
