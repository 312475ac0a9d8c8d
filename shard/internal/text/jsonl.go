// This file reads JSON lines: one object per line, whose items are a list of ids beside one of counts, an object of
// counts, or, to be cut into words, a string.

package text

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

var (
	errNotJSON   = errors.New("the line is not valid JSON")
	errNotObject = errors.New("the line is not a JSON object")
	errSpread    = errors.New("the line is not valid JSON, for its object does not end in it: write each document on a " +
		"line of its own, or all of them between [ and ] with commas")
)

// jsonLines is the lineParser of JSON lines.
type jsonLines struct {
	builder *bag.Builder
	options reading.Options
	words   tokenizer

	chosen              bool // the names below have been chosen, by the first document with items
	items, counts, name string
	texts               []string             // fields of texts, in place of items
	parts               map[string]jsonParts // of fields with lists of objects
	code, label         string               // members of objects, where names of items are read
	members             []jsonMember
	values              []jsonValue // counts of the current document
}

// jsonParts are the members of the objects of a list; counts and names are empty where there are none.
type jsonParts struct{ items, counts, names string }

// jsonMember is a member of a line's object.
type jsonMember struct {
	name  string
	value jsonValue
}

// OpenJSONL opens JSON lines.
func OpenJSONL(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	r, err := openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return lineByLine(newJSONLines(b, in.Options).line), nil
	})
	if err != nil {
		return nil, err
	}
	lines := r.(*linesReader).lines
	lines.source = &jsonArray{source: bufio.NewReaderSize(lines.source, lineBlock)}
	return r, nil
}

func newJSONLines(b *bag.Builder, opts reading.Options) *jsonLines {
	return &jsonLines{builder: b, options: opts, words: newTokenizer(b, opts), parts: make(map[string]jsonParts)}
}

// line adds the document of a line.
func (p *jsonLines) line(line []byte) (document bool, err error) {
	defer fault.Catch(&err)
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return false, nil
	}
	p.document(line)
	return true, nil
}

// document adds the document of a line. Like all methods that return no error, it throws what is wrong.
func (p *jsonLines) document(line []byte) {
	if !json.Valid(line) {
		var value any
		if !p.chosen && json.NewDecoder(bytes.NewReader(line)).Decode(&value) == io.ErrUnexpectedEOF {
			fault.Throw(&fault.Error{Err: errSpread}) // it concerns all lines
		}
		throw("%w: %w", errNotJSON, json.Unmarshal(line, &value))
	}
	if line[0] != '{' {
		fault.Throw(errNotObject)
	}
	p.members = p.members[:0]
	jsonValue(line).walk(func(name []byte, value jsonValue) {
		p.members = append(p.members, jsonMember{string(name), value})
	})
	if !p.chosen {
		if err := p.choose(); err != nil {
			choice := &fault.Error{Err: err, Columns: p.names(), First: [][]string{nil}} // it concerns all lines
			for _, m := range p.members {
				choice.First[0] = append(choice.First[0], roles.Shown(string(m.value)))
			}
			fault.Throw(choice)
		}
		items, found := p.member(p.items)
		p.chosen = !found || items.kind() != '[' || items.first() != nil // an empty list does not show what is in others
	}
	p.setName()
	if p.texts != nil {
		p.addTexts()
		return
	}
	items, found := p.member(p.items)
	if !found {
		throw("there is no field %q; the fields are %s", p.items, roles.Listing(p.names()))
	}
	if p.code != "" {
		p.addNames(items)
		return
	}
	p.addItems(items)
}

// throw throws what is wrong with a line.
func throw(format string, args ...any) { fault.Throw(fmt.Errorf(format, args...)) }

// member returns the value of the member called name.
func (p *jsonLines) member(name string) (value jsonValue, found bool) {
	for _, m := range p.members {
		if m.name != name {
			continue
		}
		if found {
			throw("the field %q comes twice", name)
		}
		value, found = m.value, true
	}
	return value, found
}

func (p *jsonLines) setName() {
	if p.name == "" {
		return
	}
	if value, found := p.member(p.name); found && value.kind() != 'n' {
		fault.Throw(p.builder.SetName(value.id()))
	}
}

