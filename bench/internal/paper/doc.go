// Package paper computes the tables and figures of Lee, Cho, Dong, Mimno & Bindel (ICML 2021) and of Dong's thesis (Cornell, 2019).
package paper
