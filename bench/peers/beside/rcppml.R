# R's RcppML, alternating least squares on sparse tf-idf weights, for `go run ./bench topics`, with a tolerance of 1e-5, as its
# manual has it for publication.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "peer.R"))

need("RcppML")
run("RcppML", function(counts) {
    weights <- tfidf(counts)
    lap("weights")
    RcppML::setRcppMLthreads(threads)
    RcppML::nmf(weights, topics, tol = 1e-5, seed = seed, verbose = FALSE)$w
})
