package stream

import (
	"reflect"
	"testing"
)

func TestPercentiles(t *testing.T) {
	if got := percentiles(nil, 0); got != nil {
		t.Errorf("of no documents: %v", got)
	}
	hundred := make(map[int]int64)
	for size := range 101 {
		hundred[size] = 1
	}
	for _, view := range percentiles(hundred, 101) {
		if float64(int(view.Value)) != view.Percent {
			t.Errorf("of the sizes 0 to 100: %v", view)
		}
	}
	var places []int
	for _, view := range percentiles(map[int]int64{7: 1, 2: 8, 90: 1}, 10) {
		places = append(places, int(view.Value))
	}
	if want := []int{2, 2, 2, 2, 2, 2, 7, 7, 90}; !reflect.DeepEqual(places, want) {
		t.Errorf("%v, want %v", places, want)
	}
}
