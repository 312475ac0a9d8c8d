package roles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"anchorage/shard/fault"
)

func value(name string, kind Kind) Field { return Field{Name: name, Shape: Value, Kind: kind} }
func list(name string, kind Kind) Field  { return Field{Name: name, Shape: List, Kind: kind} }
func pairs(name string, kind, count Kind) Field {
	return Field{Name: name, Shape: Pairs, Kind: kind, Count: count}
}

// place returns the name of the field at a place, "" for none.
func place(fields []Field, at int) string {
	if at < 0 {
		return ""
	}
	return fields[at].Name
}

// TestChoose holds schemas with the columns that are chosen of them: document, items, counts.
func TestChoose(t *testing.T) {
	for name, test := range map[string]struct {
		fields []Field
		wanted Names
		want   string // document/items/counts, with "long" or "inner"
	}{
		"lists":            {[]Field{list("items", Bytes), list("counts", Int)}, Names{}, "/items/counts"},
		"any order":        {[]Field{list("qty", Float), value("note", Other), list("words", Int)}, Names{}, "/words/qty"},
		"no counts":        {[]Field{list("items", Bytes)}, Names{}, "/items/"},
		"counts refused":   {[]Field{list("items", Bytes), list("counts", Int)}, Names{Counts: NoCounts}, "/items/"},
		"lone strings":     {[]Field{list("a", Bytes), list("b", Float)}, Names{}, "/a/"},
		"strings first":    {[]Field{list("a", Bytes), list("count", Int)}, Names{}, "/a/count"},
		"lone integers":    {[]Field{list("x", Uint)}, Names{}, "/x/"},
		"embedding beside": {[]Field{list("tokens", Int), list("embedding", Float)}, Names{}, "/tokens/"},
		"ids beside":       {[]Field{value("order_id", Int), list("items", Bytes)}, Names{}, "order_id/items/"},
		"id by name":       {[]Field{value("id", Bytes), list("items", Bytes)}, Names{}, "id/items/"},
		"two ids": {[]Field{value("order_id", Int), value("user_id", Int), list("items", Bytes)}, Names{},
			"order_id/items/"},
		"id asked for": {[]Field{value("a", Int), value("user_id", Int), list("items", Bytes)},
			Names{Document: "a"}, "a/items/"},
		"map":                {[]Field{pairs("bag", Bytes, Int)}, Names{}, "/bag/ inner"},
		"map without counts": {[]Field{pairs("bag", Bytes, Other)}, Names{}, "/bag/"},
		"map, no counts":     {[]Field{pairs("bag", Bytes, Int)}, Names{Counts: NoCounts}, "/bag/"},
		"map, dotted": {[]Field{pairs("bag", Bytes, Int)}, Names{Items: "bag.key", Counts: "bag.value"},
			"/bag/ inner"},
		"asked for": {[]Field{list("a", Bytes), list("b", Bytes), list("c", Int)}, Names{Items: "b",
			Counts: "c"}, "/b/c"},
		"dots in a name": {[]Field{list("a.b", Bytes), list("c", Int)}, Names{Items: "a.b", Counts: NoCounts}, "/a.b/"},
		"long": {[]Field{value("order_id", Int), value("sku", Bytes), value("quantity", Int)}, Names{},
			"order_id/sku/quantity long"},
		"long without counts": {[]Field{value("basket", Bytes), value("item", Bytes)}, Names{}, "basket/item/ long"},
		"long asked for": {[]Field{value("a", Bytes), value("b", Bytes), value("c", Float)},
			Names{Document: "a", Items: "b", Counts: "c"}, "a/b/c long"},
		"long, items asked for": {[]Field{value("order_id", Int), value("x", Bytes)}, Names{Items: "x"}, "order_id/x/ long"},
		"long, counts refused": {[]Field{value("order_id", Int), value("sku", Bytes), value("n", Int)},
			Names{Counts: NoCounts},
			"order_id/sku/ long"},
		"lists before long": {[]Field{value("order_id", Int), value("sku", Bytes), list("items", Bytes)}, Names{},
			"order_id/items/"},
		"long, code beside description": {[]Field{value("order", Bytes), value("code", Bytes), value("description", Bytes),
			value("qty", Int)}, Names{}, "order/code/qty long"},
		"long, a code of something else": {[]Field{value("order", Bytes), value("description", Bytes), value("qty", Int),
			value("code", Bytes)}, Names{}, "order/description/qty long"},
		"long, a code beside items": {[]Field{value("order", Bytes), value("code", Bytes), value("product", Bytes),
			value("qty", Int)}, Names{}, "order/product/qty long"},
		"long, invoice before customer": {[]Field{value("InvoiceNo", Bytes), value("StockCode", Bytes), value("Description",
			Bytes), value("Quantity", Int), value("InvoiceDate", Other),
			value("UnitPrice", Decimal), value("CustomerID", Int)}, Names{}, "InvoiceNo/StockCode/Quantity long"},
		"long, quantity before amount": {[]Field{value("order_id", WholeDecimal), value("sku", Bytes), value("amount",
			Decimal), value("qty", WholeDecimal)}, Names{},
			"order_id/sku/qty long"},
		"long, name of a product": {[]Field{value("order", Int), value("product_name", Bytes), value("price", Decimal),
			value("shop", Int)}, Names{}, "order/product_name/ long"},
		"csv counts": {[]Field{{Name: "doc", Shape: Value, Kind: Bytes, Text: true}, {Name: "word", Shape: Value,
			Kind: Bytes, Text: true},
			{Name: "tf", Shape: Value, Kind: Bytes, Text: true}}, Names{}, "doc/word/tf long"},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewChooser(test.fields, test.wanted)
			choice, err := c.Choose()
			if err != nil {
				t.Fatal(err)
			}
			got := place(test.fields, choice.Document) + "/" + place(test.fields, choice.Items) + "/" +
				place(test.fields, choice.Counts)
			if choice.Long {
				got += " long"
			}
			if choice.Inner {
				got += " inner"
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestChooseErrors holds schemas of which no choice can be made, with the reason and what is said about it.
func TestChooseErrors(t *testing.T) {
	long := []Field{value("order_id", Int), value("sku", Bytes), value("item", Bytes)}
	for name, test := range map[string]struct {
		fields []Field
		wanted Names
		reason fault.Reason
		want   string
	}{
		"nothing": {nil, Names{}, fault.ItemsMissing, "no column holds items"},
		"no list": {[]Field{value("x", Float)}, Names{}, fault.ItemsMissing, `the columns are "x"`},
		"two of strings": {[]Field{list("a", Bytes), list("b", Bytes)}, Names{}, fault.ItemsUnclear,
			`the items may be in "a", "b"`},
		"two by name": {[]Field{list("items", Bytes), list("Word IDs", Int)}, Names{}, fault.ItemsUnclear,
			`"items", "Word IDs"`},
		"two of integers": {[]Field{list("a", Int), list("b", Uint)}, Names{}, fault.ItemsUnclear, `"a", "b"`},
		"items not there": {[]Field{list("a", Bytes)}, Names{Items: "b"}, fault.ItemsUnfit,
			`there is no column "b"; the columns are "a"`},
		"items no list": {[]Field{value("a", Float), list("b", Bytes)}, Names{Items: "a"}, fault.ItemsUnfit,
			`column "a" is not a list`},
		"items twice": {[]Field{list("a", Bytes), list("a", Bytes)}, Names{Items: "a"}, fault.Unspecified,
			`two columns are called "a"`},
		"counts or not": {[]Field{list("items", Bytes), list("z", Int)}, Names{}, fault.CountsUnclear,
			`"z" may be counts or not`},
		"counts of strings": {[]Field{list("items", Bytes), list("counts", Bytes)}, Names{}, fault.CountsUnclear,
			`"counts" looks like counts but`},
		"two counts": {[]Field{list("items", Bytes), list("count", Int), list("tf", Float)}, Names{},
			fault.CountsUnclear, `the counts may be in "count", "tf"`},
		"counts not there": {[]Field{list("items", Bytes)}, Names{Counts: "c"}, fault.CountsUnfit, `there is no column "c"`},
		"counts no numbers": {[]Field{list("items", Bytes), list("c", Bytes)}, Names{Counts: "c"}, fault.CountsUnfit,
			`"c" is not a list of numbers`},
		"counts within": {[]Field{pairs("bag", Bytes, Int), list("c", Float)}, Names{Counts: "c"}, fault.CountsWithin,
			`beside the items in "bag"`},
		"id no id": {[]Field{list("items", Bytes), value("x", Float)}, Names{Items: "items", Document: "x"},
			fault.DocumentsUnfit, `"x" is not a string or an integer`},
		"long, two items": {long, Names{}, fault.ItemsUnclear, `"sku", "item"`},
		"long, no items": {[]Field{value("a", Int), value("b", Bytes)}, Names{Document: "a"}, fault.ItemsUnclear,
			"no column looks like the items'"},
		"long, no document": {[]Field{value("a", Bytes), value("sku", Bytes)}, Names{Items: "sku"}, fault.DocumentsUnclear,
			`column "sku" is not a list of strings or integers, and for a table with one row per document and item no column looks like the documents'`},
		"long, same column": {long, Names{Document: "sku", Items: "sku"}, fault.Unspecified,
			`"sku" cannot hold the documents and the items`},
		"long, document list": {[]Field{list("a", Float), value("sku", Bytes)}, Names{Document: "a"}, fault.DocumentsUnfit,
			`"a" is not a string`},
		"long, two counts": {[]Field{value("order", Int), value("sku", Bytes), value("qty", Int), value("tf", Int)}, Names{},
			fault.CountsUnclear,
			`"qty", "tf"`},
		"long, counts of dates": {[]Field{value("order", Int), value("sku", Bytes), {Name: "qty", Shape: Value,
			Type: "date"}}, Names{}, fault.CountsUnclear,
			`column "qty", of the type date, looks like counts but is not a number per row`},
		"long, counts as text": {[]Field{value("order", Int), value("sku", Bytes), value("qty", Bytes)}, Names{},
			fault.CountsUnclear, `"qty" looks like counts`},
		"long, a lone number": {[]Field{value("order", Int), value("sku", Bytes), value("z", Decimal)}, Names{},
			fault.CountsUnclear, `"z" may be counts or not`},
		"pairs, odd counts": {[]Field{{Name: "l", Shape: Pairs, Kind: Bytes, Unfit: "qty"}}, Names{}, fault.CountsUnclear,
			`"l.qty" looks like counts but does not hold numbers`},
		"pairs, no such count": {[]Field{pairs("l", Bytes, Other)}, Names{Counts: "l.x"}, fault.CountsUnfit,
			`there are no numbers in "l.x"`},
		"long, counts of text": {[]Field{value("order_id", Int), value("sku", Bytes), value("note", Bytes)},
			Names{Counts: "note"}, fault.CountsUnfit,
			`"note" is not a number per row`},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewChooser(test.fields, test.wanted)
			choice, err := c.Choose()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("%v, %v; want %q", choice, err, test.want)
			}
			if got := fault.ReasonOf(err); got != test.reason {
				t.Errorf("reason %d, want %d: %v", got, test.reason, err)
			}
			if strings.Contains(err.Error(), "--") {
				t.Errorf("the error names a flag: %v", err)
			}
		})
	}
}

