"""Makes the inputs of the queries in *.test and fills in their answers.

Run it by hand in the top folder of the repository, with pyarrow and duckdb (2.0.1):

    python3 testdata/sql/make.py [FILE.test ...]

A file has entries of this form; this script writes what is below the dashes:

    query [in any order]
    SELECT …
    ----
    rows, with tabs between the values

    error TEXT OF THE MESSAGE
    SELECT …

    answer REASON          the rows below are ours: other engines differ
    SELECT …
    ----
    rows
"""
import datetime
import decimal
import pathlib
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path("testdata/sql")


def orders():
    items = ["pen", "book", "lamp", "desk", None]
    n = 60
    return pa.table({
        "id": pa.array(range(1, n + 1), pa.int32()),
        "customer": pa.array([None if i % 11 == 0 else f"c{i * 7 % 8}" for i in range(n)]),
        "item": pa.array([items[i * 3 % 5] for i in range(n)]),
        "quantity": pa.array([None if i % 13 == 5 else i * 5 % 9 for i in range(n)], pa.int64()),
        "price": pa.array([None if i % 17 == 3 else decimal.Decimal(i * 731 % 5000).scaleb(-2) for i in range(n)], pa.decimal128(9, 2)),
        "weight": pa.array([None if i % 19 == 4 else i * 0.75 % 10 for i in range(n)], pa.float64()),
        "day": pa.array([datetime.date(2024, 1, 1) + datetime.timedelta(days=i * 17 % 90) for i in range(n)]),
        "paid": pa.array([None if i % 7 == 6 else i % 3 > 0 for i in range(n)]),
    })


def sides():
    left = pa.table({"k": pa.array([1, 1, 1, 2, 2, 3, None, None, 4], pa.int64()), "t": ["a", "a", "a", "b", "b", "c", None, None, "d"]})
    right = pa.table({"k": pa.array([1, 1, 2, 2, 2, None, 5, 5], pa.int64()), "t": ["a", "a", "b", "b", "b", None, "e", "e"]})
    return left, right


def stamps():
    """Timestamps of the years 1 to 9999 in milliseconds and microseconds, and of those that nanoseconds have."""
    utc = datetime.timezone.utc
    far = [datetime.datetime(*t, tzinfo=utc) for t in [
        (1, 1, 1), (100, 2, 28, 23, 59, 59, 500000), (1582, 10, 15), (1969, 12, 31, 23, 59, 59, 999000), (2024, 2, 29, 12, 30), (2262, 4, 12), (9999, 12, 31, 23, 59, 59, 999000)]] + [None]
    near = [datetime.datetime(*t, tzinfo=utc) for t in [
        (1677, 9, 22), (1900, 3, 1, 1, 2, 3, 4), (1970, 1, 1), (1969, 12, 31, 23, 59, 59, 999999), (2024, 2, 29, 12, 30, 0, 1), (2024, 3, 31, 2, 30), (2262, 4, 11, 23, 47, 16)]] + [None]
    epoch = datetime.datetime(1970, 1, 1, tzinfo=utc)
    ticks = lambda ts, unit: [None if t is None else (t - epoch) // datetime.timedelta(microseconds=1) // unit for t in ts]
    nanos = [None if t is None else t * 1000 for t in ticks(near, 1)]
    digits = [None if t is None else t + 7 for t in nanos]
    return pa.table({
        "id": pa.array(range(1, 9), pa.int32()),
        "ms": pa.array(ticks(far, 1000), pa.timestamp("ms")),
        "us": pa.array(ticks(far, 1)[::-1], pa.timestamp("us")),
        "ns": pa.array(nanos, pa.timestamp("ns")),
        "fine": pa.array(digits, pa.timestamp("ns")),
        "z": pa.array(ticks(far, 1000), pa.timestamp("ms", "UTC")),
        "day": pa.array([t and t.date() for t in far], pa.date32()),
    })


def inputs():
    pq.write_table(stamps(), HERE / "stamps.parquet", row_group_size=3)
    pq.write_table(orders(), HERE / "orders.parquet", row_group_size=25)
    left, right = sides()
    pq.write_table(left, HERE / "left.parquet", row_group_size=4)
    pq.write_table(right, HERE / "right.parquet")


def spell(v):
    if v is None:
        return "NULL"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return "%.12g" % (v + 0.0)
    if isinstance(v, decimal.Decimal):
        return format(v.normalize() + 0, "f")
    if isinstance(v, list):
        return "[" + " ".join(spell(x) for x in v) + "]"
    return str(v)


def fill(path):
    db = duckdb.connect()
    db.execute("SET threads = 1")
    db.execute("SET preserve_insertion_order = true")
    db.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
    db.execute("SET integer_division = true")
    out = []
    for entry in path.read_text().split("\n\n"):
        entry = entry.strip("\n")
        head, _, rest = entry.partition("\n")
        if head.startswith("query"):
            query = rest.partition("\n----")[0]
            try:
                rows = ["\t".join(spell(v) for v in row) for row in db.execute(query).fetchall()]
            except Exception as e:
                sys.exit(f"{path}: {query}\n{e}")
            if "any order" in head:
                rows.sort()
            entry = "\n".join([head, query, "----"] + rows)
        out.append(entry)
    path.write_text("\n\n".join(out) + "\n")


if __name__ == "__main__":
    inputs()
    for p in sys.argv[1:] or sorted(HERE.glob("*.test")):
        fill(pathlib.Path(p))
