// Package rectify turns a low-rank approximation of the co-occurrence matrix C (N×N) into one with the structure of C's
// expectation: C ≈ Y·Yᵀ with Y of size N×K is positive semidefinite and of rank K, its entries sum to 1, and none of them is
// negative beyond a small ε.
//
// There are two families of rectifiers, each with one signature:
//
//   - A FactorRectifier starts from a factor y, V·√D of the leading eigenpairs, and holds nothing of size N². ENN needs nothing else. PALM
//     and IPALM ask for products with C, an Operator, which passes over documents can compute.
//   - A DenseRectifier works on a dense C and refuses one that would take more memory than allowed: AP, Dykstra, DouglasRachford and
//     DiagonalCompletion.
//
// Eigen finds accurate eigenpairs of an Operator, for the others to start from. Random numbers belong to rows: see Options.Key.
//
// A rectifier uses its matrix up: a dense C becomes Result.Matrix, and the memory of a factor becomes that of Result.Factor.
// Everything else stays as it is. Results are the same, bit for bit, for any number of workers.
package rectify
