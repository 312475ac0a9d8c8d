"""Models: fitting, loading, and what can be asked of them."""

import html
import json
import os
import shutil
import tempfile
import weakref
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._documents import Columns, Input, write
from ._program import flags, run

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Topic:
    """A topic: its number, which is its column in arrays, its name, its share of all tokens, and its items."""

    topic: int
    share: float
    name: str = ""
    anchor: str = ""
    prominent: List[str] = field(default_factory=list)
    characteristic: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Similar:
    """An item that occurs with the same other items as another. ``details`` has all that the program says of it."""

    item: str
    similarity: float
    documents: int
    uncertain: bool = False
    details: Dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Recommendation:
    """An item that completes a basket. ``details`` has all that the program says of it."""

    item: str
    score: float
    details: Dict[str, Any] = field(default_factory=dict, repr=False)


class Report:
    """The page of a model: it shows itself in a notebook, and ``path`` is its file."""

    def __init__(self, path: Path):
        self.path = path

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:720px;border:0" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r})"


def fit(docs, n_topics: Union[int, str] = 50, *, output: Optional[PathLike] = None, items: Optional[Iterable] = None,
        text_column: Optional[str] = None, items_column: Optional[str] = None, counts_column: Optional[str] = None,
        document_column: Optional[str] = None, progress: Optional[bool] = None, **options) -> "Model":
    """Learns a model of documents.

    docs is one of: a path, pattern or URL of shards, or a list of os.PathLike; a SciPy sparse matrix or a NumPy array
    of counts, a row per document, whose columns ``items`` names; a list of strings, which are cut into words; a list
    of lists of items; a pandas, polars or pyarrow table. The columns of a table are found by their names, or named.

    ``n_topics`` may be "auto". ``output`` is a folder to keep the model in; without it the model goes with the object,
    unless ``Model.save`` keeps it. Other options are the flags of ``anchorage fit``: ``min_df=5``, ``seed=3``,
    ``memory_limit="2GiB"``, ``set={"relevance": 0.8}``. See ``AnchorageError`` for what is raised.
    """
    columns = Columns(text_column, items_column, counts_column, document_column)
    scratch = None
    if output is None:
        scratch = tempfile.mkdtemp(prefix="anchorage-")
        output = Path(scratch) / "model"
    try:
        with tempfile.TemporaryDirectory(prefix="anchorage-") as folder:
            source = write(docs, Path(folder), items, columns)
            run("fit", *source.arguments, *_named(source, columns), f"--topics={n_topics}", f"--output={os.fspath(output)}",
                *flags(options), progress=progress)
        return Model(output, names=source.names, scratch=scratch)
    except BaseException:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
        raise


def load(path: PathLike) -> "Model":
    """Loads a model that ``anchorage fit``, ``update`` or ``steer`` has written, or ``Model.save``."""
    model = Model(path)
    model.topics  # fails now if there is no model
    return model


def _named(source: Input, columns: Columns) -> List[str]:
    """Returns the flags that name columns of files."""
    if source.ids is not None:
        return []
    return flags({"text_column": columns.text, "items_column": columns.items, "counts_column": columns.counts,
                  "document_column": columns.document})


