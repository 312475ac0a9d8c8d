# Latent semantic indexing by R's irlba on tf-idf weights, for `go run ./bench topics`, with a tolerance of 1e-8.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "peer.R"))

run("irlba", function(counts) {
    weights <- tfidf(counts)
    lap("weights")
    turned(irlba::irlba(weights, nv = topics, tol = 1e-8)$u)
})
