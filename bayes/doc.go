// Package bayes learns topics by variational inference, batch and stochastic: Bayesian NMF and correlated NMF (Paisley,
// Blei & Jordan, "Bayesian Nonnegative Matrix Factorization with Stochastic Variational Inference", 2014, chapter 11 of
// the Handbook of Mixed Membership Models) and online LDA (Hoffman, Blei & Bach, NIPS 2010). Equation numbers are the
// chapter's.
//
// With V items, D documents, K topics and counts X (V×D), of which a mini-batch of columns is in memory at a time:
//
//	BNMF  X_vd ~ Poisson(Σ_k β_vk θ_kd)              β_vk ~ Gamma(c₀/V, c₀)   θ_kd ~ Gamma(a₀, b₀)
//	CNMF  X_vd ~ Poisson(Σ_k β_vk exp{α_d + ℓ_k·u_d})   β as above   ℓ_k ~ N(0, σ²I_m)   u_d ~ N(0, I_m)
//	LDA   X_·d ~ Multinomial(n_d, Σ_k β_k θ_kd)       β_k ~ Dirichlet(c₀/V)   θ_d ~ Dirichlet(a₀)
//
// Gamma has a shape and a rate. q(β_vk) is Gamma(g_vk, h_k): the rate h is a K-vector, since it does not depend on v.
// With LDA q(β_k) is Dirichlet(g_·k), and there is no rate. q(θ_kd) is Gamma(a_kd, b_k), where b_k does not depend on
// d, or Dirichlet(a_·d). ℓ_k, u_d and α_d are point estimates.
//
// A State holds the global variables: g is V×K, and the others are small. A step changes only the rows of the items in
// its mini-batch, so it takes time in proportion to the batch, whatever V is. Local variables (a, u, α) belong to the
// documents of a batch. Only the batch algorithms keep them between iterations, D×K or D×m values in a scratch file,
// because without them the bound could fall.
//
// Package refine has another algorithm: it improves topics of any number of items that were found in another way.
//
// Documents come from a corpus.Pass, and Totals must be counted before. A document may have any number of tokens, 0
// included.
//
// Results are the same, bit for bit, for any number of workers: documents of a batch are worked on independently, and
// sums over them run by item or in the order of the documents. Random numbers are hashes of the seed and of what they
// belong to. A State and a Fitter belong to one goroutine.
package bayes
