// Package paper computes the tables and figures of Lee, Cho, Bindel & Mimno (ICML 2021) and of Dong's thesis (Cornell, 2019).
package paper
