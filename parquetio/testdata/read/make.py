"""Writes the files of this folder and what they hold.

Run with pyarrow 26.0.1 and DuckDB 2.0.1: python3 make.py

Two tables, "full" and "nulls" (the same columns with NULLs), are written in
many ways. <table>.json has the values of each column, in hexadecimal as an
Arrow vector holds them, lowest byte first; null is NULL. A file's name begins
with its table; a file with fewer columns has a part of them.
"""

import datetime as dt
import decimal
import json
import random
import struct

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 67
rnd = random.Random(7)


def utf8(i):
    return ["", "a", "Zürich", "zebra", "zebras", "日本", "long " * 5][i % 7] + (str(i) if i % 3 else "")


def number(bits, signed):
    lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    edge = [lo, hi, 0, 1]
    return lambda i: edge[i] if i < 4 else rnd.choice([rnd.randint(lo, hi), rnd.randint(0, 9)])


def exact(precision, scale):
    top = 10**precision - 1
    values = [top, -top, 0, 1, -1]
    with decimal.localcontext(prec=80):
        pick = lambda i: values[i] if i < 5 else rnd.randint(-top, top) // 10 ** rnd.randint(0, precision - 1)
        return lambda i: decimal.Decimal(pick(i)).scaleb(-scale, context=decimal.Context(prec=80))


FLOATS = [0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 2.25, -7.0]
DAY = dt.date(1969, 12, 28)
COLUMNS = [
    ("bool", pa.bool_(), lambda i: i % 3 == 0),
    ("int8", pa.int8(), number(8, True)),
    ("int16", pa.int16(), number(16, True)),
    ("int32", pa.int32(), number(32, True)),
    ("int64", pa.int64(), number(64, True)),
    ("uint8", pa.uint8(), number(8, False)),
    ("uint16", pa.uint16(), number(16, False)),
    ("uint32", pa.uint32(), number(32, False)),
    ("uint64", pa.uint64(), number(64, False)),
    ("float16", pa.float16(), lambda i: FLOATS[i % 8]),
    ("float32", pa.float32(), lambda i: FLOATS[i % 8]),
    ("float64", pa.float64(), lambda i: FLOATS[i % 8] + i),
    ("decimal9", pa.decimal128(9, 2), exact(9, 2)),
    ("decimal18", pa.decimal128(18, 0), exact(18, 0)),
    ("decimal38", pa.decimal128(38, 10), exact(38, 10)),
    ("decimal76", pa.decimal256(76, 38), exact(76, 38)),
    ("date", pa.date32(), lambda i: DAY + dt.timedelta(days=i % 9)),
    ("time_ms", pa.time32("ms"), lambda i: i * 1001 % 86400000),
    ("time_us", pa.time64("us"), lambda i: i * 1000001 % 86400000000),
    ("time_ns", pa.time64("ns"), lambda i: i * 1000000001),
    ("stamp_ms", pa.timestamp("ms"), lambda i: (i - 5) * 86400001),
    ("stamp_us", pa.timestamp("us", "UTC"), lambda i: (i - 5) * 86400000001),
    ("stamp_ns", pa.timestamp("ns"), lambda i: (i % 5 - 2) * 86400000000001),
    ("string", pa.string(), lambda i: utf8(i)),
    ("tag", pa.string(), lambda i: ["x", "yy", "", "zzz"][i * i % 4]),
    ("binary", pa.binary(), lambda i: bytes([i, 255 - i]) * (i % 4)),
    ("fixed", pa.binary(5), lambda i: bytes([i % 6] * 5)),
    ("null", pa.null(), lambda i: None),
]
TYPES = {name: t for name, t, _ in COLUMNS}


def missing(name, i):
    """Where the table "nulls" has none: a run, then now and then, then all."""
    return i < 9 or (hash_(name) + i) % 5 == 0 or i > ROWS - 12


def hash_(name):
    return sum(map(ord, name))


def table(nulls):
    rnd.seed(7)
    arrays, fields = [], []
    for name, t, value in COLUMNS:
        values = [value(i) for i in range(ROWS)]
        if nulls:
            values = [None if missing(name, i) else v for i, v in enumerate(values)]
        arrays.append(pa.array(values, t))
        fields.append(pa.field(name, t, nullable=nulls or name == "null"))
    # a.b.c: the struct a, then the struct b, then the leaf may be missing.
    leaf = pa.array([None if nulls and i % 4 == 3 else i for i in range(ROWS)], pa.int64())
    inner = pa.StructArray.from_arrays(
        [leaf], fields=[pa.field("c", pa.int64(), nulls)], mask=pa.array([nulls and i % 4 == 2 for i in range(ROWS)])
    )
    outer = pa.StructArray.from_arrays(
        [inner],
        fields=[pa.field("b", inner.type, nulls)],
        mask=pa.array([nulls and i % 4 == 1 for i in range(ROWS)]),
    )
    arrays.append(outer)
    fields.append(pa.field("a", outer.type, nulls))
    return pa.table(arrays, schema=pa.schema(fields))


