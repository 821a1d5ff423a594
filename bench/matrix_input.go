package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// recordRows is the number of rows in each Arrow record of an input: eight of
// colagg's batches.
const recordRows = 1 << 16

// The names of the matrix's dimensions.
var (
	distributions = []string{"uniform", "zipf0.5", "zipf1.0", "zipf1.5", "hh10", "hh50", "hh95", "80-20", "sorted", "waves"}
	keyTypes      = []string{"dense", "sparse", "string"}
	widths        = []string{"fixed", "variable"}
)

// keySpec is what the key column of an input depends on.
type keySpec struct {
	rows, groups int64
	dist, keys   string
}

// wholeRecords rounds rows up so that all records have the same length.
func wholeRecords(rows int64) int64 {
	if rows <= recordRows {
		return rows
	}
	return (rows + recordRows - 1) / recordRows * recordRows
}

// drawKeys returns the function that gives the index in [0, groups) of the
// group of row i; it is called for 0, 1, 2, …, once each.
func drawKeys(r *pcg, s keySpec) (func(i int64) int64, error) {
	every := func(next func() int64) func(int64) int64 { return func(int64) int64 { return next() } }
	switch s.dist {
	case "uniform":
		return every(uniform(r, s.groups)), nil
	case "80-20":
		return every(eightyTwenty(r, s.groups)), nil
	case "hh10", "hh50", "hh95":
		share, err := strconv.ParseInt(s.dist[2:], 10, 64)
		return every(heavy(share)(r, s.groups)), err
	case "zipf0.5", "zipf1.0", "zipf1.5":
		exponent, err := strconv.ParseFloat(s.dist[4:], 64)
		z := newZipf(s.groups, exponent)
		return func(int64) int64 { return z.draw(r) - 1 }, err
	case "sorted":
		return func(i int64) int64 { return int64(float64(i) / float64(s.rows) * float64(s.groups)) }, nil
	case "waves":
		return func(i int64) int64 {
			phase := i * waves / s.rows
			lo := s.groups * phase / waves
			return lo + r.below(max(s.groups*(phase+1)/waves-lo, 1))
		}, nil
	}
	return nil, fmt.Errorf("unknown distribution %q", s.dist)
}

// waves is the number of phases of the distribution of that name: each draws
// uniformly from a slice of the key space that no other phase uses.
const waves = 8

// ordered tells whether the order of the indices is the order of the keys;
// otherwise a permutation keeps frequent groups apart.
func (s keySpec) ordered() bool { return s.dist == "sorted" || s.dist == "waves" }

// eachKey calls add with the number of every row's key: a number below groups
// for dense and string keys, one of the whole 64-bit range for sparse ones.
func (s keySpec) eachKey(add func(key int64)) error {
	r := newPCG(11, mix64(uint64(s.groups))^uint64(s.rows))
	draw, err := drawKeys(r, s)
	if err != nil {
		return err
	}
	var place []int64
	if !s.ordered() {
		place = r.shuffled(s.groups)
	}
	stride := math.MaxInt64 / s.groups
	for i := range s.rows {
		k := draw(i)
		if place != nil {
			k = place[k]
		}
		switch {
		case s.keys == "sparse" && s.ordered():
			k *= stride
		case s.keys == "sparse":
			k = int64(mix64(uint64(k) + 1))
		}
		add(k)
	}
	return nil
}

// keyArrays makes the key column, one array a record. Keys of type string are
// the padded number, a dash and up to 16 more characters.
func (s keySpec) keyArrays() ([]arrow.Array, error) {
	var out []arrow.Array
	each := min(s.rows, recordRows)
	if s.keys != "string" {
		var values []int64
		err := s.eachKey(func(k int64) {
			if values = append(values, k); int64(len(values)) == each {
				out, values = append(out, int64Array(values)), make([]int64, 0, each)
			}
		})
		return out, err
	}
	digits := len(strconv.FormatInt(s.groups-1, 10))
	t := &textColumn{}
	err := s.eachKey(func(k int64) {
		number := strconv.FormatInt(k, 10)
		for range digits - len(number) {
			t.bytes = append(t.bytes, '0')
		}
		t.bytes = append(append(t.bytes, number...), '-')
		h := mix64(uint64(k) + 1)
		t.hex(h, int(h>>60)+int(h>>59&1))
		if t.end() == each {
			out, t = append(out, t.array()), &textColumn{}
		}
	})
	return out, err
}

