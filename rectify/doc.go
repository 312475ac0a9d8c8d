// Package rectify turns a low-rank approximation of the co-occurrence matrix C (N×N) into one with the structure of C's
// expectation: C ≈ Y·Yᵀ with Y of size N×K is positive semidefinite and of rank K, its entries sum to 1, and none of
// them is negative beyond a small ε.
//
// There are two kinds of rectifiers:
//
//   - A FactorRectifier starts from a factor y, V·√D of the leading eigenpairs, and holds nothing of size N². ENN needs
//     nothing else. PALM and IPALM ask for products with C, an Operator, which passes over documents can compute.
//   - AP works on a dense C, as the papers' baseline does, and refuses one that takes more memory than allowed.
//
// # Why ENN settles
//
// Let S be the positive semidefinite matrices of rank at most K, and 𝒩 the symmetric ones without negative entries in
// the rows and columns of I. Both are closed, and both are cones: they contain tX with X for t ≥ 0. In the Frobenius
// norm, E = P_𝒩(C) − C is what lifts negative entries to 0, and V·D⁺·Vᵀ of the K leading eigenpairs is P_S, a nearest
// point of S. Without r, an iteration is
//
//	C' = P_𝒩(C) = C + E    C ← P_S(C')    d = ‖E‖_F = dist(C, 𝒩)
//
// Let d₊ be the distance after it. Every step goes to a nearest point, so with the same I
//
//	d₊ = dist(P_S(C'), 𝒩) ≤ ‖P_S(C') − C'‖ = dist(C', S) ≤ ‖C − C'‖ = d
//
// and d never grows. A nearest point X of a cone to C' is orthogonal to C' − X. For E that means ⟨C, E⟩ = −d², so
//
//	‖C'‖² = ‖C‖² − d²    ‖P_S(C')‖² = ‖C'‖² − dist(C', S)²
//
// The squared norm of C falls by d² or more in each iteration, for any I. So Σ d² ≤ ‖C₀‖² over all iterations: d goes
// to 0, as fast as 1/√t where I stays, and so does the move ‖P_S(C') − C‖ ≤ 2d. None of this needs convexity, which S
// lacks. C does not go to 0 where I has all rows: the leading eigenvector v of C' has no negative entry (Perron and
// Frobenius) and is that of P_S(C') too, so the leading eigenvalue of the next C' is at least vᵀ·C'₊·v ≥ vᵀ·P_S(C')·v:
// it never falls.
//
// The third set, matrices whose entries sum to 1, is met by scaling C at the end, which keeps it in both cones. A term
// r·eeᵀ in each iteration, as published, is a third projection in the same norm. A term r·ppᵀ is not, and can drive the
// sum off; ENN adds it only in the first iterations, where it decides from which point the iteration above starts.
// docs/decisions/enn.md has what was measured. The longer steps that ENN makes by default are not covered by the proof.
// They are given up, for shorter ones and at last for iterations, as soon as d comes to twice its least.
//
// # Several ranks
//
// ENN works on a factor that several ranks share (anchorage/matrix.NewShared): each has the rows of its items, and with
// them their stripes of E. Each rank keeps its stripes as it has room. Results have the same bits for any number of
// ranks. docs/distributed.md says what ranks send.
//
// The other rectifiers are for one process.
//
// Eigen finds accurate eigenpairs of an Operator, for the others to start from. Random numbers belong to rows: see
// Options.Key.
//
// A rectifier uses its matrix up: a dense C becomes Result.Matrix, and the memory of a factor becomes that of
// Result.Factor. Everything else stays as it is. Results are the same, bit for bit, for any number of workers.
package rectify
