"""Writes documents that are in memory as files that the program reads at full speed.

Counts become the arrays of a SciPy CSR matrix in an uncompressed .npz, with a list of the items' names beside it;
texts become lines. Nothing that is a number passes through text.
"""

import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ._program import is_sequence

# Names of columns, in lower case, in the order in which they are looked for.
_TEXTS = ("text", "body", "content", "abstract", "review", "message", "description")
_ITEMS = ("items", "tokens", "words", "basket")
_ITEM = ("item_id", "item", "product_id", "product", "stockcode", "movie_id", "word", "term", "sku")
_DOCUMENT = ("doc_id", "document_id", "document", "order_id", "invoiceno", "invoice", "basket_id", "user_id", "user")
_COUNT = ("count", "counts", "quantity", "n", "amount")
_ID = ("doc_id", "document_id", "id")


@dataclass
class Columns:
    """Names of the columns of a table; None for those that are to be found."""

    text: Optional[str] = None
    items: Optional[str] = None
    counts: Optional[str] = None
    document: Optional[str] = None


@dataclass
class Input:
    """Files for the program, and what is known of the documents in them."""

    arguments: List[str] = field(default_factory=list)
    ids: Optional[Sequence[Any]] = None  # of the documents, in their order; None where only the program knows them
    names: Optional[List[str]] = None  # of the columns of a matrix


def write(docs, folder: Path, items: Optional[Iterable[Any]] = None, columns: Columns = Columns()) -> Input:
    """Writes documents into a folder, unless they are in files already.

    docs is a path, pattern or URL; a list of os.PathLike; a SciPy sparse matrix or an array of counts with a row per
    document; a list of strings, which are texts; a list of lists of items; or a table of pandas, polars or pyarrow.
    items are names of the columns of a matrix. A ValueError says what cannot be used.
    """
    if isinstance(docs, (str, os.PathLike)):
        return Input([os.fspath(docs)])
    if hasattr(docs, "tocsr") and hasattr(docs, "shape"):
        return _write_matrix(docs.tocsr(), folder, items)
    if isinstance(docs, np.ndarray) and docs.ndim == 2:
        return _write_matrix(_sparse(docs), folder, items)
    table = _table(docs)
    if table:
        return _write_table(*table, folder, columns)
    docs = list(docs)
    if docs and all(isinstance(each, os.PathLike) for each in docs):
        return Input([os.fspath(each) for each in docs])
    return _write_list(docs, folder)


def _write_list(docs: List[Any], folder: Path) -> Input:
    if not docs:
        raise ValueError("there are no documents")
    if all(isinstance(each, str) for each in docs):
        return _write_texts(docs, folder)
    for row, each in enumerate(docs):
        if isinstance(each, (str, bytes)) or not hasattr(each, "__iter__"):
            raise ValueError(f"document {row} is a {type(each).__name__}: give texts only, or lists of items only")
    return _write_tokens(docs, folder)


def _write_texts(texts: Iterable[Any], folder: Path) -> Input:
    """Writes a text per line. The program cuts them into words."""
    path, rows = folder / "texts.txt", 0
    with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as out:
        for text in texts:
            text = "" if text is None or text != text else str(text)  # NaN is not equal to itself
            out.write(text.replace("\r", " ").replace("\n", " ") + "\n")
            rows += 1
    return Input([str(path), "--format", "text"], range(rows))


def _write_tokens(docs: Iterable[Iterable[Any]], folder: Path, counts: Optional[Iterable] = None) -> Input:
    """Writes lists of items, each perhaps with a list of counts."""
    codes, ends, numbers = [], [0], {}
    for doc in docs:
        codes += [numbers.setdefault(item, len(numbers)) for item in (() if doc is None else doc)]
        ends.append(len(codes))
    data = None
    if counts is not None:
        data = np.array([n for each in counts for n in (() if each is None else each)])
        if len(data) != len(codes):
            raise ValueError(f"there are {len(codes)} items and {len(data)} counts")
    return _write_arrays(np.array(codes, np.int32), np.array(ends, np.int64), data, numbers, folder)


