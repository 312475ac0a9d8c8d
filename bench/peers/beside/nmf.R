# R's NMF on counts, which it holds dense, for `go run ./bench topics`: `nmf` (Lee & Seung's updates for least squares, begun by NNDSVD) and
# `nmf-default` (those of Brunet et al. for Kullback-Leibler, begun at random).

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "peer.R"))

need("NMF")
suppressPackageStartupMessages(library(NMF))
run("NMF", function(counts) {
    dense <- as.matrix(counts)
    lap("dense")
    found <- if (method == "nmf-default") {
        nmf(dense, topics, .opt = "-p", seed = seed)
    } else {
        nmf(dense, topics, method = "lee", .opt = "-p", seed = "nndsvd")
    }
    basis(found)
})
