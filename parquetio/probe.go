package parquetio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Prepare finds out what is left to be read beyond what the footers tell: by bloom
// filters, dictionaries and page indexes of the columns that Where.Domains is
// about. It is called at most once, before the first stream; without it all of
// what the statistics leave is read. What is damaged there is passed over and
// counted (ScanReport.Unusable): the data itself may be whole.
func (s *Scan) Prepare(ctx context.Context) error {
	if s.opt.Where == nil || len(s.opt.Where.Domains) == 0 || len(s.parts) == 0 {
		return nil
	}
	var next atomic.Int64
	var mu sync.Mutex
	err := operators.Parallel(ctx, min(s.opt.Workers, len(s.parts)), func(ctx context.Context, _ int) (err error) {
		p := &prober{scan: s, stream: newStream(s)}
		defer func() { err = errors.Join(err, p.stream.Close()) }()
		for i := next.Add(1) - 1; i < int64(len(s.parts)); i = next.Add(1) - 1 {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			if err := p.probe(ctx, &s.parts[i]); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		s.skips.add(&p.skips)
		return nil
	})
	if err != nil {
		return err
	}
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool { return len(p.ranges) == 0 })
	var held int64
	for _, p := range s.parts {
		for _, pages := range p.pages {
			held += int64(len(pages)) * locationBytes
		}
	}
	if held > 0 {
		s.index = s.opt.Budget.Account("page index")
		if err := s.index.Resize(held); err != nil {
			return fmt.Errorf("parquetio: page index: %w", err)
		}
	}
	s.plan()
	return nil
}

// locationBytes is the size of a pageLocation.
const locationBytes = 32

// prober looks at row groups, for one worker. The stream is for its file and its
// memory.
type prober struct {
	scan   *Scan
	stream *stream
	skips  skips
}

func (s *skips) add(o *skips) {
	s.bloom += o.bloom
	s.dictionary += o.dictionary
	s.pageIndex += o.pageIndex
	s.pages += o.pages
	s.bytes += o.bytes
	s.groupBytes += o.groupBytes
	s.unusable += o.unusable
	s.read += o.read
}

// probe leaves in p what may be chosen.
func (b *prober) probe(ctx context.Context, p *part) error {
	b.stream.morsel.part = *p
	if err := b.stream.openFile(ctx); err != nil {
		return err
	}
	why := []struct {
		count *int
		look  func(p *part, k int, d vector.Domain) (bool, error)
	}{{&b.skips.bloom, b.bloom}, {&b.skips.dictionary, b.dictionary}, {&b.skips.pageIndex, b.pageIndex}}
	for _, w := range why {
		for _, k := range b.scan.opt.Where.Columns {
			d, ok := b.scan.opt.Where.Domains[k]
			if !ok {
				continue
			}
			may, err := w.look(p, k, d)
			if err != nil {
				return b.place(p, k, err)
			}
			if !may {
				*w.count++
				b.skips.groupBytes += b.scan.groupBytes(p.file, p.group)
				p.ranges = nil
				return nil
			}
		}
	}
	return b.locate(p)
}

func (b *prober) place(p *part, k int, err error) error {
	b.stream.morsel.part, b.stream.column = *p, k
	return b.stream.place(err)
}

func (b *prober) chunk(p *part, k int) (*Column, *chunkMeta) {
	f, leaf := b.scan.files[p.file], b.scan.cols[p.file][k]
	return &f.columns[leaf], &f.meta.groups[p.group].chunks[leaf]
}

// maxIndex bounds the size of an index.
const maxIndex = 64 << 20

// fetch reads n bytes; false is that they cannot be what they should, as they lie
// outside of the file.
func (b *prober) fetch(p *part, at, n int64) ([]byte, bool, error) {
	end := b.scan.files[p.file].end
	if at < int64(len(magic)) || n <= 0 || n > maxIndex || at > end || n > end-at {
		return nil, false, nil
	}
	buf := make([]byte, n)
	if err := b.stream.mem.Resize(n); err != nil {
		return nil, false, err
	}
	b.skips.read += n
	err := readFull(b.stream.src, buf, at)
	if errors.Is(err, errShrunk) {
		return nil, false, nil
	}
	return buf, true, err
}

// bloom reports whether a chunk may have a value of d.
func (b *prober) bloom(p *part, k int, d vector.Domain) (bool, error) {
	c, m := b.chunk(p, k)
	if m.bloom.at <= 0 || d.Null && m.knownNulls(c) != 0 {
		return true, nil
	}
	hashes, ok := c.hashes(d)
	if !ok {
		return true, nil
	}
	first := min(int64(max(m.bloom.n, bloomHeader)), bloomWhole, b.scan.files[p.file].end-m.bloom.at)
	buf, ok, err := b.fetch(p, m.bloom.at, first)
	if err != nil || !ok {
		return true, b.unusable(err)
	}
	header, size, err := parseBloomHeader(buf)
	if err != nil || int64(header)+int64(size) > b.scan.files[p.file].end-m.bloom.at {
		return true, b.unusable(nil)
	}
	for _, h := range hashes {
		at := header + bloomPlace(h, size)
		block := []byte(nil)
		if at+bloomBlock <= len(buf) {
			block = buf[at : at+bloomBlock]
		} else if block, ok, err = b.fetch(p, m.bloom.at+int64(at), bloomBlock); err != nil || !ok {
			return true, b.unusable(err)
		}
		if bloomHas(block, h) {
			return true, nil
		}
	}
	return false, nil
}

