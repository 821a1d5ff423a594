"""Makes testdata/skip: files to skip parts of, with statistics, page indexes and bloom filters.

Needs pyarrow 26 and duckdb 2; run it in this directory.
"""
import datetime
import decimal
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 6000


def table(seed, ordered):
    r = random.Random(seed)
    day = sorted if ordered else list
    null = lambda v, part=0.05: None if r.random() < part else v
    days = day(r.randrange(8000, 10000) for _ in range(ROWS))
    floats = [r.choice([0.0, -0.0, float("inf"), float("nan"), r.uniform(-50, 50)]) if r.random() < 0.02 else r.uniform(-50, 50) for _ in range(ROWS)]
    cols = {
        "n": pa.array([i if ordered else r.randrange(ROWS) for i in range(ROWS)], pa.int64()),
        "d": pa.array([null(datetime.date(1970, 1, 1) + datetime.timedelta(x)) for x in days], pa.date32()),
        "ts": pa.array([datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=x * 5000) for x in days], pa.timestamp("us")),
        "f": pa.array([null(x) for x in floats], pa.float64()),
        "g": pa.array(day(r.uniform(0, 100) for _ in range(ROWS)), pa.float32()),
        "s": pa.array([null(f"key {x // 20:06d}") for x in days], pa.string()),
        "long": pa.array(["common beginning of a long text " * 3 + str(x) for x in days], pa.string()),
        "u": pa.array([null(2**63 + x * 2**40) for x in days], pa.uint64()),
        "w": pa.array([null(2**31 + x) for x in days], pa.uint32()),
        "i8": pa.array([null(r.randrange(-100, 100)) for _ in range(ROWS)], pa.int8()),
        "p": pa.array([null(decimal.Decimal(x * 7 - 60000) / 100) for x in days], pa.decimal128(12, 2)),
        "b": pa.array([null(x > 9000) for x in days], pa.bool_()),
        "gaps": pa.array([None if i // 700 % 2 else i for i in range(ROWS)], pa.int32()),
        "word": pa.array([r.choice(["alpha", "beta", "gamma", "delta"]) + str(i // 1500 * 2) for i in range(ROWS)], pa.string()),
        "even": pa.array([2 * r.randrange(10000) for _ in range(ROWS)], pa.int32()),
    }
    return pa.table(cols)


def main():
    a, b = table(1, True), table(2, False)
    common = dict(row_group_size=1500, data_page_size=600, write_batch_size=100, compression="snappy")
    pq.write_table(a, "skip/ordered.parquet", write_page_index=True, use_dictionary=["word", "s"], **common)
    pq.write_table(b, "skip/random.parquet", write_page_index=True, data_page_version="2.0", use_dictionary=["word", "even"], **common)
    pq.write_table(a, "skip/plain.parquet", use_dictionary=False, write_statistics=["d", "s", "u", "p"], row_group_size=1000, data_page_size=900, write_batch_size=64, compression="zstd")
    bloom = {c: True for c in ["n", "d", "ts", "s", "u", "w", "p", "even", "f"]}
    pq.write_table(b, "skip/bloom.parquet", bloom_filter_options=bloom, use_dictionary=False, row_group_size=600, compression="snappy")
    duckdb.sql("SET threads = 1")
    duckdb.sql("COPY b TO 'skip/duckdb.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048, COMPRESSION zstd)")


main()
