package parquetio

import (
	"errors"
	"fmt"
	"math"
)

// The parts of the footer that colagg needs, as in the format's Thrift
// definition
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).

type fileMeta struct {
	schema    []schemaElement
	rows      int64
	groups    []groupMeta
	createdBy string
	ordered   []bool // of leaves: the order of bounds is that of the type; nil if there is none told
}

type schemaElement struct {
	name       string
	physical   int8 // -1: a group
	repetition int8
	converted  int8 // -1: none
	length     int32
	children   int32
	scale      int32
	precision  int32
	logical    logicalType
}

// logicalType is the union of that name; id is the number of the member that
// is set, 0 for none. a and b are its numbers in order of their ids, flag its
// boolean.
type logicalType struct {
	id   int16
	a, b int32
	flag bool
}

type groupMeta struct {
	rows   int64
	bytes  int64
	chunks []chunkMeta
}

type chunkMeta struct {
	dataAt, dictAt     int64 // positions in the file; dictAt is 0 if there is none
	packed, unpacked   int64 // bytes of all pages with their headers
	values             int64
	nulls              int64  // -1: unknown
	distinct           int64  // values; 0: unknown
	textBytes          int64  // of the least and the greatest value together, of BYTE_ARRAY
	lo, hi             int64  // statistics of INT32 and INT64 as signed numbers
	least, greatest    []byte // statistics as they are stored; nil: none
	exact              bool   // least and greatest are values, not only bounds
	coded              bool   // all data pages have codes of the dictionary
	bloom              span
	columnIndex        span
	offsetIndex        span
	encodings          uint32
	physical, codec    int8
	hasRange, oldRange bool
	missing, encrypted bool
	elsewhere          bool // the pages are in another file
}

// span is a part of the file; n is 0 if there is none.
type span struct {
	at int64
	n  int32
}

// errNegative refuses counts that no file can mean.
var errNegative = errors.New("metadata has a negative count or size")

// missingField names a field that the format requires and is not there. A
// footer that lacks its counts must not pass for one that says 0.
type missingField string

func (e missingField) Error() string { return "metadata lacks the required field " + string(e) }

// fields has a bit for each field id below 64 that a struct has.
type fields uint64

func (f *fields) add(id int16) {
	if id > 0 && id < 64 {
		*f |= 1 << id
	}
}

// require fails with the name of the first field that is not there.
func (r *thriftReader) require(f fields, required []requirement) {
	for _, q := range required {
		if f&(1<<q.id) == 0 {
			r.fail(q.name)
			return
		}
	}
}

type requirement struct {
	id   int16
	name missingField
}

// What is required, as far as it is used.
var (
	fileFields    = []requirement{{2, "FileMetaData.schema"}, {3, "FileMetaData.num_rows"}, {4, "FileMetaData.row_groups"}}
	elementFields = []requirement{{4, "SchemaElement.name"}}
	groupFields   = []requirement{{1, "RowGroup.columns"}, {3, "RowGroup.num_rows"}}
	chunkFields   = []requirement{
		{1, "ColumnMetaData.type"}, {4, "ColumnMetaData.codec"}, {5, "ColumnMetaData.num_values"},
		{7, "ColumnMetaData.total_compressed_size"}, {9, "ColumnMetaData.data_page_offset"},
	}
)

// preallocate bounds what is allocated for an announced number of elements;
// the rest grows with what is really there.
func preallocate(n int) int { return min(n, 4096) }

func parseFileMeta(b []byte) (*fileMeta, error) {
	r := &thriftReader{b: b}
	m := &fileMeta{}
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch id {
		case 2:
			n := r.list(t, thriftStruct)
			m.schema = make([]schemaElement, 0, preallocate(n))
			for ; n > 0 && r.err == nil; n-- {
				m.schema = append(m.schema, r.schemaElement())
			}
		case 3:
			m.rows = r.int64(t)
		case 4:
			n := r.list(t, thriftStruct)
			m.groups = make([]groupMeta, 0, preallocate(n))
			for ; n > 0 && r.err == nil; n-- {
				m.groups = append(m.groups, r.group(len(m.schema)))
			}
		case 6:
			m.createdBy = string(r.binary(t))
		case 7:
			if t != thriftList {
				r.skip(t)
			} else {
				m.ordered = r.columnOrders(t)
			}
		default:
			r.skip(t)
		}
	}
	r.require(has, fileFields)
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// columnOrders reads which columns have the union ColumnOrder set to its first
// member, TYPE_ORDER.
func (r *thriftReader) columnOrders(t byte) []bool {
	n := r.list(t, thriftStruct)
	ordered := make([]bool, 0, preallocate(n))
	for ; n > 0 && r.err == nil; n-- {
		var id int16
		is := false
		for ft := r.field(&id); ft != thriftStop; ft = r.field(&id) {
			is = is || id == 1
			r.skip(ft)
		}
		ordered = append(ordered, is)
	}
	return ordered
}

