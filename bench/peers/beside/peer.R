# What the R programs of `go run ./bench topics` share: documents in, topics and times out. README.md says how.

words <- commandArgs(trailingOnly = TRUE)
if (length(words) != 7) stop("usage: METHOD FOLDER OUTPUT ITEMS TOPICS SEED THREADS")
folder <- words[2]
output <- words[3]
sizes <- as.integer(words[4:7])
items <- sizes[1]
topics <- sizes[2]
seed <- sizes[3]
threads <- sizes[4]

leave <- function(code, ...) {
    message(...)
    quit(status = code)
}

# need ends the program with the code for a missing library.
need <- function(library) {
    if (!requireNamespace(library, quietly = TRUE)) leave(3, "no library ", library, ": bench/peers/install says what to install")
}

# integers reads an array of NumPy's integers, of 4 or 8 bytes each.
integers <- function(name, size) {
    file <- file(file.path(folder, paste0(name, ".npy")), "rb")
    on.exit(close(file))
    readBin(file, "raw", 8)
    header <- rawToChar(readBin(file, "raw", readBin(file, "integer", 1, size = 2, signed = FALSE, endian = "little")))
    count <- as.numeric(sub(".*'shape': \\(([0-9]+),.*", "\\1", header))
    readBin(file, "integer", count, size = size, endian = "little")
}

# peak returns the greatest resident size so far in bytes, 0 where the system does not say.
peak <- function() {
    lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character(), warning = function(w) character())
    of <- grep("^VmHWM:", lines, value = TRUE)
    if (length(of) == 1) 1024 * as.numeric(gsub("[^0-9]", "", of)) else 0
}

stages <- character()
begun <- proc.time()
lap <- function(name) {
    now <- proc.time()
    spent <- now - begun
    stages <<- c(stages, sprintf('{"name": "%s", "seconds": %f, "cpu_seconds": %f}', name, spent[["elapsed"]],
                                 sum(spent[c("user.self", "sys.self", "user.child", "sys.child")])))
    begun <<- now
}

# counted returns the counts, items × documents.
counted <- function() {
    ends <- integers("indptr", 8)
    new("dgCMatrix", i = integers("indices", 4), p = ends, x = as.numeric(integers("counts", 4)), Dim = c(items, length(ends) - 1L))
}

# tfidf weights them as scikit-learn's TfidfTransformer does, with columns of length 1.
tfidf <- function(counts) {
    df <- tabulate(counts@i + 1L, nbins = nrow(counts))
    counts@x <- counts@x * (log((1 + ncol(counts)) / (1 + df)) + 1)[counts@i + 1L]
    lengths <- sqrt(Matrix::colSums(counts * counts))
    counts@x <- counts@x / rep(ifelse(lengths > 0, lengths, 1), diff(counts@p))
    counts
}

# turned returns components, N × K, as topics: the side of each with more of the square.
turned <- function(components) {
    positive <- pmax(components, 0)
    negative <- pmax(-components, 0)
    turn <- colSums(positive^2) < colSums(negative^2)
    positive[, turn] <- negative[, turn]
    positive
}

# run calls learn with the counts, and writes the N × K weights that it returns. program is the name of a library.
run <- function(program, learn) {
    need("Matrix")
    need(program)
    suppressPackageStartupMessages(library(Matrix)) # RcppML does not find it otherwise
    set.seed(seed)
    tryCatch({
        counts <- counted()
        lap("load")
        weights <- pmax(as.matrix(learn(counts)), 0)
        lap("fit")
    }, error = function(e) {
        text <- conditionMessage(e)
        leave(if (grepl("cannot allocate|too large|memory", text, ignore.case = TRUE)) 12 else 1, text)
    })
    if (!all(dim(weights) == c(items, topics))) leave(1, "found ", ncol(weights), " topics of ", nrow(weights), " items")
    sums <- colSums(weights)
    weights <- sweep(weights, 2, ifelse(sums > 0, sums, 1), "/")
    file <- file(file.path(output, "topics.npy"), "wb")
    header <- sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", topics, items)
    header <- paste0(header, strrep(" ", (64 - (11 + nchar(header)) %% 64) %% 64), "\n")
    writeBin(as.raw(c(0x93, utf8ToInt("NUMPY"), 1, 0)), file)
    writeBin(nchar(header), file, size = 2, endian = "little")
    writeBin(charToRaw(header), file)
    for (k in seq_len(topics)) writeBin(weights[, k], file, size = 4, endian = "little")
    close(file)
    lap("write")
    version <- paste(program, utils::packageVersion(program))
    writeLines(sprintf('{"program": "%s", "stages": [%s], "peak_bytes": %.0f}', version, paste(stages, collapse = ", "), peak()), file.path(output, "answer.json"))
}
