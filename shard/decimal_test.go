package shard

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// bigEndian returns the two's complement of n in the given number of bytes, the highest first.
func bigEndian(n *big.Int, size int) string {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(8*size))
	return string(new(big.Int).Mod(n, mod).FillBytes(make([]byte, size)))
}

// scaled returns n·10^scale.
func scaled(n int64, scale int32) *big.Int {
	return new(big.Int).Mul(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
}

// TestDecimalsInParquet reads quantities of every physical type that Parquet has for decimals, with and without
// dictionaries, from long tables and from lists. As whole numbers they are ids, too.
func TestDecimalsInParquet(t *testing.T) {
	amounts := []int64{2, 1, 12, 3}
	for name, kind := range map[string]struct {
		physical parquet.Type
		length   int
		scale    int32
	}{
		"int32":           {parquet.Types.Int32, -1, 2},
		"int64":           {parquet.Types.Int64, -1, 3},
		"int64, no scale": {parquet.Types.Int64, -1, 0},
		"fixed 5":         {parquet.Types.FixedLenByteArray, 5, 2},
		"fixed 16":        {parquet.Types.FixedLenByteArray, 16, 18},
		"fixed, no scale": {parquet.Types.FixedLenByteArray, 16, 0},
		"bytes":           {parquet.Types.ByteArray, -1, 10},
	} {
		for _, dictionary := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", dictionary), func(t *testing.T) {
				values := func(numbers []int64) any {
					var small []int32
					var large []int64
					var bytes []string
					for i, n := range numbers {
						u := scaled(n, kind.scale)
						small, large = append(small, int32(u.Int64())), append(large, u.Int64())
						size := kind.length
						if size < 0 {
							size = 7 + i // any length will do
						}
						bytes = append(bytes, bigEndian(u, size))
					}
					switch kind.physical {
					case parquet.Types.Int32:
						return small
					case parquet.Types.Int64:
						return large
					}
					return bytes
				}
				precision := map[parquet.Type]int32{parquet.Types.Int32: 9, parquet.Types.Int64: 18}[kind.physical]
				if precision == 0 {
					precision = 38
				}
				if kind.length == 5 {
					precision = 11
				}
				logical := schema.NewDecimalLogicalType(precision, kind.scale)
				decimal := func(name string, rep parquet.Repetition) schema.Node {
					return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, rep, logical, kind.physical, kind.length, -1))
				}
				required := parquet.Repetitions.Required
				text := physical(parquet.Types.ByteArray, schema.StringLogicalType{})
				option := parquet.WithDictionaryDefault(dictionary)
				items := testChunk{values: []string{"a", "b", "a", "c"}}
				orders := testColumn{physical(parquet.Types.Int32, nil)("order_id", required),
					[]testChunk{{values: []int32{7, 7, 8, 8}}}}
				path := writeParquet(t, filepath.Join(t.TempDir(), "long.parquet"), []testColumn{orders,
					{text("sku", required), []testChunk{items}}, {decimal("qty", required),
						[]testChunk{{values: values(amounts)}}}}, option)
				want := []document{{"a×2", "b×1"}, {"a×12", "c×3"}}
				conform(t, want, Options{}, path)

				list, _, element := listOf("items", threeLevels, text)
				countList, _, _ := listOf("counts", threeLevels, decimal)
				def, rep := levelsOf([]int{2, 2}, 0, element)
				items.def, items.rep = def, rep
				path = writeParquet(t, filepath.Join(t.TempDir(), "lists.parquet"), []testColumn{{list, []testChunk{items}},
					{countList, []testChunk{{values(amounts), def, rep}}}}, option)
				conform(t, want, Options{}, path)

				if kind.scale > 0 {
					return
				}
				path = writeParquet(t, filepath.Join(t.TempDir(), "ids.parquet"), []testColumn{
					{decimal("order_id", required), []testChunk{{values: values([]int64{7, 7, 8, 8})}}},
					{decimal("product_id", required), []testChunk{{values: values([]int64{5, -6, 5, 1 << 40})}}}}, option)
				conform(t, []document{{"-6×1", "5×1"}, {"1099511627776×1", "5×1"}}, Options{}, path)
			})
		}
	}
}

// TestUUIDsInParquet reads UUIDs as ids, with and without dictionaries.
func TestUUIDsInParquet(t *testing.T) {
	required := parquet.Repetitions.Required
	uuid := func(name string) schema.Node {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, required, schema.UUIDLogicalType{},
			parquet.Types.FixedLenByteArray, 16, -1))
	}
	one, two := "0123456789abcdef", "fedcba9876543210"
	for _, dictionary := range []bool{false, true} {
		path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{
			{uuid("order_uuid"), []testChunk{{values: []string{one, one, two}}}},
			{uuid("sku"), []testChunk{{values: []string{two, one, two}}}}}, parquet.WithDictionaryDefault(dictionary))
		a, b := "30313233-3435-3637-3839-616263646566", "66656463-6261-3938-3736-353433323130"
		conform(t, []document{{a + "×1", b + "×1"}, {b + "×1"}}, Options{}, path)
		names := batchesOf(t, path, Options{Names: true})[0].Names
		if got := string(names.ID(0)); got != a {
			t.Errorf("the document is called %s", got)
		}
	}
}

// TestDecimalsInArrow reads decimals of 128 and 256 bits as counts and as ids.
func TestDecimalsInArrow(t *testing.T) {
	for name, wide := range map[string]bool{"128": false, "256": true} {
		for _, scale := range []int32{0, 2, 25} {
			t.Run(fmt.Sprint(name, " ", scale), func(t *testing.T) {
				kind := func(scale int32) arrow.DataType {
					if wide {
						return &arrow.Decimal256Type{Precision: 60, Scale: scale}
					}
					return &arrow.Decimal128Type{Precision: 38, Scale: scale}
				}
				add := func(b array.Builder, n *big.Int) {
					switch b := b.(type) {
					case *array.Decimal128Builder:
						b.Append(decimal128.FromBigInt(n))
					case *array.Decimal256Builder:
						b.Append(decimal256.FromBigInt(n))
					}
				}
				fields := arrow.NewSchema([]arrow.Field{{Name: "order_id", Type: kind(0)}, {Name: "sku", Type: kind(0)},
					{Name: "qty", Type: kind(scale)}}, nil)
				path := filepath.Join(t.TempDir(), "x.arrow")
				f, err := os.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				w, err := ipc.NewFileWriter(f, ipc.WithSchema(fields))
				if err != nil {
					t.Fatal(err)
				}
				b := array.NewRecordBuilder(memory.DefaultAllocator, fields)
				defer b.Release()
				long, _ := new(big.Int).SetString("12345678901234567890123", 10)
				for _, row := range [][3]*big.Int{{big.NewInt(1), big.NewInt(5), scaled(2, scale)}, {big.NewInt(1), big.NewInt(-6),
					scaled(1, scale)},
					{big.NewInt(2), long, scaled(300, scale)}} {
					for i, n := range row {
						add(b.Field(i), n)
					}
				}
				record := b.NewRecord()
				defer record.Release()
				if err := w.Write(record); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				conform(t, []document{{"-6×1", "5×2"}, {"12345678901234567890123×300"}}, Options{}, path)
			})
		}
	}
}