def rows(t):
    """The values of all columns, in hexadecimal."""
    out = {}
    for name in t.column_names:
        a = t[name].combine_chunks()
        if name == "a":
            out["a.b.c"] = [
                None if v is None or v["b"] is None or v["b"]["c"] is None else struct.pack("<q", v["b"]["c"]).hex()
                for v in a.to_pylist()
            ]
            continue
        valid = a.is_valid().to_pylist()
        out[name] = [raw(a, i).hex() if ok else None for i, ok in enumerate(valid)]
    return out


def raw(a, i):
    t = a.type
    if pa.types.is_boolean(t):
        return bytes([a[i].as_py()])
    if pa.types.is_string(t):
        return a[i].as_py().encode()
    if pa.types.is_binary(t):
        return a[i].as_py()
    w = t.bit_width // 8
    return a.buffers()[1].to_pybytes()[i * w : i * w + w]


DELTA = {
    n: "DELTA_BINARY_PACKED"
    for n in TYPES
    if "int" in n or n in ("date", "time_ms", "time_us", "time_ns", "stamp_ms", "stamp_us", "stamp_ns")
}
DELTA.update(string="DELTA_BYTE_ARRAY", tag="DELTA_LENGTH_BYTE_ARRAY", binary="DELTA_BYTE_ARRAY", fixed="DELTA_BYTE_ARRAY")
DELTA.update(bool="RLE", decimal38="DELTA_BYTE_ARRAY")
SPLIT = {
    n: "BYTE_STREAM_SPLIT"
    for n in TYPES
    if n not in ("bool", "string", "tag", "binary", "null")
}
WAYS = {
    "plain": dict(use_dictionary=False),
    "dictionary": dict(),
    "fallback": dict(dictionary_pagesize_limit=60),
    "delta": dict(use_dictionary=False, column_encoding=DELTA),
    "split": dict(use_dictionary=False, column_encoding=SPLIT),
    "integers": dict(store_decimal_as_integer=True, use_dictionary=["decimal9"]),
}
FEW = ["bool", "int64", "string", "fixed"]
SUMMED = ["bool", "int32", "float64", "string", "fixed"]


def write(t, path, **kw):
    options = dict(
        store_schema=False, write_statistics=False, compression="none", data_page_size=1, write_batch_size=16,
        row_group_size=50,
    )
    pq.write_table(t, path, **{**options, **kw})


def main():
    for name, nulls in ("full", False), ("nulls", True):
        t = table(nulls)
        with open(f"{name}.json", "w") as f:
            json.dump(rows(t), f, indent=0)
            f.write("\n")
        for way, kw in WAYS.items():
            for version in "1.0", "2.0":
                write(t, f"{name}_{way}_v{version[0]}.parquet", data_page_version=version, **kw)
        few = t.select(FEW)
        for codec in "snappy", "gzip", "zstd", "brotli", "lz4":
            for version in "1.0", "2.0":
                write(few, f"{name}_{codec}_v{version[0]}.parquet", compression=codec, data_page_version=version,
                      use_dictionary=["string"], write_page_checksum=codec == "snappy")
        for way in ("plain", "dictionary") if nulls else ("delta",):
            some = {k: v for k, v in WAYS[way].items() if k != "column_encoding"}
            if way == "delta":
                some["column_encoding"] = {n: DELTA[n] for n in SUMMED if n in DELTA}
            write(t.select(SUMMED), f"{name}_sums_{way}.parquet", data_page_version="2.0" if way == "dictionary" else "1.0",
                  write_page_checksum=True, **some)
        with pq.ParquetWriter(f"{name}_gaps.parquet", few.schema, store_schema=False) as w:
            for part in few[:0], few[:25], few[:0], few[:0], few[25:], few[:0]:
                w.write_table(part)
        duckdb.register("few", few)
        duckdb.sql(f"copy few to '{name}_duckdb.parquet' (format parquet, parquet_version v2)")


main()
