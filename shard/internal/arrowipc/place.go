// This file finds where the columns of a schema are among the nodes and buffers of an Arrow record batch.

package arrowipc

import "anchorage/shard/fault"

// fieldPlace is where a field is in a batch.
type fieldPlace struct{ node, buffer, view int }

// placesOf finds where each field is in a batch, by its ordinal.
func placesOf(schema *fileSchema, body *messageBody, places []fieldPlace) []fieldPlace {
	places = append(places[:0], make([]fieldPlace, schema.count)...)
	at := fieldPlace{}
	for _, f := range schema.fields {
		f.place(&at, schema.version, body, places)
	}
	if at.node > len(body.nodes) || at.buffer > len(body.buffers) {
		fault.Throw(errNodes)
	}
	return places
}

// place notes where f is and moves on to the field after it.
func (f *schemaField) place(at *fieldPlace, version int16, body *messageBody, places []fieldPlace) {
	places[f.ordinal] = *at
	at.node++
	if f.dictionary {
		at.buffer += 2
		return
	}
	const version4 = 3
	switch f.typ {
	case typeNull, typeRunEndEncoded:
	case typeUtf8, typeBinary, typeLargeUtf8, typeLargeBinary, typeListView, typeLargeListView:
		at.buffer += 3
	case typeStruct, typeFixedSizeList:
		at.buffer++
	case typeUnion:
		if at.buffer++; f.dense {
			at.buffer++
		}
		if version <= version4 {
			at.buffer++
		}
	case typeUtf8View, typeBinaryView:
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
