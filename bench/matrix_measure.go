package main

import (
	"context"
	"fmt"
	"hash/maphash"
	"runtime"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
)

// timing is one run of a query over an input.
type timing struct {
	total  float64 // seconds from the call of Query until all records are there
	output float64 // the last part of it: seconds after Query had returned
	cpu    float64 // seconds of processor time of the whole process, 0 if unknown
	stats  colagg.Stats
}

// answer is what tells a result from another one, whatever the order of rows.
type answer struct {
	groups   int64
	checksum uint64
}

// ask runs a query with so many workers, each with a processor of Go's
// scheduler if the machine has as many. It keeps all records until the clock
// has stopped and gives them to look, if it is not nil.
func (in *input) ask(ctx context.Context, threads int, strategy string, keys, aggs []string, look func([]arrow.Record) error) (t timing, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(threads, runtime.NumCPU())))
	eng, err := colagg.New(colagg.Options{Workers: threads})
	if err != nil {
		return t, err
	}
	defer eng.Close()
	reader, err := array.NewRecordReader(in.schema, in.records)
	if err != nil {
		return t, err
	}
	defer reader.Release()
	runtime.GC() // earlier runs' results are not this run's work
	cpu, start := processorTime(), time.Now()
	res, err := eng.Query(ctx, colagg.Query{From: colagg.Records(reader), GroupBy: keys, Aggs: aggs, Strategy: strategy})
	if err != nil {
		return t, err
	}
	defer res.Release()
	aggregated := time.Now()
	var kept []arrow.Record
	defer func() {
		for _, r := range kept {
			r.Release()
		}
	}()
	for rec, err := range res.Batches() {
		if err != nil {
			return t, err
		}
		rec.Retain()
		kept = append(kept, rec)
	}
	end := time.Now()
	t = timing{total: end.Sub(start).Seconds(), output: end.Sub(aggregated).Seconds(), cpu: processorTime() - cpu, stats: res.Stats()}
	if look != nil {
		err = look(kept)
	}
	return t, err
}

var checksumSeed = maphash.MakeSeed()

// add counts a record's rows and adds a hash of each row's values.
func (a *answer) add(rec arrow.Record) error {
	hashes := make([]uint64, rec.NumRows())
	for c := range int(rec.NumCols()) {
		salt := mix64(uint64(c) + 1)
		switch col := rec.Column(c).(type) {
		case *array.Int64:
			for i, v := range col.Int64Values() {
				hashes[i] = mix64((hashes[i] ^ uint64(v)) + salt)
			}
		case *array.String:
			for i := range hashes {
				hashes[i] = mix64((hashes[i] ^ maphash.String(checksumSeed, col.Value(i))) + salt)
			}
		default:
			return fmt.Errorf("column %s has the unexpected type %s", rec.ColumnName(c), col.DataType())
		}
		for i := range hashes {
			if rec.Column(c).IsNull(i) {
				return fmt.Errorf("column %s has a NULL", rec.ColumnName(c))
			}
		}
	}
	for _, h := range hashes {
		a.checksum += h
	}
	a.groups += rec.NumRows()
	return nil
}

// answerOf reads a whole result.
func answerOf(records []arrow.Record) (a answer, err error) {
	for _, r := range records {
		if err := a.add(r); err != nil {
			return a, err
		}
	}
	return a, nil
}
