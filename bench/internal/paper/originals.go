// This file reads the papers' data sets whose files have formats of their own: the ratings of MovieLens and the playlists of Yes.com.

package paper

import (
	"bufio"
	"errors"
	"fmt"
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

// eachDocument yields the documents that the lines of a file make. parse takes a line with its number, from 1, and delivers documents; it gets
// an empty line, numbered 0, at the end.
func eachDocument(path string, parse func(number int, line string, deliver func(corpus.Document) bool) error) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		stopped := false
		deliver := func(d corpus.Document) bool {
			stopped = stopped || len(d.Items) > 0 && !yield(d, nil)
			return !stopped
		}
		err := func() (err error) {
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			lines, number := bufio.NewScanner(file), 0
			lines.Buffer(nil, longestLine)
			for !stopped && lines.Scan() {
				number++
				if err := parse(number, lines.Text(), deliver); err != nil {
					return &model.InputError{Path: fmt.Sprintf("%s, line %d:", path, number), Reason: err.Error()}
				}
			}
			if err := lines.Err(); err != nil {
				return fmt.Errorf("%s, line %d: %w", path, number+1, err)
			}
			return parse(0, "", deliver)
		}()
		if err != nil && !stopped {
			yield(corpus.Document{}, err)
		}
	}
}

// readRatings yields a document for every user of a ratings.dat of MovieLens, UserID::MovieID::Rating::Timestamp, in which the lines of
// a user follow each other. A movie counts as often as it has stars, halves rounded up.
func readRatings(path string) iter.Seq2[corpus.Document, error] {
	user, d := "", corpus.Document{}
	return eachDocument(path, func(number int, line string, deliver func(corpus.Document) bool) error {
		switch number {
		case 0:
			deliver(d)
			return nil
		case 1:
			user, d = "", corpus.Document{}
		}
		fields := strings.Split(line, "::")
		if len(fields) != 4 || fields[0] == "" || fields[1] == "" {
			return fmt.Errorf("%.60q is not UserID::MovieID::Rating::Timestamp", line)
		}
		stars, err := strconv.ParseFloat(fields[2], 64)
		if err != nil || !(stars > 0 && stars <= 5) {
			return fmt.Errorf("%.20q is not a rating from 0.5 to 5", fields[2])
		}
		if fields[0] != user {
			deliver(d)
			user, d = fields[0], corpus.Document{Items: d.Items[:0], Counts: d.Counts[:0]}
		}
		d.Items, d.Counts = append(d.Items, fields[1]), append(d.Counts, int32(math.Ceil(stars)))
		return nil
	})
}

// readPlaylists yields a document for every playlist of a file of the Yes.com data (Chen, Moore, Turnbull & Joachims, KDD 2012): a line
// with the ids of all songs, a line with how often each occurs, and then a line of song numbers, from 0, for every playlist.
func readPlaylists(path string) iter.Seq2[corpus.Document, error] {
	songs := 0
	return eachDocument(path, func(number int, line string, deliver func(corpus.Document) bool) error {
		fields := strings.Fields(line)
		switch number {
		case 0:
			return nil
		case 1:
			songs = len(fields)
			return nil
		case 2:
			if len(fields) != songs {
				return fmt.Errorf("there are %d songs and %d numbers of their occurrences", songs, len(fields))
			}
			return nil
		}
		for _, field := range fields {
			if song, err := strconv.Atoi(field); err != nil || song < 0 || song >= songs {
				return fmt.Errorf("%.20q is not the number of one of %d songs", field, songs)
			}
		}
		deliver(corpus.Document{Items: fields})
		return nil
	})
}
