package main

import (
	"context"
	"os"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/colagg/colagg"
)

// parquetRows counts the rows of a Parquet file by its footer.
func parquetRows(ctx context.Context, eng *colagg.Engine, path string) (int64, error) {
	infos, err := eng.Describe(ctx, colagg.Files(path))
	if err != nil {
		return 0, err
	}
	var n int64
	for _, info := range infos {
		n += info.Rows
	}
	return n, nil
}

// arrowRows counts the rows of an Arrow IPC file by reading it.
func arrowRows(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	var n int64
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			return 0, err
		}
		n += rec.NumRows()
		rec.Release()
	}
	return n, nil
}
