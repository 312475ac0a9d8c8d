// This file holds files of records, one line of JSON each, which grow run by run.

package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"anchorage/model"
)

// readRecords reads the records of a file; of a run that it holds twice the later one counts, in the place of the
// earlier. run says which run a record is of, check what is wrong with it. A file that is not there has none.
func readRecords[Run comparable, Record any](path string, run func(*Record) Run, check func(*Record) error) (
	[]Record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var records []Record
	at := make(map[Run]int)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for row := 1; lines.Scan(); row++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var record Record
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&record)
		if err == nil {
			err = check(&record)
		}
		if err != nil {
			reason := fmt.Sprintf("line %d is no record of a run: %v: take it out", row, err)
			return nil, &model.InputError{Path: path, Reason: reason}
		}
		if i, again := at[run(&record)]; again {
			records[i] = record
			continue
		}
		at[run(&record)] = len(records)
		records = append(records, record)
	}
	return records, lines.Err()
}

// appendRecord adds a record to a file, which may be new, as a whole line.
func appendRecord(path string, record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}