// bloomWhole is the size up to which a bloom filter is read at once; of a larger
// one, the blocks that are looked at.
const bloomWhole = 1 << 20

// unusable counts what is damaged, unless it could not be read at all.
func (b *prober) unusable(err error) error {
	if err == nil {
		b.skips.unusable++
	}
	return err
}

// decided reports whether the statistics of a chunk tell that all of its values are
// in d.
func (b *prober) decided(p *part, k int, d vector.Domain) bool {
	c, m := b.chunk(p, k)
	f, leaf := b.scan.files[p.file], b.scan.cols[p.file][k]
	bound, ok := c.boundsOf(m.least, m.greatest)
	if !ok || !f.trusted(leaf, m.oldRange) {
		return d.Full()
	}
	return slices.ContainsFunc(d.Spans, func(s vector.Span) bool {
		return bytes.Compare(s.Lo, bound.lo) <= 0 && (s.Hi == nil || bytes.Compare(bound.hi, s.Hi) < 0)
	})
}

const (
	// dictionaryShare is the part of the columns' bytes, one in so many, that a
	// dictionary may have which is read only to see what is in it.
	dictionaryShare = 8
	// smallDictionary is always looked at.
	smallDictionary = 64 << 10
)

// dictionary reports whether a chunk of which all pages have codes may have a value
// of d.
func (b *prober) dictionary(p *part, k int, d vector.Domain) (bool, error) {
	c, m := b.chunk(p, k)
	size := m.dataAt - m.start()
	if !m.coded || size <= 0 || size > max(smallDictionary, b.scan.groupBytes(p.file, p.group)/dictionaryShare) ||
		d.Null && m.knownNulls(c) != 0 || b.decided(p, k, d) {
		return true, nil
	}
	var work columnWork
	mem := &spender{account: b.stream.mem}
	r := newColumnReader(c, mem, &b.stream.codecs, &work)
	r.verify = !b.scan.opt.SkipChecksums
	r.reset(b.stream.src, b.scan.files[p.file], m, nil)
	err := r.loadFirst()
	b.skips.read += work.bytes
	defer func() { b.stream.mem.Resize(0) }()
	switch {
	case errors.As(err, new(ioError)), errors.Is(err, memory.ErrLimit):
		return true, err
	case err != nil:
		return true, b.unusable(nil)
	case !r.loaded:
		return true, nil
	}
	for i := range r.dict.Len {
		if key, ok := r.dict.Key(i); !ok || d.Has(key) {
			return true, nil
		}
	}
	return false, nil
}

// pageIndex leaves in p the rows of pages that may have values of d.
func (b *prober) pageIndex(p *part, k int, d vector.Domain) (bool, error) {
	c, m := b.chunk(p, k)
	f, leaf := b.scan.files[p.file], b.scan.cols[p.file][k]
	if m.columnIndex.n <= 0 || m.offsetIndex.n <= 0 || !f.trusted(leaf, false) || b.decided(p, k, d) && m.knownNulls(c) == 0 {
		return true, nil
	}
	pages, err := b.pagesOf(p, k)
	if err != nil || pages == nil {
		return true, err
	}
	buf, ok, err := b.fetch(p, m.columnIndex.at, int64(m.columnIndex.n))
	if err != nil || !ok {
		return true, b.unusable(err)
	}
	x, err := parseColumnIndex(buf)
	if err != nil || !x.fits(len(pages)) {
		return true, b.unusable(nil)
	}
	p.ranges = intersect(p.ranges, x.rangesOf(c, pages, f.meta.groups[p.group].rows, d))
	return len(p.ranges) > 0, nil
}

// pagesOf returns the offset index of column k, nil if there is none that can be
// used.
func (b *prober) pagesOf(p *part, k int) ([]pageLocation, error) {
	if p.pages == nil {
		p.pages = make([][]pageLocation, len(b.scan.fields))
	}
	_, m := b.chunk(p, k)
	if p.pages[k] != nil || m.offsetIndex.n <= 0 {
		return p.pages[k], nil
	}
	buf, ok, err := b.fetch(p, m.offsetIndex.at, int64(m.offsetIndex.n))
	if err != nil || !ok {
		return nil, b.unusable(err)
	}
	pages, err := parseOffsetIndex(buf)
	if err != nil || !m.located(pages, b.scan.files[p.file].meta.groups[p.group].rows) {
		return nil, b.unusable(nil)
	}
	p.pages[k] = pages
	return pages, nil
}

// locate finds, where not all rows are left, the pages of all columns.
func (b *prober) locate(p *part) error {
	rows := b.scan.files[p.file].meta.groups[p.group].rows
	if p.rows() == rows {
		p.pages = nil
		return nil
	}
	for k := range b.scan.fields {
		pages, err := b.pagesOf(p, k)
		if err != nil {
			return b.place(p, k, err)
		}
		n, bytes := want(pages, rows, p.ranges)
		b.skips.pages += n
		b.skips.bytes += bytes
	}
	return nil
}