@dataclass
class _CSR:
    """The arrays of a matrix, named as SciPy names them."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: Tuple[int, int]


def _sparse(matrix: np.ndarray) -> _CSR:
    rows, indices = np.nonzero(matrix)
    ends = np.searchsorted(rows, np.arange(matrix.shape[0] + 1))
    return _CSR(matrix[rows, indices], indices, ends, matrix.shape)


def _write_matrix(matrix, folder: Path, items: Optional[Iterable[Any]]) -> Input:
    names = None if items is None else [str(each) for each in items]
    if names is not None and len(names) != matrix.shape[1]:
        raise ValueError(f"the matrix has {matrix.shape[1]} columns, but {len(names)} items are named")
    result = _write_arrays(matrix.indices, matrix.indptr, matrix.data, names, folder, matrix.shape[1])
    result.names = names
    return result


def _write_arrays(indices, ends, data, names, folder: Path, columns: Optional[int] = None) -> Input:
    """Writes the arrays of a CSR matrix, as scipy.sparse.save_npz does without compression."""
    path = folder / "counts.npz"
    if data is None:
        data = np.ones(len(indices), np.int32)
    elif data.dtype.kind == "b":
        data = data.astype(np.int32)
    elif data.dtype.kind not in "iuf":
        raise ValueError(f"counts are numbers, not {data.dtype}")
    arrays = {
        "indices": _narrow(indices),
        "indptr": np.ascontiguousarray(ends, np.int64),
        "format": np.array(b"csr"),
        "shape": np.array([len(ends) - 1, len(names) if columns is None else columns], np.int64),
        "data": _narrow(data) if data.dtype.kind in "iu" else np.ascontiguousarray(data, np.float64),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as out:
                np.lib.format.write_array(out, array, allow_pickle=False)
    arguments = [str(path), "--format", "npz"]
    if names is not None:
        arguments += ["--docword-vocab", str(_write_names(names, folder))]
    return Input(arguments, range(len(ends) - 1))


def _narrow(values: np.ndarray) -> np.ndarray:
    """Returns whole numbers of at most 32 bits, where they fit, and else of 64."""
    fits = len(values) == 0 or (values.max() < 2**31 and values.min() >= -(2**31))
    return np.ascontiguousarray(values, np.int32 if fits else np.int64)


def _write_names(names: Iterable[Any], folder: Path) -> Path:
    """Writes a line per item."""
    path = folder / "items.txt"
    lines = [str(each) for each in names]
    for line in lines:
        if not line or line != line.strip() or "\n" in line or "\r" in line:
            raise ValueError(f"the item {line!r} has no name, or one with white space around it or a line break in it")
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
    return path


Getter = Callable[[str], Any]


def _table(docs) -> Optional[Tuple[List[str], Getter]]:
    """Returns the names of a table's columns, and a function that returns one; None for what is not a table."""
    if hasattr(docs, "column_names") and hasattr(docs, "column"):  # pyarrow
        return list(docs.column_names), lambda name: docs.column(name).to_pylist()
    if hasattr(docs, "columns") and hasattr(docs, "__getitem__") and hasattr(docs, "shape"):  # pandas and polars
        def column(name):
            values = docs[name]
            return values.to_list() if values.dtype == object or not hasattr(values, "to_numpy") else values.to_numpy()
        return [str(each) for each in docs.columns], column
    return None


def _write_table(names: List[str], column: Getter, folder: Path, columns: Columns) -> Input:
    """Writes a table: of texts, of lists of items, or with a row per document and item."""
    for asked in (columns.text, columns.items, columns.counts, columns.document):
        for name in (asked or "").split(","):
            if name and name not in names:
                raise ValueError(f"the table has no column {name!r}; it has {', '.join(map(repr, names))}")
    text, item = columns.text, columns.items
    if not text and not item:
        item = _find(names, _ITEMS) or _find(names, _ITEM)
        text = None if item else _find(names, _TEXTS)
    if text:
        parts = [column(name) for name in text.split(",")]
        result = _write_texts((" ".join("" if p is None else str(p) for p in row) for row in zip(*parts)), folder)
        result.ids = _ids(names, column, columns.document, result.ids)
        return result
    if not item:
        raise ValueError("no column of the table has texts or items: name one with text_column or items_column; it has "
                         + ", ".join(map(repr, names)))
    values, counts = column(item), columns.counts or _find(names, _COUNT)
    if any(is_sequence(each) or isinstance(each, np.ndarray) for each in values[:100]):
        result = _write_tokens(values, folder, column(counts) if counts else None)
        result.ids = _ids(names, column, columns.document, result.ids)
        return result
    document = columns.document or _find([n for n in names if n != item], _DOCUMENT)
    if not document:
        raise ValueError("no column of the table has the documents of its items: name one with document_column; it has "
                         + ", ".join(map(repr, names)))
    return _write_long(column(document), values, column(counts) if counts else None, folder)


def _ids(names: List[str], column: Getter, asked: Optional[str], rows: Sequence[Any]) -> Sequence[Any]:
    """Returns the ids of documents that are rows: of the column asked for, of one that is known, or their numbers."""
    name = asked or _find(names, _ID)
    return list(column(name)) if name else rows


def _write_long(documents, items, counts, folder: Path) -> Input:
    """Writes a table with a row per document and item; documents come in the order of their first rows."""
    ids, rows = _codes(documents)
    names, columns = _codes(items)
    data = np.ones(len(rows), np.int32) if counts is None else np.asarray(counts)
    order = np.argsort(rows, kind="stable")
    ends = np.searchsorted(rows[order], np.arange(len(ids) + 1))
    result = _write_arrays(columns[order], ends, data[order], names, folder)
    result.ids = ids
    return result


def _codes(values) -> Tuple[List[Any], np.ndarray]:
    """Returns the distinct values, in the order in which they come, and the number of each."""
    numbers: dict = {}
    codes = np.fromiter((numbers.setdefault(each, len(numbers)) for each in _plain(values)), np.int64, len(values))
    return list(numbers), codes


def _plain(values):
    return values.tolist() if isinstance(values, np.ndarray) else values


def _find(names: List[str], known: Sequence[str]) -> Optional[str]:
    """Returns the first column with a known name."""
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[each] for each in known if each in lower), None)