func int64Array(values []int64) arrow.Array {
	buf := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(values))
	data := array.NewData(arrow.PrimitiveTypes.Int64, len(values), []*memory.Buffer{nil, buf}, nil, 0, 0)
	defer data.Release()
	return array.NewInt64Data(data)
}

// textColumn collects one array of strings.
type textColumn struct {
	offsets []int32
	bytes   []byte
}

// hex appends n of the 16 hexadecimal digits of h.
func (t *textColumn) hex(h uint64, n int) {
	for ; n > 0; n-- {
		t.bytes = append(t.bytes, "0123456789abcdef"[h&15])
		h >>= 4
	}
}

// end ends a string and returns how many there are.
func (t *textColumn) end() int64 {
	if t.offsets == nil {
		t.offsets = append(t.offsets, 0)
	}
	t.offsets = append(t.offsets, int32(len(t.bytes)))
	return int64(len(t.offsets) - 1)
}

func (t *textColumn) array() arrow.Array {
	bufs := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(t.offsets)), memory.NewBufferBytes(t.bytes)}
	data := array.NewData(arrow.BinaryTypes.String, len(t.offsets)-1, bufs, nil, 0, 0)
	defer data.Release()
	return array.NewStringData(data)
}

// differentColumns is how many different value columns there are of each width.
// Further ones take these columns' records in another order, a quarter of the
// table further on: as much to read, without the memory.
const differentColumns = 8

// valueColumns holds the arguments of the aggregates, which every input of a
// number of rows shares; what is not needed is not made.
type valueColumns struct {
	rows int64
	made map[string][][]arrow.Array // by width, column, record
}

// column returns value column j of a width, one array a record.
func (v *valueColumns) column(width string, j int) []arrow.Array {
	if v.made == nil {
		v.made = map[string][][]arrow.Array{}
	}
	for len(v.made[width]) <= min(j, differentColumns-1) {
		v.made[width] = append(v.made[width], makeColumn(v.rows, width, len(v.made[width])))
	}
	column := v.made[width][j%differentColumns]
	turn := j / differentColumns * len(column) / 4 % len(column)
	return slices.Concat(column[turn:], column[:turn])
}

// makeColumn makes a column of integers below a million, or one of strings of 4
// to 20 characters.
func makeColumn(rows int64, width string, b int) []arrow.Array {
	r := newPCG(12, uint64(b))
	each := min(rows, recordRows)
	var out []arrow.Array
	for range rows / each {
		if width == "fixed" {
			values := make([]int64, each)
			for i := range values {
				values[i] = r.below(1_000_000)
			}
			out = append(out, int64Array(values))
			continue
		}
		t := &textColumn{}
		for range each {
			h := r.next()
			t.hex(h, 4)
			t.hex(mix64(h), int(h>>60)+int(h>>59&1))
			t.end()
		}
		out = append(out, t.array())
	}
	return out
}

// input is a table in memory as Arrow records: key column k and the value
// columns of the wanted widths.
type input struct {
	schema  *arrow.Schema
	records []arrow.Record
}

// valueName is the name of value column j.
func valueName(width string, j int) string { return fmt.Sprintf("%c%02d", width[0], j) }

// newInput makes the keys and joins them with n value columns of each of the
// widths.
func newInput(s keySpec, values *valueColumns, widths []string, n int) (*input, error) {
	keys, err := s.keyArrays()
	if err != nil {
		return nil, err
	}
	columns := [][]arrow.Array{keys}
	fields := []arrow.Field{{Name: "k", Type: keys[0].DataType()}}
	for _, width := range widths {
		for j := range n {
			columns = append(columns, values.column(width, j))
			fields = append(fields, arrow.Field{Name: valueName(width, j), Type: columns[len(columns)-1][0].DataType()})
		}
	}
	in := &input{schema: arrow.NewSchema(fields, nil)}
	for r := range keys {
		arrays := make([]arrow.Array, len(columns))
		for c := range columns {
			arrays[c] = columns[c][r]
		}
		in.records = append(in.records, array.NewRecord(in.schema, arrays, int64(keys[r].Len())))
	}
	return in, nil
}
