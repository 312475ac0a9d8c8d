// Package infer finds the topics of documents under given topics: the local step that fits, transform and scores of
// held-out tokens share.
//
// B (N×K) is p(item | topic), A (K×K) the joint probabilities of the topics of two tokens of a document, and s = A·1
// the topics' shares. Tokens are independent given a document's mixture θ (K values, which sum to 1): p(item i | θ) =
// Σ_k B_ik θ_k. With counts X_i,
//
//	p(θ | X) ∝ p(θ) Π_i (Σ_k B_ik θ_k)^X_i
//
// The prior p(θ) is a Dirichlet distribution whose moments are matched to A (MatchDirichlet). Mixtures are posterior
// means, by the zero-order collapsed variational step of Asuncion, Welling, Smyth & Teh ("On smoothing and inference
// for topic models", UAI 2009): θ is integrated out, and the responsibilities of one token are computed from those of
// all others:
//
//	γ_ik ∝ B_ik (α_k + Σ_j X_j γ_jk − γ_ik),  θ_k ∝ α_k + Σ_i X_i γ_ik
//
// Ascent is the variational step of Blei, Ng & Jordan (JMLR 3, 2003), a Dirichlet distribution fitted by coordinate
// ascent: package bayes learns with it.
//
// A document's spread is the posterior standard deviation of the share of its top topic. It counts what assignments of
// tokens to topics leave open, and their correlation, by linear response (spread.go).
//
// An Inferrer does not change: several goroutines may use it. A Worker holds the scratch of one goroutine, and
// allocates only when a document is longer than all before. Results depend on neither.
package infer
