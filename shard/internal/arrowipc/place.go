// This file finds where the columns of a schema stand among the nodes and buffers of an Arrow record batch.

package arrowipc

// arrowPlace is where a field stands in a batch.
type arrowPlace struct{ node, buffer, view int }

// placesOf finds where each field stands in a batch, by its ordinal.
func placesOf(schema *ipcSchema, body *arrowBody, places []arrowPlace) ([]arrowPlace, error) {
	places = append(places[:0], make([]arrowPlace, schema.count)...)
	at := arrowPlace{}
	for _, f := range schema.fields {
		f.place(&at, schema.version, body, places)
	}
	if at.node > len(body.nodes) || at.buffer > len(body.buffers) {
		return places, errNodes
	}
	return places, nil
}

// place notes where f stands and moves on to the field after it.
func (f *arrowField) place(at *arrowPlace, version int16, body *arrowBody, places []arrowPlace) {
	places[f.ordinal] = *at
	at.node++
	if f.dictionary {
		at.buffer += 2
		return
	}
	const version4 = 3
	switch f.typ {
	case arrowNull, arrowRunEndEncoded:
	case arrowUtf8, arrowBinary, arrowLargeUtf8, arrowLargeBinary, arrowListView, arrowLargeListView:
		at.buffer += 3
	case arrowStruct, arrowFixedSizeList:
		at.buffer++
	case arrowUnion:
		if at.buffer++; f.dense {
			at.buffer++
		}
		if version <= version4 {
			at.buffer++
		}
	case arrowUtf8View, arrowBinaryView:
		at.buffer += 2
		if at.view < len(body.views) {
			at.buffer += int(min(max(body.views[at.view], 0), 1<<30))
		}
		at.view++
	default:
		at.buffer += 2
	}
	for _, child := range f.children {
		child.place(at, version, body, places)
	}
}
