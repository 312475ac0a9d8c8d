"""Topics of a folder of texts: here the paragraphs of this project's own documents.

    python3 texts.py [PROJECT [PICTURE]]
"""

import re
import sys
from pathlib import Path

import anchorage

project = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
texts = [re.sub(r"[^\w\s'-]|_", " ", paragraph) for path in sorted(project.glob("docs/**/*.md"))
         for paragraph in path.read_text(encoding="utf-8").split("\n\n") if len(paragraph) > 200]
print(len(texts), "paragraphs")

model = anchorage.fit(texts, n_topics=8, stopwords="en", no_report=True)
for topic in sorted(model.topics, key=lambda topic: -topic.share):
    print(f"{topic.share:6.1%}  {' · '.join(topic.prominent[:7])}")

question = "How much memory does a fit take, and what does the limit do?"
shares = model.transform([question])[0]
print("the question's topic:", " · ".join(model.topics[shares.argmax()].prominent[:5]))

if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    topics = sorted(model.topics, key=lambda topic: topic.share)
    pyplot.figure(figsize=(7, 3), layout="constrained")
    pyplot.barh([" · ".join(topic.prominent[:3]) for topic in topics], [100 * topic.share for topic in topics])
    pyplot.xlabel("percent of all words")
    pyplot.savefig(sys.argv[2], dpi=100, metadata={"Software": None})
