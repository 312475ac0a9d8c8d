// Package rectify turns a low-rank approximation of the co-occurrence matrix C into one that has the structure its
// expectation has: C ≈ Y·Yᵀ with Y of size N×K is positive semidefinite and of rank K, its entries sum to 1, and they are
// not negative but for a small ε.
//
// Nothing of size N² is held. A factor that goes into a rectifier comes out changed. Results are the same, bit for bit,
// for any number of workers.
package rectify
