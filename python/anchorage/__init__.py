"""Topics, anchor items and recommendations from documents with huge vocabularies.

This package runs the program ``anchorage``, which comes with it, and exchanges NumPy arrays with it::

    import anchorage

    model = anchorage.fit(["first document", "second document", ...], n_topics=20)
    for topic in model.topics:
        print(topic.topic, topic.name, topic.prominent[:5])
    shares = model.transform(["another document"])  # documents × topics

NumPy is all that it needs. SciPy, pandas, polars, pyarrow and scikit-learn are used where they are installed.
"""

from ._model import Model, Recommendation, Similar, Topic, fit, load
from ._program import (
    AnchorageError,
    ExistsError,
    InputError,
    QualityError,
    ResourceError,
    UsageError,
    program,
    run,
    version,
)

__version__ = "0.1.0"

__all__ = [
    "AnchorTopics",
    "AnchorageError",
    "ExistsError",
    "InputError",
    "Model",
    "QualityError",
    "Recommendation",
    "ResourceError",
    "Similar",
    "Topic",
    "UsageError",
    "fit",
    "load",
    "program",
    "run",
    "version",
]


def __getattr__(name):
    # scikit-learn takes a second to import, so it is imported by those who use it only.
    if name == "AnchorTopics":
        from .estimator import AnchorTopics

        return AnchorTopics
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
