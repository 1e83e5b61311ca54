package contest

import (
	"reflect"
	"sync"
	"testing"

	"hotpath/impl/counter"
	"hotpath/impl/counter/published"
	"hotpath/impl/histogram"
	histograms "hotpath/impl/histogram/published"
)

// go vet objects to copies of what must not be copied: counters, histograms, and
// what a goroutine has of one.
func TestNoCopy(t *testing.T) {
	for _, v := range []any{
		new(counter.Atomic), new(counter.PerP), new(counter.Adaptive), new(counter.Handle), new(counter.Interval),
		new(published.Adder), new(published.AdderLocal), new(published.HBase), new(published.HBaseLocal),
		new(histogram.Atomic), new(histogram.Set), new(histogram.Reader), new(histograms.FastLong), new(histograms.FastLongLocal),
	} {
		if typ := reflect.TypeOf(v).Elem(); !locks(typ) {
			t.Errorf("go vet does not see that a %s must not be copied", typ)
		}
	}
}

// locks is go vet's rule: a type with the methods of a lock, or with a part of one.
func locks(typ reflect.Type) bool {
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[sync.Locker]()) {
		return true
	}
	switch typ.Kind() {
	case reflect.Array:
		return locks(typ.Elem())
	case reflect.Struct:
		for i := range typ.NumField() {
			if locks(typ.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
