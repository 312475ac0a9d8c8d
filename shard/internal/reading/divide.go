// This file divides files of row groups or record batches into parts.

package reading

// PartBytes is the size from which a run of groups is worth a separate part.
const PartBytes = 8 << 20

// Divide makes parts of n groups: runs of neighbours that have enough bytes together. A long table is one part, whose
// number of rows says nothing about documents. size returns the bytes and rows of a group; part returns the part of the
// groups from, up to but without to, whose Bytes and Rows are set here.
func Divide(n int, enough int64, long bool, size func(i int) (bytes, rows int64), part func(from,
	to int) Part) (parts []Part) {
	for from := 0; from < n; {
		var total, documents int64
		to := from
		for to < n && (total < enough || long) {
			bytes, rows := size(to)
			total, documents = total+bytes, documents+rows
			to++
		}
		if long {
			documents = -1
		}
		p := part(from, to)
		p.Bytes, p.Rows = total, documents
		parts = append(parts, p)
		from = to
	}
	return parts
}
