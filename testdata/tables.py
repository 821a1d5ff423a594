"""Writes the small Parquet files that the scripts beside it query.

Each function makes one file, the same on every run; ALL lists them.
"""

import datetime
import decimal
import random
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

D = decimal.Decimal


def save(path, table, **options):
    """Writes a table without the Arrow schema, which other writers lack too."""
    pq.write_table(table, path, **({"store_schema": False, "compression": "zstd"} | options))


def floats(bits, code, kind):
    """Returns an array of floats with exactly these bits; None is NULL."""
    raw = b"".join(struct.pack("<" + code, b or 0) for b in bits)
    values = np.frombuffer(raw, dtype=kind)
    return pa.array(values, mask=np.array([b is None for b in bits]), from_pandas=False)


def strings(values, kind=pa.string()):
    """Returns an array of these bytes, which need not be valid UTF-8."""
    plain = pa.array(values, pa.binary())
    return pa.Array.from_buffers(kind, len(plain), plain.buffers(), plain.null_count)


def integers(path):
    """Every width with its limits; sums that do not fit the input's type."""
    limits = {t: (np.iinfo(t).min, np.iinfo(t).max) for t in ("int8", "int16", "int32", "uint8", "uint16", "uint32")}
    cols = {"k": pa.array(["a", "a", "b", None, "b", "a", "c"])}
    for name, (lo, hi) in limits.items():
        cols[name] = pa.array([hi, hi, lo, 1, None, lo + 1, None], pa.type_for_alias(name))
    cols["int64"] = pa.array([2**62, 2**62 - 1, -(2**63), 1, None, 0, None], pa.int64())
    cols["uint64"] = pa.array([2**64 - 2, 1, 2**64 - 1, 0, None, 0, None], pa.uint64())
    cols["big32"] = pa.array([1073741833, 1073741833, None, None, None, None, None], pa.int32())
    cols["bigu32"] = pa.array([2000000000, 2000000000, 2000000000, None, None, None, None], pa.uint32())
    save(path, pa.table(cols), row_group_size=3)


def wraps(path):
    """Sums of int64 that leave the type on the way and come back, by key."""
    top = 2**63 - 1
    rows = [("back", top), ("back", top), ("low", -top), ("back", -top), ("low", -top), ("low", top - 1), ("avg", 10**18 + 2)]
    rows.append(("avg", 10**18 + 4))
    save(path, pa.table({"k": [k for k, _ in rows], "v": pa.array([v for _, v in rows], pa.int64())}), row_group_size=2)


def overflow(path):
    """Sums beyond int64 and uint64."""
    cols = {"v": pa.array([2**63 - 1, 1], pa.int64()), "u": pa.array([2**64 - 1, 1], pa.uint64())}
    cols["small"] = pa.array([1, 2], pa.int64())
    save(path, pa.table(cols))


def narrow(path):
    """100,000 rows of int8 and 1,025 of uint16 in one group."""
    n = 100_000
    one = pa.array(np.ones(n, np.int8))
    b = pa.array([63] * 10_000 + [None] * (n - 10_000), pa.int8())
    w = pa.array([64] * 1025 + [None] * (n - 1025), pa.uint16())
    d = pa.array([D(99999)] * 21476 + [None] * (n - 21476), pa.decimal128(5, 0))
    save(path, pa.table({"one": one, "b": b, "w": w, "d": d}), row_group_size=30_000)


def decimals(path):
    """Decimals stored as INT32, INT64 and byte arrays of 16 and 32 bytes."""
    rng = random.Random(5)
    n = 200

    def column(precision, scale, nulls):
        hi = 10**precision - 1
        values = [D(rng.randint(-hi, hi)).scaleb(-scale) if rng.random() > nulls else None for _ in range(n)]
        values[0] = D(hi).scaleb(-scale)
        values[1] = D(-hi).scaleb(-scale)
        return values

    decimal.getcontext().prec = 100
    cols = {"k": pa.array([rng.randrange(5) for _ in range(n)], pa.int32())}
    for precision, scale, kind in [(9, 2, pa.decimal128), (18, 4, pa.decimal128), (36, 9, pa.decimal128), (74, 10, pa.decimal256)]:
        cols[f"d{precision}"] = pa.array(column(precision, scale, 0.1), kind(precision, scale))
    cols["cents"] = pa.array([D(rng.randrange(6)) / 100 for _ in range(n)], pa.decimal128(7, 2))
    save(path, pa.table(cols), store_decimal_as_integer=True, row_group_size=70)