// choose finds the names of the fields in the first document, as in the columns of a table.
func (p *jsonLines) choose() error {
	fields := make([]roles.Field, len(p.members))
	names := p.options.Columns
	for i, m := range p.members {
		fields[i] = p.describe(m)
		// The usual names need no choice, whatever is beside them.
		if names.Items == "" && m.name == "items" {
			names.Items = "items"
		}
		if names.Counts == "" && m.name == "counts" {
			names.Counts = "counts"
		}
	}
	for _, m := range p.members {
		code, coded := strings.CutPrefix(names.Document, m.name+".")
		label, labelled := strings.CutPrefix(names.Items, m.name+".")
		if coded && labelled && p.options.Scattered {
			p.items, p.code, p.label = m.name, code, label
			return nil
		}
	}
	c := roles.NewChooser(fields, names)
	name, err := c.ChooseName()
	if err != nil {
		return err
	}
	if name >= 0 {
		p.name = fields[name].Name
	}
	if p.texts = names.Texts; len(p.texts) > 0 {
		_, _, err := c.ChooseTexts(p.texts)
		return err
	}
	at, err := c.ChooseItems()
	if err != nil && names.Items == "" && p.findText() {
		return nil
	}
	if err != nil {
		return err
	}
	p.items = fields[at].Name
	if p.counts = names.Counts; p.counts == "" && fields[at].Shape == roles.List {
		counts, err := c.ChooseCounts(at)
		if err != nil {
			return err
		}
		if counts >= 0 {
			p.counts = fields[counts].Name
		}
	}
	if p.counts == roles.NoCounts || fields[at].Shape == roles.Pairs {
		p.counts = ""
	}
	return nil
}

// findText makes the likeliest text among the members, if there is one, what documents are read from.
func (p *jsonLines) findText() bool {
	var names []string
	var values [][][]byte
	for _, m := range p.members {
		if m.value.kind() == '"' && m.name != p.name {
			names, values = append(names, m.name), append(values, [][]byte{m.value.text()})
		}
	}
	if found := FindTexts(names, values); len(found) > 0 {
		p.texts = []string{names[found[0]]}
	}
	return p.texts != nil
}

// addTexts adds the words of the texts of a document. A text may be missing or null.
func (p *jsonLines) addTexts() {
	for _, name := range p.texts {
		value, found := p.member(name)
		switch {
		case !found || value.kind() == 'n':
			continue
		case value.kind() != '"':
			throw("the field %q is not a string", name)
		}
		fault.Throw(p.words.add(value.text()))
	}
}

// describe reports to the choice of fields what a member is. An empty list may hold anything.
func (p *jsonLines) describe(m jsonMember) roles.Field {
	f := roles.Field{Name: m.name}
	switch m.value.kind() {
	case '{':
		f.Shape, f.Kind, f.Count = roles.Pairs, roles.Bytes, roles.Int
	case '[':
		f.Shape, f.Kind = roles.List, roles.Bytes
		if first := m.value.first(); first != nil && first.kind() == '{' {
			p.describeObjects(&f, first)
		} else if first != nil {
			f.Kind = first.idKind()
		} else if roles.IsCountName(m.name) {
			f.Kind = roles.Int
		}
	case 'n': // of the first document; what the others have there is told by the name, if by anything
		wanted := p.options.Columns
		switch {
		case m.name == wanted.Document || slices.Contains(wanted.Texts, m.name):
			f.Shape, f.Kind = roles.Value, roles.Bytes
		case m.name == wanted.Items || wanted.Items == "" && roles.IsItemName(m.name):
			f.Shape, f.Kind = roles.List, roles.Bytes
		}
	default:
		f.Shape, f.Kind = roles.Value, m.value.idKind()
		if (p.options.Tokenize || p.options.Separator != "") && f.Kind == roles.Bytes && (m.name == p.options.Columns.Items ||
			textFields[roles.FoldName(m.name)]) {
			f.Shape = roles.List
		}
	}
	return f
}

// describeObjects describes a member that is a list of objects, of which first is one.
func (p *jsonLines) describeObjects(f *roles.Field, first jsonValue) {
	var inner []roles.Field
	first.walk(func(name []byte, value jsonValue) {
		inner = append(inner, roles.Field{Name: string(name), Kind: value.idKind()})
	})
	f.Kind = roles.Other
	item, count := f.SetPairs(inner, p.options.Columns)
	if item < 0 {
		return
	}
	part := jsonParts{items: inner[item].Name}
	if count >= 0 && p.options.Columns.Counts != roles.NoCounts {
		part.counts = inner[count].Name
	}
	if at := p.options.Columns.NamesInPairs(f.Name, inner, item); at >= 0 {
		part.names = inner[at].Name
	}
	p.parts[f.Name] = part
}