// TestChoosePair chooses item and count among the fields of a struct.
func TestChoosePair(t *testing.T) {
	item, number, real := func(n string) Field { return value(n, Bytes) }, func(n string) Field { return value(n, Int) },
		func(n string) Field { return value(n, Float) }
	for name, test := range map[string]struct {
		inner  []Field
		wanted Names
		want   [2]int
	}{
		"map":              {[]Field{item("key"), number("value")}, Names{}, [2]int{0, 1}},
		"map of integers":  {[]Field{number("key"), number("value")}, Names{}, [2]int{0, 1}},
		"names":            {[]Field{number("qty"), item("note"), item("sku")}, Names{}, [2]int{2, 0}},
		"lone string":      {[]Field{real("price"), item("x")}, Names{}, [2]int{1, -1}},
		"two strings":      {[]Field{item("a"), item("b")}, Names{}, [2]int{-1, -1}},
		"the other number": {[]Field{item("a"), number("b")}, Names{}, [2]int{0, 1}},
		"of three, none":   {[]Field{item("a"), number("b"), number("c")}, Names{}, [2]int{0, -1}},
		"floats by name":   {[]Field{item("a"), real("weight")}, Names{}, [2]int{0, 1}},
		"dotted": {[]Field{item("a"), item("b"), number("c"), number("d")}, Names{Items: "l.b",
			Counts: "l.d"}, [2]int{1, 3}},
		"dotted, missing":  {[]Field{item("a"), number("c")}, Names{Items: "l.b"}, [2]int{-1, -1}},
		"other column":     {[]Field{item("a"), number("c")}, Names{Items: "m.b"}, [2]int{0, 1}},
		"count of strings": {[]Field{item("a"), item("count")}, Names{Counts: "l.count"}, [2]int{-1, -1}},
		"nothing":          {nil, Names{}, [2]int{-1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			items, counts := choosePair("l", test.inner, test.wanted)
			if got := [2]int{items, counts}; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestLanguages chooses among columns as shops and libraries of several languages call them: documents, items, counts.
func TestLanguages(t *testing.T) {
	for _, line := range []string{
		"Bestellnummer;Artikelnummer;Menge", "Bon-Nr;Artikel;Stückzahl", "Belegnummer;Artikelbezeichnung;Anzahl",
		"Auftrags-Nr.;Produkt;Stk",
		"N° de commande;Référence produit;Quantité", "id_panier;code_article;Qté", "Numéro de facture;Produit;Nb",
		"Nº pedido;Código producto;Cantidad", "id_venta;articulo;unidades", "ticket;descripción;cant",
		"Numero ordine;Codice articolo;Quantità", "scontrino;prodotto;qta",
		"Número do pedido;Código do produto;Quantidade", "nota fiscal;descrição;qtde",
		"Bestelnummer;Artikelnr;Aantal", "kassabon;product;stuks",
		"Numer zamówienia;Kod towaru;Ilość", "paragon;nazwa towaru;szt",
		"Номер заказа;Код товара;Количество", "Чек;Наименование;Кол-во", "ID покупки;Артикул;шт",
		"订单编号;商品编号;数量", "訂單號;商品名稱;數量", "订单ID;商品名称;件数",
		"注文番号;商品コード;数量", "伝票No;品番;個数", "レシート番号;商品名;点数",
		"주문번호;상품코드;수량", "영수증;상품명;개수",
		"order_uuid;sku;qty", "TransactionGUID;ItemID;Quantity", "basket hash;product key;cnt",
	} {
		var fields []Field
		for name := range strings.SplitSeq(line, ";") {
			fields = append(fields, Field{Name: name, Shape: Value, Kind: Bytes, Text: true})
		}
		fields = append(fields, Field{Name: "x", Shape: Value, Kind: Bytes, Text: true})
		c := NewChooser(fields, Names{})
		choice, err := c.Choose()
		if want := (Choice{Long: true, Document: 0, Items: 1, Counts: 2}); err != nil || choice != want {
			t.Errorf("%s: %+v, %v", line, choice, err)
		}
	}
}

// TestNames checks that case, blanks, underlines and plurals do not matter.
func TestNames(t *testing.T) {
	for name, is := range map[string]string{"items": "i", "Item_ID": "i", "item-ids": "i", "SKU": "i", "Stock Code": "i",
		"count": "c", "Counts": "c",
		"term.frequency": "c", "QTY": "c", "order no": "d", "InvoiceNo": "d", "session_ids": "d", "basket": "id",
		"documents": "id", "price": "", "": "", "x_id": "", "num_items": "", "id": "i", "n": "c", "no": "", "note": "",
		"country_id": ""} {
		got := ""
		for _, test := range []struct {
			letter string
			is     func(string) bool
		}{{"i", IsItemName}, {"c", IsCountName}, {"d", IsDocumentName}} {
			if test.is(name) {
				got += test.letter
			}
		}
		if got != is {
			t.Errorf("%q is known as %q, want %q", name, got, is)
		}
	}
}

func TestListing(t *testing.T) {
	if got := Listing(nil); got != "" {
		t.Errorf("no columns: %q", got)
	}
	var all []string
	for i := range 25 {
		all = append(all, fmt.Sprint("c", i))
	}
	if got := Listing(all[:20]); strings.Count(got, `"`) != 40 || strings.Contains(got, "more") {
		t.Errorf("20 columns: %s", got)
	}
	if got := Listing(all); !strings.HasSuffix(got, `"c19", and 5 more`) {
		t.Errorf("25 columns: %s", got)
	}
	if !slices.IsSorted(all[:10]) {
		t.Error("the list was changed")
	}
}

// In pairs of codes and names the code is the item.
func TestCodesInPairs(t *testing.T) {
	for _, names := range [][2]string{{"id", "name"}, {"sku", "title"}, {"code", "description"}, {"item_id", "item_name"},
		{"product_id", "product_name"}} {
		for _, first := range []int{0, 1} {
			inner := []Field{{Name: names[first], Kind: Bytes}, {Name: names[1-first], Kind: Bytes}, {Name: "qty", Kind: Int}}
			f := Field{Name: "items"}
			if items, counts := f.SetPairs(inner, Names{}); items != first || counts != 2 {
				t.Errorf("of %v items are %d and counts %d", inner, items, counts)
			}
		}
	}
}
