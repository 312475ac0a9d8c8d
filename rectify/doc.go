// Package rectify turns a low-rank approximation of the co-occurrence matrix C into one that has the structure its
// expectation has: C ≈ Y·Yᵀ with Y of size N×K is positive semidefinite and of rank K, its entries sum to 1, and they are
// not negative but for a small ε.
//
// ENN starts from leading eigenpairs and holds nothing of size N². PALM and IPALM do not either: they ask for products with C,
// an Operator, which passes over documents can compute. AP, Dykstra, DouglasRachford and DiagonalCompletion work on a dense C
// in place, and refuse one whose matrices would take more memory than allowed. Eigen gives accurate eigenpairs
// of an Operator, for the others to start from.
//
// What goes into a rectifier comes out changed. Results are the same, bit for bit, for any number of workers.
package rectify
