package hashagg

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// approxQuantile estimates a quantile from a histogram of each group: how many
// values are in each of the buckets into which a power of two is cut, 1<<fine of
// the same width. So the estimate is within half a bucket, 1/(2<<fine), of the
// value that quantile_disc has, as in HdrHistogram and, with logarithms, DDSketch
// (Masson, Rim and Lee, PVLDB 12, 2019). Histograms are added, so the result does
// not depend on the order of rows or on how they were split.
//
// The histograms of all groups are one table, of buckets that occur. A state has
// three words in the slab beside: the number of values, the complement of the
// least value's sort key and the greatest one's sort key. The estimate stays
// between those two. The exchange form is a byte string: the two keys, and for
// each bucket its number in four bytes and its values as a varint.
type approxQuantile struct {
	slot
	scale   scale
	share   float64
	buckets cells
	members members // of types of up to 64 bits
	narrow  operand[[2]uint64]
	wide    operand[[4]uint64]
	keys    []uint64
	tickets []uint32
	lows    []uint32
	counts  []uint64
}

const (
	// fine is log2 of the buckets of a power of two: an error of 1/128.
	fine = 6
	// fineTimes is fine for dates and times, which count from 1970: with an error
	// of 1/128 the quantile of days of this year would be one of another.
	fineTimes = 16
)

func bindApproxQuantile(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	t := args[0]
	share, ok := m.Constants[0].Float64()
	if !ok || share < 0 || share > 1 {
		return nil, &BindError{
			Function: name, Problem: "the share must be a number from 0 to 1, not " + m.Constants[0].String(),
			Hint: "0.5 is the median", Part: PartConstant,
		}
	}
	s, ok := scaleFor(t)
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(t), nil
	case !ok:
		return nil, refuse(name, t, "measured by "+name, name+" takes numbers, dates and times")
	}
	return &Aggregate{
		Result: t,
		State:  []arrow.DataType{arrow.BinaryTypes.Binary},
		Words:  3,
		Marks:  true,
		Sets:   true,
		New: func(slab *Slab, at int) Accumulator {
			return &approxQuantile{slot: slot{slab, at}, scale: s, share: share, buckets: newCells(2, 1), members: newMembers(name, t)}
		},
	}, nil
}

// load sets keys to the sort keys of the first n rows of v and returns which of
// them count, nil if all do.
func (q *approxQuantile) load(v *vector.Vector, n int) (vector.Bitmap, error) {
	q.keys = vector.Resize(q.keys, n)
	switch {
	case !interned(v.Type):
		words, valid, err := q.members.load(v, n)
		if err == nil {
			q.scale.keys(q.keys, words)
		}
		return valid, err
	case v.Type.ID() == arrow.DECIMAL128:
		vals, valid, some := q.narrow.all(n, v)
		return doubleKeys(q.keys, vals, valid, some), nil
	default:
		vals, valid, some := q.wide.all(n, v)
		return doubleKeys(q.keys, vals, valid, some), nil
	}
}

// doubleKeys sets keys to those of the float64s nearest to vals.
func doubleKeys[T [2]uint64 | [4]uint64](keys []uint64, vals []T, valid vector.Bitmap, some bool) vector.Bitmap {
	if !some {
		return vector.NewBitmap(len(keys))
	}
	for i := range keys {
		w := wideOf(vector.View[uint64](vector.AsBytes(vals[i : i+1])))
		hi, _ := w.double()
		keys[i] = floatKey(hi)
	}
	return valid
}

// Update adds the values of the batch.
func (q *approxQuantile) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	valid, err := q.load(args[0], len(tickets))
	if err != nil {
		return err
	}
	q.tickets, q.lows = q.tickets[:0], q.lows[:0]
	words, stride := q.rows()
	for i, t := range tickets {
		if valid != nil && !valid.Get(i) {
			continue
		}
		key := q.keys[i]
		row := words[int(t)*stride:][:3]
		row[0]++
		row[1], row[2] = max(row[1], ^key), max(row[2], key)
		q.tickets = append(q.tickets, t)
		q.lows = append(q.lows, q.scale.bucket(key))
	}
	q.buckets.blind = q.slab.blind
	q.buckets.addCounts(q.tickets, q.lows, nil)
	return nil
}

