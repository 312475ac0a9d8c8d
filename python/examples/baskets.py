"""A shop's baskets: clusters of products, what goes together, and what is bought instead.

    python3 baskets.py [PROJECT [PICTURE]]

The baskets are drawn: each has one of six occasions, and a few products that everybody buys.
"""

import sys

import numpy as np

import anchorage

occasions = {
    "breakfast": "coffee,bread,butter,jam,honey,muesli,yoghurt,orange juice",
    "barbecue": "charcoal,sausages,steak,mustard,beer,corn,baguette,marinade",
    "baking": "flour,sugar,eggs,vanilla,baking powder,chocolate,almonds,raisins",
    "baby": "nappies,wipes,baby food,baby milk,rusks,baby oil,bibs,soother",
    "cleaning": "bleach,sponges,bin bags,detergent,gloves,cloths,softener,glass cleaner",
    "pasta night": "spaghetti,tomatoes,basil,parmesan,olive oil,garlic,pesto,red wine",
}
products = {name: items.split(",") for name, items in occasions.items()}
rng = np.random.default_rng(7)
names = list(products)
baskets = []
for _ in range(3000):
    occasion = names[rng.integers(len(names))]
    basket = list(rng.choice(products[occasion], rng.integers(3, 7), replace=False))
    if rng.random() < 0.4:
        basket += list(rng.choice(products[names[rng.integers(len(names))]], 2, replace=False))
    baskets.append(basket + [each for each in ("milk", "apples", "toilet paper") if rng.random() < 0.3])

model = anchorage.fit(baskets, n_topics=6, max_df_ratio=1, no_report=True)
for topic in model.topics:
    print(f"{topic.share:6.1%}  {topic.anchor:16}  {' · '.join(topic.prominent[:6])}")

model.learn(baskets)  # counts which products are bought together
print("with flour and eggs:", ", ".join(each.item for each in model.recommend(["flour", "eggs"], 4)))
print("in place of sausages:", ", ".join(each.item for each in model.similar("sausages", 4)))

if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    order = np.argsort(model.mixtures.argmax(axis=1), kind="stable")
    pyplot.figure(figsize=(7, 7), layout="constrained")
    pyplot.imshow(model.mixtures[order], aspect="auto", cmap="Blues", vmin=0, vmax=1)
    pyplot.yticks(range(len(order)), [model.items[i] for i in order], fontsize=6)
    pyplot.xticks(range(6), [topic.anchor for topic in model.topics], rotation=30)
    pyplot.title("p(topic | product)")
    pyplot.savefig(sys.argv[2], dpi=100, metadata={"Software": None})