def decimal_overflow(path):
    """Sums that do not fit 128 bits, and one that does not fit 38 digits."""
    nines = 10**38 - 1
    cols = {"v": pa.array([D(nines), D(nines)], pa.decimal128(38, 0)), "k": pa.array([1, 1], pa.int32())}
    save(path, pa.table(cols))


def special_floats(path):
    """NaN of several payloads, both zeros, infinities and NULL in all widths."""
    f64 = [0, 1 << 63, 0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001, None]
    f64 += [0x7FF0000000000000, 0xFFF0000000000000, 0x3FF8000000000000, 1]
    f32 = [0, 1 << 31, 0x7FC00000, 0x7FC00001, 0xFFC00000, 0x7F800001, None, 0x7F800000, 0xFF800000, 0x3FC00000, 1]
    f16 = [0, 1 << 15, 0x7E00, 0x7E01, 0xFE00, 0x7C01, None, 0x7C00, 0xFC00, 0x3E00, 1]
    cols = {"f64": floats(f64, "Q", np.float64), "f32": floats(f32, "I", np.float32), "f16": floats(f16, "H", np.float16)}
    n = len(f64)
    cols["s"] = pa.array(["z", "z", "n", "n", "n", "n", None, "i", "i", "x", "x"])
    cols["k"] = pa.array([0, 0, 1, 1, 1, 1, 2, 3, 4, 5, 5], pa.int32())
    assert all(len(c) == n for c in cols.values())
    save(path, pa.table(cols), row_group_size=4, use_dictionary=["f64"])


def many_nans(path):
    """200,000 NaN keys."""
    n = 200_000
    save(path, pa.table({"x": pa.array(np.full(n, np.nan)), "v": pa.array(np.ones(n, np.int8))}))


def cancelling(path):
    """A float sum whose terms cancel, one row group each."""
    rows = [1e16, 1.0, -1e16, 0.5, 1e100, 2.0, -1e100, 0.25]
    ks = ["a", "a", "a", "a", "b", "b", "b", "b"]
    save(path, pa.table({"k": ks, "x": pa.array(rows)}), row_group_size=1)


def texts(path):
    """Strings that look alike, invalid UTF-8, and binary columns."""
    values = ["", None, "NULL", "null", "é", "e\u0301", "ß", "SS", "ss", "🚕", "a", "A", "a ", " a", "a\0", "a\0b"]
    data = [v.encode() if v is not None else None for v in values]
    data += [b"he\xfflo", b"\xff", b"\xc3", b"x" * 70, b"x" * 69 + b"y"]
    data += data[:12] + [b"he\xfflo", b"x" * 70]
    n = len(data)
    cols = {"s": strings(data), "b": strings(data, pa.binary()), "n": pa.array(range(n), pa.int64())}
    fixed = [None if i % 5 == 4 else bytes([i % 3, 255, 0, i % 2]) for i in range(n)]
    cols["f"] = pa.array(fixed, pa.binary(4))
    cols["plain"] = cols["s"]
    save(path, pa.table(cols), row_group_size=12, use_dictionary=["s", "b", "f"])


def valid_texts(path):
    """Text keys, as another engine can read them too: short, long and shared prefixes."""
    rng = random.Random(11)
    words = ["".join(rng.choice("abcäß") for _ in range(rng.choice([1, 3, 8, 12, 13, 40]))) for _ in range(60)]
    n = 600
    cols = {
        "a": pa.array([rng.choice(words) for _ in range(n)]),
        "b": pa.array([rng.choice(words + [None, ""]) for _ in range(n)]),
        "c": pa.array([rng.choice([True, False, None]) for _ in range(n)]),
        "d": pa.array([rng.randrange(3) for _ in range(n)], pa.int8()),
        "v": pa.array([rng.randrange(-50, 50) for _ in range(n)], pa.int64()),
    }
    save(path, pa.table(cols), row_group_size=150, use_dictionary=["a", "c"], dictionary_pagesize_limit=200)


