package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/golang/snappy"
)

// floorEngine answers nothing: it reads the pages of the columns that the
// question needs and decompresses them, each into the same buffer, with the
// job's number of threads. No engine that reads the file can take less.
type floorEngine struct {
	file    *os.File
	threads int
	chunks  []pageRange
}

// pageRange is where a column chunk's pages are in the file.
type pageRange struct{ at, size int64 }

// open finds the chunks, which is not part of what is timed.
func (e *floorEngine) open(ctx context.Context, j job) (string, error) {
	f, err := os.Open(j.File)
	if err != nil {
		return "", err
	}
	e.file, e.threads = f, j.Threads
	d := &duckEngine{}
	if _, err := d.open(ctx, j); err != nil {
		return "", err
	}
	defer d.close()
	var names []string
	for _, c := range (question{keys: j.Keys, aggs: j.Aggs}).columns() {
		names = append(names, quote(c))
	}
	rows, err := d.conn.QueryContext(ctx, fmt.Sprintf(`SELECT least(coalesce(dictionary_page_offset, data_page_offset), data_page_offset),
		total_compressed_size, compression FROM parquet_metadata(%s) WHERE path_in_schema IN (%s) ORDER BY 1`,
		quote(j.File), strings.Join(names, ", ")))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for rows.Next() {
		var p pageRange
		var codec string
		if err := rows.Scan(&p.at, &p.size, &codec); err != nil {
			return "", err
		}
		if codec != "SNAPPY" {
			return "", fmt.Errorf("floor: the codec is %s and not snappy", codec)
		}
		e.chunks = append(e.chunks, p)
	}
	return "snappy", rows.Err()
}

func (e *floorEngine) run(context.Context) (int64, func(), error) {
	var next atomic.Int64
	errs := make([]error, e.threads)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			var packed, plain []byte
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(e.chunks) {
					return
				}
				packed, plain, errs[w] = e.walk(e.chunks[i], packed, plain)
			}
		})
	}
	wg.Wait()
	return -1, func() {}, errors.Join(errs...)
}

// walk reads one chunk at once and decompresses its pages one by one.
func (e *floorEngine) walk(c pageRange, packed, plain []byte) (_, _ []byte, err error) {
	if int64(cap(packed)) < c.size {
		packed = make([]byte, c.size)
	}
	packed = packed[:c.size]
	if _, err := e.file.ReadAt(packed, c.at); err != nil {
		return nil, nil, err
	}
	for rest := packed; len(rest) > 0; {
		h, n, err := readPageHeader(rest)
		if err != nil {
			return nil, nil, err
		}
		if h.packed < 0 || h.plain < 0 || h.packed > int64(len(rest)-n) {
			return nil, nil, errPageHeader
		}
		if int64(cap(plain)) < h.plain {
			plain = make([]byte, h.plain)
		}
		if h.kind == 3 {
			return nil, nil, errors.New("floor: data pages v2 are not walked")
		}
		if _, err := snappy.Decode(plain[:cap(plain)], rest[n:n+int(h.packed)]); err != nil {
			return nil, nil, err
		}
		rest = rest[n+int(h.packed):]
	}
	return packed, plain, nil
}

func (e *floorEngine) answer(context.Context, string) error { return errNoAnswer }

func (e *floorEngine) close() error { return e.file.Close() }

// pageHeader is the part of the format's PageHeader that the walk needs.
type pageHeader struct{ kind, plain, packed int64 }

var errPageHeader = errors.New("floor: bad page header")

// readPageHeader reads a PageHeader in Thrift's compact protocol and returns
// its length.
func readPageHeader(b []byte) (h pageHeader, n int, err error) {
	r := &compactReader{b: b}
	r.fields(func(id int64, t byte) bool {
		switch {
		case id == 1 && t == 5:
			h.kind = r.zigzag()
		case id == 2 && t == 5:
			h.plain = r.zigzag()
		case id == 3 && t == 5:
			h.packed = r.zigzag()
		default:
			return false
		}
		return true
	})
	if r.bad {
		return h, 0, errPageHeader
	}
	return h, r.at, nil
}

// compactReader steps through a Thrift struct; after a fault bad is set and
// everything reads as 0.
type compactReader struct {
	b   []byte
	at  int
	bad bool
}

func (r *compactReader) uvarint() uint64 {
	if r.bad {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return v
}

func (r *compactReader) zigzag() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *compactReader) advance(n int) {
	if n < 0 || n > len(r.b)-r.at {
		r.bad = true
		return
	}
	r.at += n
}

// fields calls read for each field of a struct; a field that it does not take
// is skipped.
func (r *compactReader) fields(read func(id int64, t byte) bool) {
	for id := int64(0); !r.bad; {
		if r.at >= len(r.b) {
			r.bad = true
			return
		}
		x := r.b[r.at]
		r.at++
		if x == 0 {
			return
		}
		if d := int64(x >> 4); d != 0 {
			id += d
		} else {
			id = r.zigzag()
		}
		if !read(id, x&15) {
			r.skip(x & 15)
		}
	}
}

// skip steps over a value. Page headers hold booleans, numbers, bytes and
// structs only.
func (r *compactReader) skip(t byte) {
	switch t {
	case 1, 2:
	case 3:
		r.advance(1)
	case 4, 5, 6:
		r.uvarint()
	case 7:
		r.advance(8)
	case 8:
		r.advance(int(r.uvarint()))
	case 12:
		r.fields(func(int64, byte) bool { return false })
	default:
		r.bad = true
	}
}