func (r *thriftReader) schemaElement() schemaElement {
	e := schemaElement{physical: -1, converted: -1}
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch id {
		case 1:
			if e.physical = r.enum(t); e.physical < 0 {
				r.fail(errThriftType)
			}
		case 2:
			e.length = r.int32(t)
		case 3:
			e.repetition = r.repetition(t)
		case 4:
			e.name = string(r.binary(t))
		case 5:
			e.children = r.int32(t)
		case 6:
			e.converted = r.optionalEnum(t)
		case 7:
			e.scale = r.int32(t)
		case 8:
			e.precision = r.int32(t)
		case 10:
			r.structure(t)
			e.logical = r.logicalType()
		default:
			r.skip(t)
		}
	}
	r.require(has, elementFields)
	return e
}

func (r *thriftReader) logicalType() logicalType {
	var l logicalType
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		l.id = id
		switch id {
		case logicalDecimal, logicalTime, logicalTimestamp, logicalInteger:
			r.structure(t)
			r.logicalMember(&l)
		default:
			r.skip(t)
		}
	}
	return l
}

// logicalMember reads the fields of DecimalType, TimeType, TimestampType and
// IntType. A time unit is a union of empty structs; its member's id is kept.
func (r *thriftReader) logicalMember(l *logicalType) {
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		switch {
		case t == thriftTrue || t == thriftFalse:
			l.flag = r.bool(t)
		case t == thriftStruct:
			var unit int16
			for ut := r.field(&unit); ut != thriftStop; ut = r.field(&unit) {
				l.a = int32(unit)
				r.skip(ut)
			}
		case id == 1 && t == thriftByte:
			l.a = int32(int8(r.byte()))
		case id == 1:
			l.a = r.int32(t)
		case id == 2:
			l.b = r.int32(t)
		default:
			r.skip(t)
		}
	}
}

func (r *thriftReader) group(columns int) groupMeta {
	var g groupMeta
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch id {
		case 1:
			n := r.list(t, thriftStruct)
			g.chunks = make([]chunkMeta, 0, min(n, columns))
			for ; n > 0 && r.err == nil; n-- {
				g.chunks = append(g.chunks, r.chunk())
			}
		case 2:
			g.bytes = r.int64(t)
		case 3:
			g.rows = r.int64(t)
		default:
			r.skip(t)
		}
	}
	r.require(has, groupFields)
	if g.rows < 0 {
		r.fail(errNegative)
	}
	return g
}

func (r *thriftReader) chunk() chunkMeta {
	c := chunkMeta{missing: true, nulls: -1}
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		switch id {
		case 1:
			c.elsewhere = len(r.binary(t)) > 0
		case 3:
			r.structure(t)
			c.missing = false
			r.columnMeta(&c)
		case 4:
			c.offsetIndex.at = r.optionalInt64(t)
		case 5:
			c.offsetIndex.n = r.optionalInt32(t)
		case 6:
			c.columnIndex.at = r.optionalInt64(t)
		case 7:
			c.columnIndex.n = r.optionalInt32(t)
		case 8:
			c.encrypted = true
			r.skip(t)
		default:
			r.skip(t)
		}
	}
	return c
}

func (r *thriftReader) columnMeta(c *chunkMeta) {
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch id {
		case 1:
			c.physical = r.enum(t)
		case 2:
			for n := r.list(t, thriftI32); n > 0 && r.err == nil; n-- {
				e := r.zigzag()
				if e < 0 || e > unknownEncoding {
					e = unknownEncoding
				}
				c.encodings |= 1 << e
			}
		case 4:
			c.codec = r.enum(t)
		case 5:
			c.values = r.int64(t)
		case 6:
			c.unpacked = r.int64(t)
		case 7:
			c.packed = r.int64(t)
		case 9:
			c.dataAt = r.int64(t)
		case 11:
			c.dictAt = r.int64(t)
		case 12:
			r.structure(t)
			r.statistics(c)
		case 13:
			if t != thriftList {
				r.skip(t)
			} else {
				c.coded = r.allCoded(t)
			}
		case 14:
			c.bloom.at = r.optionalInt64(t)
		case 15:
			c.bloom.n = r.optionalInt32(t)
		default:
			r.skip(t)
		}
	}
	r.require(has, chunkFields)
}