// addObject adds an item that is an object.
func (p *jsonLines) addObject(object jsonValue, part jsonParts) {
	if object.kind() != '{' {
		throw("item %.40s is not an object, as others are", object)
	}
	item, count := jsonValue("null"), int32(1)
	object.walk(func(name []byte, value jsonValue) {
		switch string(name) {
		case part.items:
			item = value
		case part.counts:
			count = p.count(value)
		}
	})
	if item.kind() == 'n' {
		fault.Throw(bag.ErrNullItem)
	}
	p.addValue(item, count)
}

// addNames adds a document for each object of a list that has a code and a name: the code is its id, the name its item.
func (p *jsonLines) addNames(list jsonValue) {
	if list.kind() != '[' {
		return
	}
	open := false // the caller ends the last document
	list.walk(func(_ []byte, object jsonValue) {
		code, name := jsonValue("null"), jsonValue("null")
		if object.kind() == '{' {
			object.walk(func(member []byte, value jsonValue) {
				switch string(member) {
				case p.code:
					code = value
				case p.label:
					name = value
				}
			})
		}
		if code.kind() == 'n' || name.kind() != '"' {
			return
		}
		if open {
			p.builder.EndDocument()
		}
		open = true
		fault.Throw(p.builder.SetName(code.id()))
		p.addValue(name, 1)
	})
}

// textFields are names of fields that are cut into words if that is asked for.
var textFields = map[string]bool{"text": true, "body": true, "content": true, "items": true, "title": true,
	"abstract": true}

// addItems adds the items of a document.
func (p *jsonLines) addItems(items jsonValue) {
	switch kind := items.kind(); {
	case kind == 'n':
		return
	case kind == '{':
		items.walk(func(name []byte, value jsonValue) {
			count := int32(1)
			if p.options.Columns.Counts != roles.NoCounts {
				err := fault.Guard(func() error { count = p.count(value); return nil })
				if err != nil {
					throw("item %.40q: %w", name, err)
				}
			}
			fault.Throw(p.builder.AddBytes(name, count))
		})
		return
	case kind == '"' && p.options.Tokenize:
		fault.Throw(p.words.add(items.text()))
		return
	case kind == '"' && p.options.Separator != "":
		fault.Throw(addItems(p.builder, items.text(), p.options.Separator))
		return
	case kind == '"':
		fault.Throw(fault.Because(fault.StringItems, "the field %q is a string", p.items))
	case kind != '[':
		throw("the field %q is neither a list nor an object", p.items)
	}
	if part, are := p.parts[p.items]; are {
		items.walk(func(_ []byte, value jsonValue) { p.addObject(value, part) })
		return
	}
	if p.counts == "" {
		if late := p.lateCounts(); late != "" {
			fault.Throw(fault.Because(fault.CountsUnclear,
				"the list %q looks like counts, which the documents before do not have", late))
		}
		items.walk(func(_ []byte, value jsonValue) { p.addValue(value, 1) })
		return
	}
	counts, found := p.member(p.counts)
	if !found || counts.kind() != '[' {
		fault.Throw(fault.Because(fault.CountsMissing, "there is no list %q of counts", p.counts))
	}
	p.values = p.values[:0]
	counts.walk(func(_ []byte, value jsonValue) { p.values = append(p.values, value) })
	next := 0
	items.walk(func(_ []byte, value jsonValue) {
		if next == len(p.values) {
			fault.Throw(bag.ErrTwoLists)
		}
		count := p.count(p.values[next])
		next++
		p.addValue(value, count)
	})
	if next != len(p.values) {
		fault.Throw(bag.ErrTwoLists)
	}
}

// lateCounts returns a field that looks like counts although none was found in the first document; "" without one.
func (p *jsonLines) lateCounts() string {
	for _, m := range p.members {
		if p.options.Columns.Counts != roles.NoCounts && m.name != p.items && m.value.kind() == '[' &&
			roles.IsCountName(m.name) {
			return m.name
		}
	}
	return ""
}

// count returns the count that a value gives: a number, a string that is one, or null.
func (p *jsonLines) count(value jsonValue) (count int32) {
	count, err := p.builder.Text(bytes.TrimSpace(value.id()))
	if value.kind() == 'n' {
		count, err = p.builder.Nothing()
	}
	fault.Throw(err)
	return count
}

// addValue adds an item that is a string or a whole number.
func (p *jsonLines) addValue(value jsonValue, count int32) {
	if value.kind() != '"' {
		if _, err := strconv.ParseInt(string(value), 10, 64); err != nil || string(value) == "-0" {
			throw("item %.40s is neither a string nor a whole number", value)
		}
	}
	fault.Throw(p.builder.AddBytes(value.id(), count))
}

// names returns the names of the members.
func (p *jsonLines) names() (all []string) {
	for _, m := range p.members {
		all = append(all, m.name)
	}
	return all
}
