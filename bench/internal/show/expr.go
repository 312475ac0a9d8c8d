// This file evaluates expressions over columns: Go's own syntax, with the functions below.

package show

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// evaluate returns the value of an expression over rows: float64, string or bool. A name is the cell of the first row,
// unless it is in an aggregate. A text that is the name of a column need not be an expression.
func (v View) evaluate(text string, rows []Row) (value any, err error) {
	if slices.Contains(v.Columns, text) {
		return cellValue(rows, text), nil
	}
	tree, err := parser.ParseExpr(strings.ReplaceAll(text, "'", "`"))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	defer func() {
		if reason, ok := recover().(error); ok {
			err = fmt.Errorf("%q: %w", text, reason)
		}
	}()
	return evaluator{v.Columns}.value(tree, rows), nil
}

func cellValue(rows []Row, name string) any {
	if len(rows) == 0 {
		return math.NaN()
	}
	text := rows[0][name]
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return number
	}
	return text
}

// evaluator panics with an error where an expression makes no sense.
type evaluator struct{ columns []string }

func (e evaluator) value(tree ast.Expr, rows []Row) any {
	switch t := tree.(type) {
	case *ast.ParenExpr:
		return e.value(t.X, rows)
	case *ast.Ident:
		if !slices.Contains(e.columns, t.Name) {
			panic(fmt.Errorf("there is no column %s", t.Name))
		}
		return cellValue(rows, t.Name)
	case *ast.BasicLit:
		if t.Kind == token.STRING {
			text, _ := strconv.Unquote(t.Value)
			return text
		}
		number, _ := strconv.ParseFloat(t.Value, 64)
		return number
	case *ast.UnaryExpr:
		if t.Op == token.NOT {
			return !isTrue(e.value(t.X, rows))
		}
		return -number(e.value(t.X, rows))
	case *ast.BinaryExpr:
		return binary(t.Op, e.value(t.X, rows), e.value(t.Y, rows))
	case *ast.CallExpr:
		name, _ := t.Fun.(*ast.Ident)
		if name == nil {
			break
		}
		if fn, ok := aggregates[name.Name]; ok {
			return fn(func(argument int) (values []any) {
				for i := range rows {
					values = append(values, e.value(t.Args[argument], rows[i:i+1]))
				}
				return values
			})
		}
		if fn, ok := functions[name.Name]; ok {
			var values []any
			for _, argument := range t.Args {
				values = append(values, e.value(argument, rows))
			}
			return fn(values)
		}
	}
	panic(fmt.Errorf("cannot evaluate %T", tree))
}

func number(value any) float64 {
	if n, ok := value.(float64); ok {
		return n
	}
	return math.NaN()
}

func isTrue(value any) bool { return value == true || value == "true" }

func binary(op token.Token, a, b any) any {
	x, y := number(a), number(b)
	s, isText := a.(string)
	u, both := b.(string)
	switch op {
	case token.ADD:
		if isText && both {
			return s + u
		}
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	case token.LAND:
		return isTrue(a) && isTrue(b)
	case token.LOR:
		return isTrue(a) || isTrue(b)
	case token.EQL:
		return a == b
	case token.NEQ:
		return a != b
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	case token.GEQ:
		return x >= y
	}
	panic(fmt.Errorf("there is no operator %v", op))
}

// functions take the values of one row.
var functions = map[string]func([]any) any{
	"log":   func(v []any) any { return math.Log(number(v[0])) },
	"exp":   func(v []any) any { return math.Exp(number(v[0])) },
	"pow":   func(v []any) any { return math.Pow(number(v[0]), number(v[1])) },
	"floor": func(v []any) any { return math.Floor(number(v[0])) },
	"abs":   func(v []any) any { return math.Abs(number(v[0])) },
	"known": func(v []any) any { return !math.IsNaN(number(v[0])) },
	"cond": func(v []any) any {
		if isTrue(v[0]) {
			return v[1]
		}
		return v[2]
	},
	"has":  func(v []any) any { return strings.Contains(fmt.Sprint(v[0]), fmt.Sprint(v[1])) },
	"text": func(v []any) any { return Readable(v[0]) },
}

