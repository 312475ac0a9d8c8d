// This file knows columns by their names, in the languages in which most data are written.

package roles

import (
	"slices"
	"strings"
	"unicode"
)

// names are the words by which the columns of a role are known, the more telling first. A name is known if it is one of
// the words, its plural, or has a prefix or suffix that says it is an id: "order", "orders", "order_id", "id_order",
// "OrderNo", "Bestellnummer".
type names struct {
	ranks [][]string
	// exact are known without prefixes and suffixes only.
	exact []string
	// amounts says that the words are amounts, which have no prefix or suffix of ids beside them: "value_id" is no value.
	amounts bool
	known   map[string]int // folded name -> rank, from 1
	bare    map[string]int // the same of exact names
}

var documentNames = newNames(names{ranks: [][]string{
	{"doc", "document", "order", "basket", "transaction", "invoice", "receipt", "cart", "ticket", "bill", "purchase",
		"checkout", "booking", "playlist",
		"bestellung", "bestell", "auftrag", "auftrags", "beleg", "kassenbon", "bon", "rechnung", "rechnungs", "warenkorb",
		"einkauf", "lieferschein", "vorgang", "vorgangs", "dokument",
		"commande", "facture", "panier", "achat",
		"pedido", "orden", "factura", "cesta", "carrito", "compra", "recibo", "transaccion", "venta", "documento", "boleta",
		"ordine", "fattura", "carrello", "scontrino", "ricevuta", "transazione", "vendita", "acquisto",
		"fatura", "notafiscal", "carrinho", "transacao", "venda", "encomenda", "cupom",
		"bestelling", "bestel", "factuur", "winkelmand", "kassabon", "transactie", "aankoop",
		"zamowienie", "zamowienia", "faktura", "faktury", "koszyk", "koszyka", "paragon", "paragonu", "transakcja",
		"transakcji", "zakup",
		"заказ", "заказа", "чек", "чека", "корзина", "корзины", "накладная", "накладной", "покупка", "покупки", "транзакция",
		"транзакции", "документ", "документа", "счет", "счета",
		"订单", "訂單", "购物车", "購物車", "购物篮", "交易", "发票", "發票", "小票", "单据", "單據", "文档", "文件",
		"注文", "受注", "伝票", "取引", "レシート", "カート", "文書", "請求書",
		"주문", "거래", "영수증", "장바구니", "문서", "송장"},
	{"session", "visit", "sitzung", "sitzungs", "besuch", "visite", "sesion", "sessione", "sessao", "sessie", "sesja",
		"sesji", "сессия", "сессии", "визит",
		"会话", "會話", "セッション", "訪問", "세션"},
	{"user", "uid", "customer", "client", "member", "household", "kunde", "kunden", "benutzer", "utilisateur", "cliente",
		"usuario", "utente", "klant", "gebruiker", "klient", "klienta",
		"uzytkownik", "клиент", "клиента", "покупатель", "покупателя", "пользователь", "пользователя", "顾客", "顧客", "客户", "客戶",
		"用户", "用戶", "会员", "會員", "会員", "ユーザー", "고객", "회원", "사용자"},
}})

var itemNames = newNames(names{ranks: [][]string{
	{"item", "word", "token", "term", "product", "sku", "stockcode", "article", "basket", "document", "feature", "tag",
		"track", "movie", "book", "good", "ean", "gtin", "upc",
		"barcode", "isbn", "asin",
		"artikel", "produkt", "ware", "waren", "wort", "woerter", "worter",
		"produit", "mot", "terme",
		"articulo", "producto", "palabra", "termino",
		"articolo", "articoli", "prodotto", "prodotti", "parola", "parole",
		"artigo", "produto", "palavra", "termo", "mercadoria",
		"woord", "woorden", "producten",
		"artykul", "artykulu", "produktu", "produkty", "towar", "towaru", "towary", "slowo", "slowa",
		"товар", "товара", "товары", "артикул", "артикула", "продукт", "продукта", "слово", "слова", "номенклатура",
		"номенклатуры",
		"商品", "产品", "產品", "物品", "货品", "貨品", "品目", "词", "詞", "单词", "單詞",
		"製品", "品番", "単語", "アイテム",
		"상품", "제품", "품목", "단어", "아이템"},
	{"productname", "itemname", "articlename", "productdescription", "itemdescription", "artikelbezeichnung",
		"artikelname", "produktname", "nomproduit", "libelle", "designation",
		"nombreproducto", "descripcion", "nomeprodotto", "descrizione", "nomeproduto", "descricao", "productnaam",
		"artikelnaam", "omschrijving", "nazwaproduktu", "nazwatowaru", "description", "title", "movietitle", "booktitle",
		"name",
		"наименование", "название", "商品名", "商品名称", "产品名称", "商品名稱", "品名", "製品名", "상품명", "제품명", "품명"},
}, exact: []string{"id"}})

var countNames = newNames(names{ranks: [][]string{
	{"count", "itemcount", "wordcount", "tokencount", "termcount", "cnt", "quantity", "quantities", "qty", "frequency",
		"frequencies", "freq", "tf", "termfrequency", "pieces", "pcs",
		"menge", "anzahl", "stueck", "stuck", "stk", "stueckzahl", "stuckzahl", "haufigkeit", "haeufigkeit",
		"quantite", "qte", "nb", "frequence",
		"cantidad", "cant", "frecuencia", "unidades", "uds",
		"quantita", "qta", "frequenza", "pezzi", "pz",
		"quantidade", "qtd", "qtde", "frequencia",
		"aantal", "hoeveelheid", "frequentie", "stuks",
		"ilosc", "liczba", "sztuk", "sztuki", "szt", "czestosc",
		"количество", "колво", "шт", "штук", "частота",
		"数量", "數量", "件数", "件數", "个数", "個數", "次数", "次數", "频次", "频率",
		"個数", "点数", "回数", "頻度",
		"수량", "개수", "갯수", "횟수", "빈도"},
	{"amount", "weight", "value", "units", "gewicht", "poids", "peso", "вес", "重量", "무게"},
}, exact: []string{"n"}, amounts: true})

