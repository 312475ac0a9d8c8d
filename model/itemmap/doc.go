// Package itemmap draws all items of a model on a plane, so that items that are alike lie near each other, and keeps
// their places in a file of the model's directory.
//
// Draw makes a Map of N items in three steps: a graph of the nearest rows of model.Vectors, a start from the places of
// the topics, and a descent that pulls neighbours together and pushes others apart, after UMAP (McInnes, Healy &
// Melville, 2018). Memory is N×K values of single precision for the vectors, while the graph is made, and about 300
// bytes per item.
//
// Equal models and seeds give equal maps, for any number of workers, on one kind of processor.
package itemmap
