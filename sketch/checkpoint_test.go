package sketch

import (
	"path/filepath"
	"reflect"
	"testing"

	"anchorage/internal/checkpoint"
	"anchorage/matrix"
)

// filled sets every exported field of a struct to something that is not its zero value.
func filled(v reflect.Value) {
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(3 + i))
		case reflect.Float64:
			f.SetFloat(0.5 + float64(i))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Struct:
			filled(f)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 2+i, 2+i))
			for j := 0; j < f.Len() && f.Type().Elem().Kind() == reflect.Struct; j++ {
				filled(f.Index(j))
			}
		case reflect.Array:
			for j := range f.Len() {
				f.Index(j).Set(reflect.MakeSlice(f.Index(j).Type(), 2+j, 2+j))
			}
		case reflect.Pointer:
			if f.Type() == reflect.TypeFor[*matrix.Single]() {
				m := matrix.NewSingle(2, 3)
				m.Row(1)[2] = 5
				f.Set(reflect.ValueOf(m))
				break
			}
			m := matrix.NewTall(2, 3)
			m.Set(1, 2, 5)
			f.Set(reflect.ValueOf(m))
		default:
			panic("a field of another kind: " + f.Kind().String())
		}
	}
}

// TestCheckpoint wants every field of what is kept to come back.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	for name, test := range map[string]struct{ sent, got any }{
		"marginals": {new(Marginals), new(Marginals)},
		"evidence":  {new(Evidence), new(Evidence)},
		"eigen":     {new(Eigen), new(Eigen)},
	} {
		filled(reflect.ValueOf(test.sent).Elem())
		folder, err := checkpoint.Open(t.Context(), path, checkpoint.Options{Every: -1})
		if err != nil {
			t.Fatal(err)
		}
		folder.Chain(name).Point("", func(v *checkpoint.Values) { v.Take(test.sent) }, nil).Reached(nil)
		loaded, err := folder.Chain(name).Load()
		if err != nil {
			t.Fatal(err)
		}
		loaded.Take(test.got)
		if err := loaded.Close(); err != nil || !reflect.DeepEqual(test.got, test.sent) {
			t.Errorf("%s: %+v, want %+v, %v", name, test.got, test.sent, err)
		}
		if err := folder.Remove(); err != nil {
			t.Fatal(err)
		}
	}
}