// Merge adds histograms.
func (q *approxQuantile) Merge(tickets []uint32, states []*vector.Vector) error {
	q.tickets, q.lows, q.counts = q.tickets[:0], q.lows[:0], q.counts[:0]
	words, stride := q.rows()
	for i, t := range tickets {
		p := states[0].Bytes(i)
		if len(p) == 0 {
			continue
		}
		if len(p) < 16 {
			return errSketch
		}
		row := words[int(t)*stride:][:3]
		row[1] = max(row[1], ^binary.LittleEndian.Uint64(p))
		row[2] = max(row[2], binary.LittleEndian.Uint64(p[8:]))
		for p = p[16:]; len(p) > 0; {
			if len(p) < 5 {
				return errSketch
			}
			n, k := binary.Uvarint(p[4:])
			if k <= 0 {
				return errSketch
			}
			row[0] += n
			q.tickets = append(q.tickets, t)
			q.lows = append(q.lows, binary.LittleEndian.Uint32(p))
			q.counts = append(q.counts, n)
			p = p[4+k:]
		}
	}
	q.buckets.blind = q.slab.blind
	q.buckets.addCounts(q.tickets, q.lows, q.counts)
	return nil
}

// histograms returns the buckets of tickets lo up to hi: those of ticket t, with
// the numbers of their values, are at starts[t-lo] up to starts[t-lo+1].
func (q *approxQuantile) histograms(lo, hi int) (buckets [][2]uint64, starts []int) {
	ranges := q.buckets.ranges(lo, hi)
	starts = q.buckets.starts(ranges, lo, hi)
	buckets = make([][2]uint64, starts[hi-lo])
	next := slices.Clone(starts)
	for _, r := range ranges {
		for at := 0; at < len(r); at += 2 {
			n := &next[int(cellTicket(r[at]))-lo]
			buckets[*n] = [2]uint64{uint64(uint32(r[at])), r[at+1]}
			*n++
		}
	}
	return buckets, starts
}

// State returns the histograms, or vector.ErrTooLong.
func (q *approxQuantile) State(lo, hi int) ([]*vector.Vector, error) {
	words, stride := q.rows()
	buckets, starts := q.histograms(lo, hi)
	out := vector.New(arrow.BinaryTypes.Binary, hi-lo)
	for i := range hi - lo {
		own := buckets[starts[i]:starts[i+1]]
		if len(out.Data)+16+14*len(own) > vector.MaxBytes {
			return nil, vector.ErrTooLong
		}
		if row := words[(lo+i)*stride:]; row[0] != 0 {
			out.Data = binary.LittleEndian.AppendUint64(out.Data, ^row[1])
			out.Data = binary.LittleEndian.AppendUint64(out.Data, row[2])
		}
		for _, b := range own {
			out.Data = binary.LittleEndian.AppendUint32(out.Data, uint32(b[0]))
			out.Data = binary.AppendUvarint(out.Data, b[1])
		}
		out.Offsets[i+1] = int32(len(out.Data))
	}
	return []*vector.Vector{out}, nil
}

// Final returns the estimates.
func (q *approxQuantile) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := q.rows()
	buckets, starts := q.histograms(lo, hi)
	v := vector.New(q.scale.typ, hi-lo)
	for i := range hi - lo {
		row := words[(lo+i)*stride:]
		n := row[0]
		if n == 0 {
			setNull(v, i)
			continue
		}
		own := buckets[starts[i]:starts[i+1]]
		slices.SortFunc(own, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
		rest, k := rankOf(q.share, n), 0
		switch rest {
		case 0:
			q.scale.put(v, i, ^row[1])
			continue
		case n - 1:
			q.scale.put(v, i, row[2])
			continue
		}
		for rest >= own[k][1] {
			rest -= own[k][1]
			k++
		}
		q.scale.put(v, i, q.scale.estimate(uint32(own[k][0]), ^row[1], row[2]))
	}
	return v, nil
}

// rankOf returns the number, from 0, of the first of n values in order that has at
// least the given share of them at or before it.
func rankOf(share float64, n uint64) uint64 {
	x := share * float64(n)
	r := math.Ceil(x)
	if r != x && x-(r-1) <= x*0x1p-51 {
		r-- // it is whole but for rounding
	}
	if r >= float64(n) {
		return n - 1
	}
	return uint64(max(r-1, 0))
}

// Bytes returns the memory of the histograms and of what is kept between batches.
func (q *approxQuantile) Bytes() int64 {
	return q.buckets.held() + q.members.bytes() + q.narrow.bytes() + q.wide.bytes() +
		8*int64(cap(q.keys)+cap(q.counts)) + 4*int64(cap(q.tickets)+cap(q.lows))
}

// Reset empties the histograms.
func (q *approxQuantile) Reset() {
	q.buckets.reset()
	q.members.reset()
}

// Free gives the memory of the histograms back.
func (q *approxQuantile) Free() {
	q.buckets.close()
	q.members.close()
}