class Model:
    """A model in a folder. Arrays are read when they are first asked for; N is the number of items and K of topics."""

    def __init__(self, path: PathLike, names: Optional[List[str]] = None, scratch: Optional[str] = None):
        self.path = Path(path) if "://" not in os.fspath(path) else path
        self._names, self._scratch = names, scratch
        if scratch:
            weakref.finalize(self, shutil.rmtree, scratch, True)

    def __getstate__(self) -> Dict[str, Any]:
        """Pickles hold the path of a model, and the files of one that goes with its object."""
        state = {"path": self.path, "names": self._names}
        if self._scratch:
            state["files"] = {str(each.relative_to(self.path)): each.read_bytes()
                              for each in sorted(Path(self.path).rglob("*")) if each.is_file()}
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        files, scratch, path = state.get("files"), None, state["path"]
        if files is not None:
            scratch = tempfile.mkdtemp(prefix="anchorage-")
            path = Path(scratch) / "model"
            for name, content in files.items():
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                (path / name).write_bytes(content)
        self.__init__(path, state["names"], scratch)

    def __repr__(self) -> str:
        return f"<anchorage.Model of {len(self.topics)} topics and {len(self.items)} items in {str(self.path)!r}>"

    @cached_property
    def topics(self) -> List[Topic]:
        """The topics, by number."""
        found = json.loads(run("topics", self.path, "--json", "--top=20", progress=False))["topics"]
        return sorted((_take(Topic, each) for each in found), key=lambda topic: topic.topic)

    @cached_property
    def _arrays(self) -> Path:
        folder = tempfile.mkdtemp(prefix="anchorage-")
        weakref.finalize(self, shutil.rmtree, folder, True)
        run("export", self.path, "--to=npy", f"--output={folder}/arrays", progress=False)
        return Path(folder) / "arrays"

    def _array(self, name: str) -> np.ndarray:
        return np.load(self._arrays / (name + ".npy"), mmap_mode="r")

    @cached_property
    def items(self) -> List[str]:
        """The ids of the N items, in the order of the rows of arrays."""
        return [str(each) for each in json.loads((self._arrays / "items.json").read_text(encoding="utf-8"))]

    @property
    def anchors(self) -> List[str]:
        """The anchor item of each topic."""
        return [topic.anchor for topic in self.topics]

    @cached_property
    def shares(self) -> np.ndarray:
        """p(topic), K numbers of sum 1."""
        return self._array("shares")

    @cached_property
    def topic_items(self) -> np.ndarray:
        """B, N×K: p(item | topic); columns have the sum 1."""
        return self._array("topic_items")

    @cached_property
    def mixtures(self) -> np.ndarray:
        """p(topic | item), N×K; rows have the sum 1."""
        return self._array("mixtures")

    @cached_property
    def correlations(self) -> np.ndarray:
        """A, K×K: the joint probability of the topics of two tokens of a document."""
        return self._array("correlations")

    def transform(self, docs, *, items: Optional[Iterable] = None, text_column: Optional[str] = None,
                  items_column: Optional[str] = None, counts_column: Optional[str] = None,
                  document_column: Optional[str] = None, return_ids: bool = False, progress: Optional[bool] = False,
                  **options) -> Union[np.ndarray, Tuple[Sequence[Any], np.ndarray]]:
        """Returns the topics of documents, M×K, with a row per document; with ``return_ids`` also the documents' ids.

        docs are given as to ``fit``; options are flags of ``anchorage transform``. A document without a known item has
        the prior's mixture.
        """
        columns = Columns(text_column, items_column, counts_column, document_column)
        with tempfile.TemporaryDirectory(prefix="anchorage-") as folder:
            source = write(docs, Path(folder), self._names if items is None else items, columns)
            run("transform", self.path, *source.arguments, *_named(source, columns), f"--output={folder}/documents",
                *flags(options), progress=progress)
            run("export", self.path, "--to=npy", f"--documents={folder}/documents", f"--output={folder}/arrays",
                progress=False)
            shares = np.load(Path(folder) / "arrays" / "document_topics.npy")
            if not return_ids:
                return shares
            ids = source.ids
            if ids is None:
                ids = json.loads((Path(folder) / "arrays" / "documents.json").read_text(encoding="utf-8"))
            return ids, shares

    def similar(self, item: Any, n: int = 10, **options) -> List[Similar]:
        """Returns the items most like an item: substitutes. Options are flags of ``anchorage items MODEL similar``."""
        return self._ask(Similar, "similar", [item], n, options)

    def recommend(self, basket: Iterable[Any], n: int = 10, **options) -> List[Recommendation]:
        """Returns the items that complete a basket. Options are flags of ``anchorage items MODEL with``.

        ``learn`` once makes the answers much better.
        """
        return self._ask(Recommendation, "with", [basket] if isinstance(basket, str) else basket, n, options)

    def _ask(self, kind, verb: str, items: Iterable[Any], n: int, options: Dict) -> list:
        answer = json.loads(run("items", self.path, verb, f"--number={n}", "--json", *flags(options), "--",
                                *map(str, items), progress=False))
        return [_take(kind, each) for each in answer]

    def learn(self, docs, *, items: Optional[Iterable] = None, progress: Optional[bool] = None, **options) -> None:
        """Counts pairs of items in documents, for ``recommend`` and ``similar``. Options are flags of
        ``anchorage items MODEL learn``.
        """
        with tempfile.TemporaryDirectory(prefix="anchorage-") as folder:
            source = write(docs, Path(folder), self._names if items is None else items)
            run("items", self.path, "learn", *source.arguments, *flags(options), progress=progress)

    def report(self) -> Report:
        """Returns the page that shows the model; a notebook displays it."""
        page = Path(self.path) / "report.html"
        if not page.is_file():
            page = self._arrays.parent / "report.html"
            if not page.is_file():
                run("report", self.path, f"--output={page}", progress=False)
        return Report(page)

    def save(self, path: PathLike, replace: bool = False) -> "Model":
        """Copies the model to a folder, and returns the model there."""
        target = Path(path)
        if target.exists():
            if not replace or not (target / "manifest.json").is_file() or target.resolve() == Path(self.path).resolve():
                raise FileExistsError(f"{target} exists")
        partial = target.with_name(target.name + ".partial")
        shutil.copytree(self.path, partial)
        if target.exists():
            shutil.rmtree(target)
        os.replace(partial, target)
        return Model(target, names=self._names)


def _take(kind, value: Dict[str, Any]):
    """Makes a dataclass of the fields of a JSON object that it has; ``details`` is the whole object."""
    known = {each.name for each in fields(kind)}
    taken = {name: each for name, each in value.items() if name in known}
    if "details" in known:
        taken["details"] = value
    return kind(**taken)
