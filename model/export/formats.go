// This file holds the table of formats, and writes them.

package export

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/output"
	"anchorage/model"
)

// Format is a form that other programs read.
type Format string

// The formats.
const (
	PyLDAvis Format = "pyldavis" // a folder with the arguments of pyLDAvis.prepare
	Gensim   Format = "gensim"   // a folder with the topics for gensim's LdaModel
	Word2Vec Format = "word2vec" // a text file with a vector per item
	NPY      Format = "npy"      // a folder of NumPy arrays
	CSV      Format = "csv"      // a folder of comma-separated tables
	Excel    Format = "excel"    // the same, each with a byte order mark, without which Excel misreads accents
)

// format is what is known of a Format.
type format struct {
	name Format
	help string
	// The output is a file, or a folder of files.
	file   func(context.Context, *job, io.Writer) error
	folder func(context.Context, *job, *durable.Dir) error
	// documents says whether the format also describes documents.
	documents need
}

// need says whether a format takes something.
type need int

const (
	unused need = iota
	optional
	required
)

// formats is the table of all.
var formats = []format{
	{name: PyLDAvis, help: "folder with the five arguments of pyLDAvis.prepare and a script", folder: writePyLDAvis,
		documents: required},
	{name: Gensim, help: "folder with topics, prior and dictionary, and a script that makes an LdaModel",
		folder: writeGensim},
	{name: Word2Vec, help: "text file with a vector per item, as gensim's KeyedVectors reads it", file: writeWord2Vec},
	{name: NPY, help: "folder of NumPy arrays", folder: writeArrays, documents: optional},
	{name: CSV, help: "folder of comma-separated tables", folder: writeCSV, documents: optional},
	{name: Excel, help: "the same for Excel, whose double click then shows all letters", folder: writeExcel,
		documents: optional},
}

// Formats returns all formats with a line of help each.
func Formats() (names []Format, help []string) {
	for _, f := range formats {
		names, help = append(names, f.name), append(help, f.help)
	}
	return names, help
}

// Options say what to write.
type Options struct {
	// Documents are files with the topics of documents, which PyLDAvis needs, NPY, CSV and Excel can have, and others
	// do not take: Parquet with the columns mixture (list of K float32) and known_tokens (int64), and except for PyLDAvis
	// doc_id (string), in the order in which they are to be read.
	Documents []string
	// Replace lets a new folder take the place of one that is there, as model.Replace does, and a new file that of a file.
	Replace bool
	// Warn, if not nil, is told when a request to an object store failed and will be repeated.
	Warn func(object string, attempt int, pause time.Duration, err error)
}

// job is a model to be written.
type job struct {
	*model.Model
	Options
	mark bool // tables begin with a byte order mark
}

// OptionError reports options that do not go together.
type OptionError struct {
	Format    Format
	Documents bool // whether the format needs documents or does not take them; otherwise it is unknown
	Reason    string
}

// Error returns the reason.
func (e *OptionError) Error() string { return e.Reason }

// kindPrefix and the name of a format are the kind of a folder in its manifest, _manifest.json.
const kindPrefix = "anchorage/export/"

// Write writes a model at path, which may be a URL of an object store: a folder or a file, which must not exist unless
// o.Replace is set. The error is an *OptionError, an *ItemError, wraps model.ErrExists, or is one of reading or
// writing.
func Write(ctx context.Context, m *model.Model, to Format, path string, o Options) error {
	at := slices.IndexFunc(formats, func(f format) bool { return f.name == to })
	if at < 0 {
		return &OptionError{Format: to, Reason: fmt.Sprintf("unknown format %q", to)}
	}
	f, j := formats[at], &job{Model: m, Options: o}
	switch {
	case f.documents == required && len(o.Documents) == 0:
		return &OptionError{to, true, fmt.Sprintf("%s shows documents beside the topics, but there are none", to)}
	case f.documents == unused && len(o.Documents) > 0:
		return &OptionError{to, true, fmt.Sprintf("%s has no documents", to)}
	}
	if f.file != nil {
		return output.WriteFile(ctx, path, o.Replace, o.Warn, func(w io.Writer) error { return f.file(ctx, j, w) })
	}
	dir, err := output.Begin(ctx, path, kindPrefix+string(to), o.Replace, o.Warn)
	if err != nil {
		return err
	}
	defer dir.Abort()
	if err := f.folder(ctx, j, dir); err != nil {
		return err
	}
	if err := output.List(dir, kindPrefix+string(to)); err != nil {
		return err
	}
	return dir.Commit()
}
