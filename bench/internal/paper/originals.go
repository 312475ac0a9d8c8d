// This file reads the papers' data sets whose files have formats of their own: the ratings of MovieLens and the playlists of Yes.com.

package paper

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"strconv"
	"strings"

	"anchorage/corpus"
	"anchorage/model"
)

// longestLine bounds a line of these files: the first line of playlists holds the ids of all songs.
const longestLine = 64 << 20

// eachLine calls fn with every line of a file and its number, from 1, until fn returns an error.
func eachLine(path string, fn func(number int, line string) error) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewReaderSize(file, 1<<20)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		if err := fn(number, line); err != nil {
			return err
		}
	}
}

// readLine returns the next line without its end.
func readLine(from *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, err := from.ReadSlice('\n')
		line.Write(part)
		switch {
		case line.Len() > longestLine:
			return "", fmt.Errorf("the line is longer than %d MiB", longestLine>>20)
		case err == nil || err == io.EOF && line.Len() > 0:
			return strings.TrimRight(line.String(), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// errEnough ends a file whose reader wants no more documents.
var errEnough = errors.New("enough")

// badLine returns the error for a line that is not of the format.
func badLine(path string, number int, format string, args ...any) error {
	return &model.InputError{Path: fmt.Sprintf("%s, line %d:", path, number), Reason: fmt.Sprintf(format, args...)}
}

// readRatings yields a document for every user of a ratings.dat of MovieLens, UserID::MovieID::Rating::Timestamp, in which the lines of
// a user stand together. A movie counts as often as it has stars, halves rounded up.
func readRatings(path string) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		user, d := "", corpus.Document{}
		deliver := func() error {
			if len(d.Items) > 0 && !yield(d, nil) {
				return errEnough
			}
			d = corpus.Document{Items: d.Items[:0], Counts: d.Counts[:0]}
			return nil
		}
		err := eachLine(path, func(number int, line string) error {
			fields := strings.Split(line, "::")
			if len(fields) != 4 || fields[0] == "" || fields[1] == "" {
				return badLine(path, number, "%.60q is not UserID::MovieID::Rating::Timestamp", line)
			}
			stars, err := strconv.ParseFloat(fields[2], 64)
			if err != nil || !(stars > 0 && stars <= 5) {
				return badLine(path, number, "%.20q is not a rating from 0.5 to 5", fields[2])
			}
			if fields[0] != user {
				if err := deliver(); err != nil {
					return err
				}
				user = fields[0]
			}
			d.Items, d.Counts = append(d.Items, fields[1]), append(d.Counts, int32(math.Ceil(stars)))
			return nil
		})
		if err == nil {
			err = deliver()
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(corpus.Document{}, err)
		}
	}
}

// readPlaylists yields a document for every playlist of a file of the Yes.com data (Chen, Moore, Turnbull & Joachims, KDD 2012): a line
// with the ids of all songs, a line with how often each occurs, and then a line of song numbers, from 0, for every playlist.
func readPlaylists(path string) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		songs := 0
		err := eachLine(path, func(number int, line string) error {
			fields := strings.Fields(line)
			switch number {
			case 1:
				songs = len(fields)
				return nil
			case 2:
				if len(fields) != songs {
					return badLine(path, number, "there are %d songs and %d numbers of their occurrences", songs, len(fields))
				}
				return nil
			}
			for _, field := range fields {
				if song, err := strconv.Atoi(field); err != nil || song < 0 || song >= songs {
					return badLine(path, number, "%.20q is not the number of one of %d songs", field, songs)
				}
			}
			if len(fields) > 0 && !yield(corpus.Document{Items: fields}, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(corpus.Document{}, err)
		}
	}
}
