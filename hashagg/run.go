package hashagg

import (
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/axiomhq/hyperloglog"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// run is what waits on disk of the groups in a range of hashes: rows as they
// came, and groups with their states. A group may be in it many times.
type run struct {
	shift  uint           // bits of hashes that chose it
	rows   []spill.Extent // hash, position, and the columns that are needed
	groups []spill.Extent // hash, keys, and states
	count  int64          // of rows and groups
	bytes  int64          // in memory
	sketch *hyperloglog.Sketch
}

// sketchPrecision makes the number of groups of a run known to 2 % by 2 KiB.
const sketchPrecision = 11

func newRun(shift uint) *run {
	sketch, err := hyperloglog.NewSketch(sketchPrecision, true)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &run{shift: shift, sketch: sketch}
}

// note counts what has been written.
func (r *run) note(hashes []uint64, bytes int64) {
	for _, h := range hashes {
		r.sketch.InsertHash(h)
	}
	r.count += int64(len(hashes))
	r.bytes += bytes
}

// files are the append files that no worker has at the moment.
type files struct {
	mu   sync.Mutex
	free []*spill.File
}

func (f *files) take(dir *spill.Dir) *spill.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.free); n > 0 {
		file := f.free[n-1]
		f.free = f.free[:n-1]
		return file
	}
	return dir.File()
}

func (f *files) give(file *spill.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = append(f.free, file)
}

// diskWriter is one worker's way to the runs.
type diskWriter struct {
	sink   *Sink
	file   *spill.File
	hasher keyHasher
	batch  vector.Batch
	hashes []uint64
	rowsAt []uint64
}

// rowColumns returns the columns of the input that rows keep on disk.
func (s *Sink) rowColumns() (columns []int) {
	needed := make([]bool, s.in.NumFields())
	for _, c := range append(argumentColumns(s.cfg.Calls), s.cfg.Keys...) {
		needed[c] = true
	}
	for c, ok := range needed {
		if ok {
			columns = append(columns, c)
		}
	}
	return columns
}

// rowSchema describes rows on disk.
func (s *Sink) rowSchema() *arrow.Schema {
	fields := []arrow.Field{{Name: "hash", Type: arrow.PrimitiveTypes.Uint64}, {Name: "position", Type: arrow.PrimitiveTypes.Uint64}}
	for _, c := range s.rowColumns() {
		f := s.in.Field(c)
		fields = append(fields, arrow.Field{Name: f.Name, Type: f.Type, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// groupSchema describes groups on disk.
func (s *Sink) groupSchema() *arrow.Schema {
	fields := []arrow.Field{{Name: "hash", Type: arrow.PrimitiveTypes.Uint64}}
	for i, t := range s.types {
		fields = append(fields, arrow.Field{Name: s.out.Field(i).Name, Type: t, Nullable: true})
	}
	for _, c := range s.cfg.Calls {
		for _, t := range c.Agg.State {
			fields = append(fields, arrow.Field{Name: c.Name, Type: t, Nullable: true})
		}
	}
	return arrow.NewSchema(fields, nil)
}

// rows writes the rows of in that sel lists, all if it is nil, to p's run.
func (d *diskWriter) rows(p *partition, in *input, sel []uint32) error {
	hashes := in.hashes
	if sel != nil {
		d.hashes = pickHashes(d.hashes, hashes, sel)
		hashes = d.hashes
	}
	d.rowsAt = vector.Resize(d.rowsAt, len(hashes))
	for i := range d.rowsAt {
		r := i
		if sel != nil {
			r = int(sel[i])
		}
		d.rowsAt[i] = in.rows.At(r)
	}
	d.begin(hashes)
	d.batch.Cols = append(d.batch.Cols, wordVector(d.rowsAt))
	for _, c := range d.sink.rowColumns() {
		if err := d.column(in.cols[c], sel); err != nil {
			return err
		}
	}
	e, err := d.append(p, d.sink.schemas.rows, hashes)
	if err == nil {
		p.run.rows = append(p.run.rows, e)
	}
	return err
}

// groups writes the groups of g that sel lists, all if it is nil, to p's run.
func (d *diskWriter) groups(p *partition, g exported, sel []uint32) error {
	hashes, at := g.hashes, g.at
	if sel != nil {
		d.hashes = pickHashes(d.hashes, hashes, sel)
		hashes = d.hashes
		at = make([]uint32, len(sel))
		for i, r := range sel {
			at[i] = g.at[r]
		}
	}
	d.begin(hashes)
	for _, k := range g.keys {
		if err := d.column(k, sel); err != nil {
			return err
		}
	}
	for _, call := range g.states {
		for _, v := range call {
			if err := d.column(v, at); err != nil {
				return err
			}
		}
	}
	e, err := d.append(p, d.sink.schemas.groups, hashes)
	if err == nil {
		p.run.groups = append(p.run.groups, e)
	}
	return err
}

// partition writes all groups of p, which has a table, to its run.
func (d *diskWriter) partition(p *partition) error {
	if d.hasher.columns == nil {
		d.hasher = newKeyHasher(len(d.sink.cfg.Keys), d.sink.knobs.hashMask)
	}
	return p.part().each(func(g exported) error {
		g.hashes = d.hasher.hash(g.keys, len(g.at))
		return d.groups(p, g, nil)
	})
}

func (d *diskWriter) begin(hashes []uint64) {
	d.batch = vector.Batch{Len: len(hashes), Cols: append(d.batch.Cols[:0], wordVector(hashes))}
}

func (d *diskWriter) column(v *vector.Vector, sel []uint32) (err error) {
	if sel != nil {
		if v, err = vector.Gather(nil, v, sel); err != nil {
			return err
		}
	}
	d.batch.Cols = append(d.batch.Cols, v)
	return nil
}

func (d *diskWriter) append(p *partition, schema *arrow.Schema, hashes []uint64) (spill.Extent, error) {
	if d.file == nil {
		d.file = d.sink.files.take(d.sink.cfg.Spill)
	}
	e, err := d.file.Append(schema, &d.batch)
	if err != nil {
		return e, err
	}
	if p.run == nil {
		p.run = newRun(p.runShift)
	}
	size := int64(0)
	for _, v := range d.batch.Cols {
		size += int64(len(v.Data) + 4*len(v.Offsets))
	}
	p.run.note(hashes, size)
	return e, nil
}

func (d *diskWriter) close() {
	if d.file != nil {
		d.file.Trim()
		d.sink.files.give(d.file)
		d.file = nil
	}
}

// wordVector returns words as a column.
func wordVector(words []uint64) *vector.Vector {
	return &vector.Vector{Type: arrow.PrimitiveTypes.Uint64, Len: len(words), Data: vector.AsBytes(words)}
}

// pickHashes returns the elements of src that sel lists, in dst's memory.
func pickHashes(dst, src []uint64, sel []uint32) []uint64 {
	dst = vector.Resize(dst, len(sel))
	for i, r := range sel {
		dst[i] = src[r]
	}
	return dst
}
