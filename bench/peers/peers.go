// Package peers holds the programs, in Python, R and Octave, that run other people's methods, for comparisons with ours.
package peers

import (
	"embed"
	"io/fs"
)

// Topics finds topics by one method of scikit-learn; see topics.py for its arguments.
//
//go:embed topics.py
var Topics []byte

// Truth finds topics, and their joint probabilities, by one method of scikit-learn or gensim; see truth.py for its arguments.
//
//go:embed truth.py
var Truth []byte

// Refine learns topics by LDA of scikit-learn or gensim and predicts documents; see refine.py for its arguments.
//
//go:embed refine.py
var Refine []byte

//go:embed beside
var beside embed.FS

// Beside holds the programs that README.md's interface of `bench peers` describes.
func Beside() fs.FS {
	programs, err := fs.Sub(beside, "beside")
	if err != nil {
		panic(err) // the name is no path
	}
	return programs
}