def times(path):
    """Dates, times and timestamps in every unit, with and without a zone."""
    utc = datetime.timezone.utc
    base = [
        datetime.datetime(2024, 3, 31, 23, 59, 59, 999000, tzinfo=utc),
        datetime.datetime(2024, 4, 1, tzinfo=utc),
        datetime.datetime(2024, 4, 1, 12, tzinfo=utc),
        datetime.datetime(1969, 12, 31, 23, 59, 59, 1000, tzinfo=utc),
        None,
        datetime.datetime(2024, 4, 1, tzinfo=utc),
    ]
    naive = [b and b.replace(tzinfo=None) for b in base]
    cols = {"n": pa.array(range(6), pa.int32())}
    for unit in ("ms", "us", "ns"):
        cols["t" + unit] = pa.array(naive, pa.timestamp(unit))
        cols["z" + unit] = pa.array(base, pa.timestamp(unit, "UTC"))
    cols["d"] = pa.array([n and n.date() for n in naive], pa.date32())
    far = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 3), None, datetime.datetime(1582, 10, 15)]
    cols["far"] = pa.array(far + far[:2], pa.timestamp("us"))
    clock = [n and n.time() for n in naive]
    cols["cms"] = pa.array(clock, pa.time32("ms"))
    cols["cus"] = pa.array(clock, pa.time64("us"))
    cols["cns"] = pa.array(clock, pa.time64("ns"))
    save(path, pa.table(cols), row_group_size=4)


def int96(path):
    """INT96 timestamps of the years 0001 to 9999 that 64-bit nanoseconds cannot hold."""
    far = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 3), None, datetime.datetime(2024, 2, 29, 12, 30, 1, 5)]
    save(path, pa.table({"t": pa.array(far, pa.timestamp("us"))}), use_deprecated_int96_timestamps=True)


def nulls(path):
    """Groups of 999, 1000, 1001 and 65537 rows without a value."""
    keys = []
    for k in (999, 1000, 1001, 65537):
        keys += [k] * k
    n = len(keys)
    cols = {"k": pa.array(keys, pa.int32()), "f": pa.nulls(n, pa.float64()), "i": pa.nulls(n, pa.int64())}
    cols |= {"s": pa.nulls(n, pa.string()), "b": pa.nulls(n, pa.bool_()), "d": pa.nulls(n, pa.decimal128(9, 2)), "u": pa.nulls(n)}
    save(path, pa.table(cols), row_group_size=20_000)


def null_keys(path):
    """NULL in every key column, beside zero and the empty string."""
    rng = random.Random(3)
    n = 300
    pick = lambda values: [rng.choice(values) for _ in range(n)]  # noqa: E731
    cols = {
        "i": pa.array(pick([None, 0, 1, -1]), pa.int64()),
        "u": pa.array(pick([None, 0, 255]), pa.uint8()),
        "f": pa.array(pick([None, 0.0, 1.5]), pa.float64()),
        "s": pa.array(pick([None, "", "x", "NULL"])),
        "b": pa.array(pick([None, True, False])),
        "d": pa.array(pick([None, datetime.date(1970, 1, 1), datetime.date(2000, 2, 29)]), pa.date32()),
        "m": pa.array(pick([None, D("0.00"), D("1.00")]), pa.decimal128(10, 2)),
        "v": pa.array(pick([None, 1, 2, 3, 5]), pa.int32()),
    }
    save(path, pa.table(cols), row_group_size=64)


def no_rows(path):
    """A schema without a row group."""
    pq.ParquetWriter(path, pa.schema([("k", pa.string()), ("x", pa.int64()), ("f", pa.float64())]), store_schema=False).close()


def gaps(path):
    """Row groups of 25, 0 and 25 rows."""
    schema = pa.schema([("x", pa.int64())])
    with pq.ParquetWriter(path, schema, store_schema=False) as w:
        for lo, hi in ((0, 25), (25, 25), (25, 50)):
            w.write_table(pa.table({"x": pa.array(range(lo, hi), pa.int64())}))
    assert [pq.read_metadata(path).row_group(i).num_rows for i in range(3)] == [25, 0, 25]


