"""Every night: a store takes in new documents, topics keep their ids, and drift says what changed.

    python3 nightly.py [PROJECT [PICTURE]]

The nights are the shards of the sample of articles that comes with the project.
"""

import json
import sys
import tempfile
from pathlib import Path

import anchorage

project = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
shares = []
with tempfile.TemporaryDirectory() as folder:
    store = Path(folder) / "articles.store"
    for night, shard in enumerate(sorted(project.glob("testdata/wiki/*.parquet"))):
        anchorage.run("update", store, shard, *(["--topics=8"] if night == 0 else []), "--no-report")
        generation = sorted((store / "generations").iterdir())[-1]
        model = anchorage.load(generation)
        listed = json.loads(anchorage.run("topics", generation, "--json"))["topics"]
        shares.append({topic.get("id", topic["topic"]): topic["share"] for topic in listed})
        print(f"night {night + 1}: {len(model.items)} items")
        if night > 0:
            before = sorted((store / "generations").iterdir())[-2]
            drift = json.loads(anchorage.run("compare", before, generation, "--json"))
            print("   ", json.dumps(drift.get("summary", drift))[:300])
    names = {topic.get("id", topic["topic"]): " · ".join(topic["prominent"][:3]) for topic in listed}
for topic, name in sorted(names.items()):
    print(f"topic {topic}: {name}: {', '.join(f'{each.get(topic, 0):.1%}' for each in shares)}")

if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.figure(figsize=(7, 4), layout="constrained")
    for topic, name in sorted(names.items()):
        pyplot.plot(range(1, len(shares) + 1), [100 * each.get(topic, float("nan")) for each in shares], marker="o", markersize=3,
                    label=name)
    pyplot.xlabel("night")
    pyplot.ylabel("percent of all words")
    pyplot.xticks(range(1, len(shares) + 1))
    pyplot.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    pyplot.savefig(sys.argv[2], dpi=100, metadata={"Software": None})
