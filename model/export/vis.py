"""The topics of this folder for pyLDAvis.

    import pyLDAvis
    from vis import arguments
    pyLDAvis.show(pyLDAvis.prepare(**arguments()))

Run as a program, it writes the page lda.html in this folder.
"""

import json
import os

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))


def arguments(folder=FOLDER):
    """Returns the five arguments of pyLDAvis.prepare, by name."""
    arrays = {
        name: np.load(os.path.join(folder, name + ".npy"))
        for name in ("topic_term_dists", "doc_topic_dists", "doc_lengths", "term_frequency")
    }
    with open(os.path.join(folder, "items.json"), encoding="utf-8") as file:
        arrays["vocab"] = [str(item) for item in json.load(file)]
    return arrays


if __name__ == "__main__":
    import pyLDAvis

    path = os.path.join(FOLDER, "lda.html")
    pyLDAvis.save_html(pyLDAvis.prepare(sort_topics=False, start_index=0, **arguments()), path)
    print(path)