// aggregates take the values of an argument over all rows of a group. Numbers that are not known do not count.
var aggregates = map[string]func(of func(argument int) []any) any{
	"count": func(of func(int) []any) any { return float64(len(of(0))) },
	"where": func(of func(int) []any) any { return countTrue(of(0)) },
	"share": func(of func(int) []any) any { return countTrue(of(0)) / float64(len(of(0))) },
	"pick": func(of func(int) []any) any { // the second argument in the first row where the first one is true
		for i, v := range of(0) {
			if isTrue(v) {
				return of(1)[i]
			}
		}
		return math.NaN()
	},
	"last": func(of func(int) []any) any { values := of(0); return values[len(values)-1] },
	"list": func(of func(int) []any) any { // the different values
		var texts []string
		for _, v := range of(0) {
			if text := Readable(v); text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, ", ")
	},
	"sum":    func(of func(int) []any) any { return floats.Sum(known(of(0))) },
	"mean":   func(of func(int) []any) any { return stat.Mean(known(of(0)), nil) },
	"sd":     func(of func(int) []any) any { return stat.StdDev(known(of(0)), nil) },
	"min":    func(of func(int) []any) any { return quantile(known(of(0)), 0) },
	"max":    func(of func(int) []any) any { return quantile(known(of(0)), 1) },
	"median": func(of func(int) []any) any { return quantile(known(of(0)), 0.5) },
	"slope": func(of func(int) []any) any { // of the logarithms of the second against those of the first
		x, y := positive(of(0), of(1))
		return slope(x, y)
	},
	"laststep": func(of func(int) []any) any {
		x, y := positive(of(0), of(1))
		from := max(len(x)-2, 0)
		return slope(x[from:], y[from:])
	},
	"spearman": func(of func(int) []any) any {
		a, b := known(of(0)), known(of(1))
		if len(a) != len(b) {
			return math.NaN()
		}
		return Spearman(a, b)
	},
}

func countTrue(values []any) (count float64) {
	for _, v := range values {
		if isTrue(v) {
			count++
		}
	}
	return count
}

// Spearman returns the rank correlation of as many values.
func Spearman(a, b []float64) float64 { return stat.Correlation(ranks(a), ranks(b), nil) }

func known(values []any) []float64 {
	var list []float64
	for _, v := range values {
		if n := number(v); !math.IsNaN(n) {
			list = append(list, n)
		}
	}
	return list
}

// quantile returns the smallest value that is at least as large as a share q of all; NaN of none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(max(int(math.Ceil(q*float64(len(sorted))))-1, 0), len(sorted)-1)]
}

// positive returns the logarithms of pairs that have them, by increasing x.
func positive(a, b []any) (x, y []float64) {
	var pairs [][2]float64
	for i := range a {
		if number(a[i]) > 0 && number(b[i]) > 0 {
			pairs = append(pairs, [2]float64{math.Log(number(a[i])), math.Log(number(b[i]))})
		}
	}
	slices.SortStableFunc(pairs, func(p, q [2]float64) int { return cmp.Compare(p[0], q[0]) })
	for _, p := range pairs {
		x, y = append(x, p[0]), append(y, p[1])
	}
	return x, y
}

// slope returns the slope of the line of least squares; NaN without two different x.
func slope(x, y []float64) float64 {
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}

// ranks returns the ranks of values; equal ones share their mean.
func ranks(values []float64) []float64 {
	ranked := make([]float64, len(values))
	for i, v := range values {
		for _, other := range values {
			switch {
			case other < v:
				ranked[i]++
			case other == v:
				ranked[i] += 0.5
			}
		}
	}
	return ranked
}