// codeNames are the names of a column that says nothing but that it holds codes.
var codeNames = []string{"code", "codes", "codigo", "codice", "cod", "kod", "код", "コード", "编码", "編碼", "코드"}

// idSuffixes and idPrefixes say that a column holds ids of the thing beside them. joints may be between a prefix and a
// word.
var (
	idSuffixes = []string{"id", "no", "nr", "num", "number", "key", "code", "uuid", "guid", "uid", "hash", "sk", "ref",
		"nummer", "numero", "номер", "код", "kod", "ид",
		"号", "號", "编号", "編號", "号码", "號碼", "番号", "コード", "編号", "번호", "코드"}
	idPrefixes = []string{"id", "ref", "reference", "referencia", "riferimento", "code", "cod", "codigo", "codice",
		"numero", "uuid", "guid", "nr", "номер", "код", "kod", "numer", "identifiant", "идентификатор"}
	joints = []string{"de", "di", "do", "da", "del", "della", "dela", "du", "der", "van", "d"}
	// shortPrefixes need a joint: "num_items" is a number of items.
	shortPrefixes = []string{"no", "n", "num"}
)

// newNames returns names that can be looked up.
func newNames(n names) names {
	n.known, n.bare = make(map[string]int), make(map[string]int)
	for rank, words := range n.ranks {
		for _, word := range words {
			n.known[FoldName(word)] = rank + 1
		}
	}
	for _, word := range n.exact {
		n.bare[word] = len(n.ranks) + 1
		n.bare[word+"s"] = len(n.ranks) + 1
	}
	return n
}

// rank returns how telling a name is, from 1 for the most; 0 if it is not known.
func (n *names) rank(name string) int {
	name = FoldName(name)
	if rank := n.bare[name]; rank > 0 {
		return rank
	}
	if rank := n.word(name); rank > 0 {
		return rank
	}
	if n.amounts {
		return n.numberOf(name)
	}
	for _, suffix := range idSuffixes {
		for _, suffix := range []string{suffix, suffix + "s"} {
			if word, cut := strings.CutSuffix(name, suffix); cut && n.word(word) > 0 {
				return n.word(word)
			}
		}
	}
	for _, prefix := range idPrefixes {
		if word, cut := strings.CutPrefix(name, prefix); cut {
			if rank := max(n.word(word), n.joined(word)); rank > 0 {
				return rank
			}
		}
	}
	return n.numberOf(name)
}

// numberOf returns the rank of a name such as "num_de_articles".
func (n *names) numberOf(name string) int {
	for _, prefix := range shortPrefixes {
		if word, cut := strings.CutPrefix(name, prefix); cut && n.joined(word) > 0 {
			return n.joined(word)
		}
	}
	return 0
}

// word returns the rank of a word or of its plural.
func (n *names) word(word string) int {
	if rank := n.known[word]; rank > 0 {
		return rank
	}
	singular, _ := strings.CutSuffix(word, "s")
	return n.known[singular]
}

// joined returns the rank of a word behind a joint.
func (n *names) joined(word string) int {
	for _, joint := range joints {
		if rest, cut := strings.CutPrefix(word, joint); cut && n.word(rest) > 0 {
			return n.word(rest)
		}
	}
	return 0
}

// plain are letters without their marks.
var plain = strings.NewReplacer("à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ą", "a", "ç", "c", "ć",
	"c", "č", "c", "è", "e", "é", "e", "ê", "e", "ë", "e", "ę", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ł", "l", "ñ", "n", "ń", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o",
	"ø", "o", "ś", "s", "š", "s", "ù", "u", "ú", "u", "û", "u",
	"ü", "u", "ý", "y", "ź", "z", "ż", "z", "ž", "z", "ß", "ss", "œ", "oe", "æ", "ae", "ё", "е", "n°", "numero", "nº",
	"numero", "№", "номер")

// FoldName returns a name as the sets of names hold it: case, marks of letters, blanks and signs do not matter, so that
// "item_id", "Item ID" and "itemid" are the same.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, plain.Replace(strings.ToLower(name)))
}

// IsCountName reports whether a column of this name is known to hold counts.
func IsCountName(name string) bool { return countNames.rank(name) > 0 }

// IsItemName reports whether a column of this name is known to hold items.
func IsItemName(name string) bool { return itemNames.rank(name) > 0 }

// IsIDName reports whether a column of this name is known to hold ids of documents, or ids in general.
func IsIDName(name string) bool {
	folded := FoldName(name)
	return IsDocumentName(name) || folded == "id" || folded == "index" || folded == ""
}

// IsCodeName reports whether a column of this name is known to hold ids or codes of something.
func IsCodeName(name string) bool {
	name = FoldName(name)
	return slices.ContainsFunc(idSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// IsNameOfItem reports whether a column of this name is known to hold the names of items, which may have a code in
// another column.
func IsNameOfItem(name string) bool { return itemNames.rank(name) == nameRank }

// nameRank is the rank of names of items.
const nameRank = 2

// IsDocumentName reports whether a column of this name is known to hold the ids of documents.
func IsDocumentName(name string) bool { return documentNames.rank(name) > 0 }

// IsTimeName reports whether a column of this name is known to hold times.
func IsTimeName(name string) bool {
	switch FoldName(name) {
	case "timestamp", "time", "ts", "unixtime", "epoch", "date", "datetime", "day", "datum", "zeitstempel", "fecha":
		return true
	}
	return false
}
