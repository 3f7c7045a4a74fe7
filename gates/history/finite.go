package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
)

// Marshal is json.Marshal for what is to be kept whatever it holds: a number that
// is NaN or infinite, for which JSON has no word, is null. A result is worth more
// than one of its numbers.
func Marshal(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	var unfit *json.UnsupportedValueError
	if !errors.As(err, &unfit) {
		return data, err
	}
	if data, err = json.Marshal(stoodIn(reflect.ValueOf(v)).Interface()); err != nil {
		return nil, err
	}
	text, _ := json.Marshal(standIn) // a finite number does not fail
	return bytes.ReplaceAll(data, text, []byte("null")), nil
}

// standIn stands for a number that is none until it is text: a number so near to 0
// that nothing is measured to be it, with digits that come by no chance.
var standIn = math.Float64frombits(0x0000_5bd1_e995_27d4)

// stoodIn is a copy of a value with standIn in the place of each number that is
// none. What is not exported is as it was: it does not become JSON.
func stoodIn(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			return reflect.ValueOf(standIn).Convert(v.Type())
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		of := stoodIn(v.Elem())
		if v.Kind() == reflect.Interface {
			return of
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(of)
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if f := out.Field(i); f.CanSet() && v.Type().Field(i).IsExported() {
				f.Set(stoodIn(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(stoodIn(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for each := v.MapRange(); each.Next(); {
			out.SetMapIndex(each.Key(), stoodIn(each.Value()))
		}
		return out
	}
	return v
}

// finite says whether all of a metric's numbers can be compared: SQLite makes NULL
// of a NaN.
func (m Metric) finite() bool {
	last := 0.0
	if m.Last != nil {
		last = *m.Last
	}
	for _, v := range []float64{m.Low, m.High, last} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
