// This file holds the records of a series of runs, which a later command goes on from: runs.csv with a row per run, and
// stages.csv with a row for every stage of a run.

package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/model/fit"
)

// The files of a log.
const (
	RunsFile   = "runs.csv"
	stagesFile = "stages.csv"
)

// Field is a column of runs.csv: its name, and a pointer to the value in a record. It points to a string, a bool, an int, an
// int64, a uint64, a float64, a time.Time or a []string.
type Field[Record any] struct {
	Name string
	Of   func(*Record) any
}

// Log says how records are written. A Run says which run a record is of; a log holds one record of each.
type Log[Run comparable, Record any] struct {
	Fields []Field[Record]
	Run    func(*Record) Run
	Stages func(*Record) *[]fit.StageTime
	Check  func(*Record) error // what is wrong with a record
}

// Read returns the records of a folder, in order. A folder without runs.csv has none.
func (l *Log[Run, Record]) Read(folder string) ([]Record, error) {
	path := filepath.Join(folder, RunsFile)
	rows, err := readCSV(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if strings.Join(rows[0], ",") != strings.Join(l.header(), ",") {
		return nil, &model.InputError{Path: path, Reason: "has other columns than this program writes"}
	}
	records := make([]Record, len(rows)-1)
	for i, row := range rows[1:] {
		for f, field := range l.Fields {
			if err := setCell(field.Of(&records[i]), row[f]); err != nil {
				return nil, badRow(path, i, fmt.Errorf("%s: %w", field.Name, err))
			}
		}
	}
	if err := l.readStages(filepath.Join(folder, stagesFile), records); err != nil {
		return nil, err
	}
	for i := range records {
		if err := l.Check(&records[i]); err != nil {
			return nil, badRow(path, i, err)
		}
	}
	return records, nil
}

func badRow(path string, at int, err error) error {
	return &model.InputError{Path: path, Reason: fmt.Sprintf("row %d is not a record of a run: %v: take it out", at+2, err)}
}

// newStages returns an empty stages.csv. The run is the number of its row in runs.csv, from 1.
func newStages() *Table {
	return NewTable("stages", Ints("run"), Texts("stage"), Floats("seconds", "cpu_seconds"), Ints("peak_bytes", "modelled_bytes"))
}

func (l *Log[Run, Record]) readStages(path string, records []Record) error {
	table := newStages()
	if err := table.Read(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, row := range table.Rows {
		if run := row[0].(int64); run >= 1 && run <= int64(len(records)) {
			stages := l.Stages(&records[run-1])
			*stages = append(*stages, fit.StageTime{Name: row[1].(string), Seconds: row[2].(float64), CPU: row[3].(float64),
				PeakBytes: row[4].(int64), Modelled: row[5].(int64)})
		}
	}
	return nil
}

// Put adds a record to a folder, in the place of an older one of the same run. It reads the files anew, since another process
// may have added to them.
func (l *Log[Run, Record]) Put(folder string, record *Record) error {
	records, err := l.Read(folder)
	if err != nil {
		return err
	}
	at := 0
	for at < len(records) && l.Run(&records[at]) != l.Run(record) {
		at++
	}
	if at == len(records) {
		records = append(records, *record)
	}
	records[at] = *record
	return l.write(folder, records)
}

// write writes both files, stages first: those of a run that is not in runs.csv do not count.
func (l *Log[Run, Record]) write(folder string, records []Record) error {
	stages := newStages()
	rows := [][]string{l.header()}
	for i := range records {
		row := make([]string, len(l.Fields))
		for f, field := range l.Fields {
			row[f] = cell(field.Of(&records[i]))
		}
		rows = append(rows, row)
		for _, s := range *l.Stages(&records[i]) {
			stages.Add(int64(i+1), s.Name, s.Seconds, s.CPU, s.PeakBytes, s.Modelled)
		}
	}
	if err := durable.WriteFile(filepath.Join(folder, stagesFile), stages.WriteCSV); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(folder, RunsFile), func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

func (l *Log[Run, Record]) header() []string {
	names := make([]string, len(l.Fields))
	for i, f := range l.Fields {
		names[i] = f.Name
	}
	return names
}