def empty_groups(path):
    """Row groups of 0, 25, 0 and 0 rows."""
    with pq.ParquetWriter(path, pa.schema([("x", pa.int64()), ("s", pa.string())]), store_schema=False) as w:
        for n in (0, 25, 0, 0):
            w.write_table(pa.table({"x": pa.array(range(n), pa.int64()), "s": pa.array(["a"] * n, pa.string())}))
    assert [pq.read_metadata(path).row_group(i).num_rows for i in range(4)] == [0, 25, 0, 0]


def names(path):
    """Column names that need quotes, that differ in case only, or look like a path."""
    cols = {
        "City": ["x", "y", "x", None],
        "amount": [1, 2, 3, 4],
        "Amount": [10, 20, 30, 40],
        "total:": [5, 6, 7, 8],
        "a.b": [1, 1, 2, 2],
        "with space": [7, 7, 7, 8],
        'say "hi"': [1, 2, 1, 2],
        "select": [3, 3, 4, 4],
        "größe": [1, 1, 1, 2],
        "count": [9, 9, 9, 9],
        "a,b": [0, 1, 0, 1],
    }
    save(path, pa.table(cols))


def nested(path):
    """Flat columns beside structs (two deep), lists and maps, with NULLs on each level."""
    inner = pa.struct([("c", pa.int64()), ("d", pa.string())])
    outer = pa.struct([("b", inner), ("e", pa.float64())])
    rows = [
        {"b": {"c": 1, "d": "x"}, "e": 0.5},
        {"b": {"c": None, "d": "y"}, "e": None},
        {"b": None, "e": 1.5},
        None,
        {"b": {"c": 1, "d": None}, "e": 2.5},
    ]
    lists = [[1, 2], [], None, [None], [3]]
    maps = [[("p", 1)], [], None, [("q", None)], [("p", 2), ("r", 3)]]
    cols = {
        "k": pa.array([1, 2, 1, 2, 1], pa.int32()),
        "a": pa.array(rows, outer),
        "l": pa.array(lists, pa.list_(pa.int64())),
        "m": pa.array(maps, pa.map_(pa.string(), pa.int64())),
        "v": pa.array([10, 20, 30, None, 50], pa.int64()),
    }
    save(path, pa.table(cols), row_group_size=2)


def many(path):
    """40,000 rows: keys of every number of groups from 7 to all rows."""
    rng = random.Random(9)
    n = 40_000
    ids = [(i * 7919) % n for i in range(n)]
    cols = {
        "apart": pa.array([i * 1_000_003 - 5_000_000 for i in ids], pa.int64()),
        "dense": pa.array([i // 2 for i in ids], pa.int32()),
        "seven": pa.array([i % 7 for i in ids], pa.int16()),
        "text": pa.array([f"key number {i % 18_000}" for i in ids]),
        "skew": pa.array([0 if rng.random() < 0.9 else i for i in ids], pa.int64()),
        "v": pa.array([i % 100 for i in range(n)], pa.int8()),
    }
    ints = ("apart", "dense", "skew")
    enc = {c: "DELTA_BINARY_PACKED" for c in ints} | {"text": "DELTA_BYTE_ARRAY", "v": "PLAIN"}
    save(path, pa.table(cols), row_group_size=9_000, use_dictionary=["seven"], column_encoding=enc)


def parts(path):
    """Three files of one schema with different dictionaries, the second one empty."""
    path.mkdir(exist_ok=True)
    schema = pa.schema([("k", pa.string()), ("v", pa.int64())])
    data = {"p1": (["a", "b", "a", None], [1, 2, 3, 4]), "p2": ([], []), "p3": (["c", "b", None, "d", "a"], [5, 6, 7, 8, None])}
    for name, (k, v) in data.items():
        save(path / f"{name}.parquet", pa.table([k, v], schema=schema))


ALL = {
    "integers": integers,
    "wraps": wraps,
    "overflow": overflow,
    "narrow": narrow,
    "decimals": decimals,
    "decimal_overflow": decimal_overflow,
    "special_floats": special_floats,
    "many_nans": many_nans,
    "cancelling": cancelling,
    "texts": texts,
    "valid_texts": valid_texts,
    "times": times,
    "int96": int96,
    "nulls": nulls,
    "null_keys": null_keys,
    "no_rows": no_rows,
    "gaps": gaps,
    "empty_groups": empty_groups,
    "names": names,
    "nested": nested,
    "many": many,
}
