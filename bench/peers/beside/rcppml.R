# R's RcppML, alternating least squares on sparse tf-idf weights, for `go run ./bench topics`: `rcppml` with a tolerance of 1e-5, as its manual
# has it for publication, and `rcppml-default`.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "peer.R"))

need("RcppML")
run("RcppML", function(counts) {
    weights <- tfidf(counts)
    lap("weights")
    RcppML::setRcppMLthreads(threads)
    tolerance <- if (method == "rcppml-default") 1e-4 else 1e-5
    RcppML::nmf(weights, topics, tol = tolerance, seed = seed, verbose = FALSE)$w
})
