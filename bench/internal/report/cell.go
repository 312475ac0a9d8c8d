// This file turns the fields of records into cells of CSV and back.

package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// listSeparator stands between the values of a list.
const listSeparator = "; "

// cell returns the cell of the value that is pointed to. A number that is not known, NaN, is an empty cell.
func cell(pointer any) string {
	switch p := pointer.(type) {
	case *float64:
		if math.IsNaN(*p) {
			return ""
		}
		return exact(*p)
	case *time.Time:
		return p.UTC().Format(time.RFC3339)
	case *[]string:
		return strings.Join(*p, listSeparator)
	case *string:
		return *p
	case *bool:
		return strconv.FormatBool(*p)
	case *int:
		return strconv.Itoa(*p)
	case *int64:
		return strconv.FormatInt(*p, 10)
	case *uint64:
		return strconv.FormatUint(*p, 10)
	}
	panic("report: a field of a type that has no cell")
}

// setCell reads a cell into the value that is pointed to.
func setCell(pointer any, cell string) (err error) {
	switch p := pointer.(type) {
	case *float64:
		if *p = math.NaN(); cell != "" {
			*p, err = strconv.ParseFloat(cell, 64)
		}
	case *time.Time:
		*p, err = time.Parse(time.RFC3339, cell)
	case *[]string:
		if cell != "" {
			*p = strings.Split(cell, listSeparator)
		}
	case *string:
		*p = cell
	case *bool:
		*p, err = strconv.ParseBool(cell)
	case *int:
		*p, err = strconv.Atoi(cell)
	case *int64:
		*p, err = strconv.ParseInt(cell, 10, 64)
	case *uint64:
		*p, err = strconv.ParseUint(cell, 10, 64)
	default:
		panic("report: a field of a type that has no cell")
	}
	return err
}
