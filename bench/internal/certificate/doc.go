// Package certificate measures whether certificates are right: it holds fits of corpora of known truth against the oracle.
package certificate
