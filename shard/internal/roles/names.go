// This file holds the names by which columns are known.

package roles

import "strings"

// The known names. Case does not matter, "item" and "items" are the same, and so are "item_id", "item id" and "itemid".
var (
	itemNames = nameSet("item", "item_id", "word", "word_id", "token", "token_id", "term", "term_id", "product", "product_id",
		"sku", "stock_code", "article", "article_id", "basket", "document", "feature", "tag", "id", "track", "movie", "book")
	countNames = nameSet("count", "item_count", "word_count", "token_count", "term_count", "cnt", "quantity", "quantities",
		"qty", "frequency", "frequencies", "freq", "tf", "term_frequency", "amount", "weight", "n", "value")
	documentNames = nameSet("doc", "doc_id", "document", "document_id", "order", "order_id", "order_no", "basket", "basket_id",
		"transaction", "transaction_id", "invoice", "invoice_id", "invoice_no", "receipt", "receipt_id", "session",
		"session_id", "user", "user_id", "customer", "customer_id", "visit", "visit_id")
)

// nameSet returns a set of folded names and their plurals.
func nameSet(names ...string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range names {
		set[FoldName(name)] = true
		set[FoldName(name)+"s"] = true
	}
	return set
}

// FoldName returns a name as the sets of names hold it.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// IsCountName reports whether a column of this name is known to hold counts.
func IsCountName(name string) bool { return countNames[FoldName(name)] }

// isItemName reports whether a column of this name is known to hold items.
func isItemName(name string) bool { return itemNames[FoldName(name)] }

// isDocumentName reports whether a column of this name is known to hold the ids of documents.
func isDocumentName(name string) bool { return documentNames[FoldName(name)] }
