# Latent semantic indexing by R's irlba on tf-idf weights, for `go run ./bench topics`: `irlba` with a tolerance of 1e-8 and `irlba-default`.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "peer.R"))

run("irlba", function(counts) {
    weights <- tfidf(counts)
    lap("weights")
    tolerance <- if (method == "irlba-default") 1e-5 else 1e-8
    turned(irlba::irlba(weights, nv = topics, tol = tolerance)$u)
})