// statistics keeps the bounds of the values. The newer fields say min_value and
// max_value; min and max of old writers compare as signed.
func (r *thriftReader) statistics(c *chunkMeta) {
	var oldLo, oldHi, lo, hi []byte
	var exactLo, exactHi bool
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		switch id {
		case 1:
			oldHi = r.binary(t)
		case 2:
			oldLo = r.binary(t)
		case 3:
			c.nulls = r.int64(t)
		case 4:
			c.distinct = r.int64(t)
		case 5:
			hi = r.binary(t)
		case 6:
			lo = r.binary(t)
		case 7:
			exactHi = r.optionalBool(t)
		case 8:
			exactLo = r.optionalBool(t)
		default:
			r.skip(t)
		}
	}
	if lo == nil || hi == nil {
		lo, hi, c.oldRange = oldLo, oldHi, true
	}
	if lo != nil && hi != nil && max(len(lo), len(hi)) <= maxBound {
		c.least, c.greatest, c.exact = r.keep(lo), r.keep(hi), exactLo && exactHi
	}
	if c.physical == physicalByteArray {
		c.textBytes = int64(len(lo) + len(hi))
	}
	if len(lo) == 0 || len(lo) != len(hi) {
		return
	}
	switch {
	case c.physical == physicalInt32 && len(lo) == 4:
		c.lo, c.hi, c.hasRange = int64(int32(leUint32(lo))), int64(int32(leUint32(hi))), true
	case c.physical == physicalInt64 && len(lo) == 8:
		c.lo, c.hi, c.hasRange = int64(leUint64(lo)), int64(leUint64(hi)), true
	}
}

// maxBound is the longest bound of a chunk that is kept: writers cut them off long
// before.
const maxBound = 1 << 10

// keptBytes is the size of the pieces of memory that bounds are kept in.
const keptBytes = 4 << 10

// keep returns a copy of b, so that what is read can be let go.
func (r *thriftReader) keep(b []byte) []byte {
	if cap(r.kept)-len(r.kept) < len(b) {
		r.kept = make([]byte, 0, max(keptBytes, len(b)))
	}
	n := len(r.kept)
	r.kept = append(r.kept, b...)
	return r.kept[n:len(r.kept):len(r.kept)]
}

// allCoded reads a list of PageEncodingStats: whether there are data pages and all
// have codes.
func (r *thriftReader) allCoded(t byte) bool {
	some, all := false, true
	for n := r.list(t, thriftStruct); n > 0 && r.err == nil; n-- {
		var kind, encoding, pages int32
		var id int16
		for ft := r.field(&id); ft != thriftStop; ft = r.field(&id) {
			switch id {
			case 1:
				kind = r.int32(ft)
			case 2:
				encoding = r.int32(ft)
			case 3:
				pages = r.int32(ft)
			default:
				r.skip(ft)
			}
		}
		if (kind == pageData || kind == pageDataV2) && pages > 0 {
			some = true
			all = all && (encoding == encodingPlainDictionary || encoding == encodingRLEDictionary)
		}
	}
	return some && all
}

// check finds what makes a whole file unusable: counts below zero, row groups
// whose columns are not those of the schema.
func (m *fileMeta) check(leaves int) error {
	var rows int64
	for i := range m.groups {
		g := &m.groups[i]
		if len(g.chunks) != leaves {
			return fmt.Errorf("row group %d has %d columns where the schema has %d", i, len(g.chunks), leaves)
		}
		if rows += g.rows; rows < 0 {
			return errNegative
		}
		if leaves > 0 && g.rows > g.chunks[0].mostValues() {
			return fmt.Errorf("row group %d has more rows (%d) than its pages can hold", i, g.rows)
		}
	}
	// Old versions of a Rust writer said 0 for any number.
	if m.rows == 0 {
		m.rows = rows
	}
	if rows != m.rows {
		return fmt.Errorf("the row groups have %d rows together where the file says %d", rows, m.rows)
	}
	return nil
}

// mostValues bounds what the chunk's pages can hold: each has a header and at
// most as many values as an i32 counts.
func (m *chunkMeta) mostValues() int64 {
	const header = 16
	pages := max(0, m.packed)/header + 1
	if m.missing || m.encrypted || m.elsewhere || pages > math.MaxInt32 {
		return math.MaxInt64
	}
	return pages * math.MaxInt32
}
