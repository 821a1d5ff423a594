"""Writes pages.txt: pages of files that pyarrow and DuckDB wrote, with their values.

Each line has, separated by blanks: writer, column, data page version, highest
definition level, encoding, physical type, number of rows, bytes of definition
levels (version 2), dictionary page, data page, values. Bytes are in hex; values
are their bytes in hex, joined by commas, with - for NULL and _ for no bytes.
Written with pyarrow 26.0.1 and DuckDB 2.0.1.
"""

import os
import struct
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ENCODINGS = ["PLAIN", "", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
             "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"]


class Thrift:
    """The compact protocol, as far as page headers use it."""

    def __init__(self, b, pos):
        self.b, self.pos = b, pos

    def byte(self):
        self.pos += 1
        return self.b[self.pos - 1]

    def varint(self):
        v = shift = 0
        while True:
            x = self.byte()
            v |= (x & 127) << shift
            shift += 7
            if x < 128:
                return v

    def struct(self):
        out, last = {}, 0
        while (h := self.byte()) != 0:
            last = last + (h >> 4) if h >> 4 else self.zigzag()
            out[last] = self.value(h & 15)
        return out

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            n = self.varint()
            self.pos += n
            return self.b[self.pos - n:self.pos]
        if kind == 12:
            return self.struct()
        raise ValueError(kind)


def pages(path, column):
    """Yields (version, values, encoding, definition bytes, dictionary, body)."""
    meta = pq.ParquetFile(path).metadata
    dictionary = b""
    data = open(path, "rb").read()
    for g in range(meta.num_row_groups):
        chunk = meta.row_group(g).column(column)
        assert chunk.compression == "UNCOMPRESSED"
        pos = chunk.dictionary_page_offset or chunk.data_page_offset
        end = pos + chunk.total_compressed_size
        while pos < end:
            t = Thrift(data, pos)
            head = t.struct()
            body = data[t.pos:t.pos + head[3]]
            pos = t.pos + head[3]
            if head[1] == 2:
                dictionary = body
            elif head[1] == 0:
                yield 1, head[5][1], ENCODINGS[head[5][2]], 0, dictionary, body
            elif head[1] == 3:
                yield 2, head[8][1], ENCODINGS[head[8][4]], head[8][5], dictionary, body


def raw(v, physical):
    if v is None:
        return "-"
    kind = physical.split(":")[0]
    if kind in ("INT32", "INT64", "FLOAT", "DOUBLE"):
        return struct.pack({"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d"}[kind], v).hex()
    if kind == "BOOLEAN":
        return "01" if v else "00"
    if isinstance(v, str):
        v = v.encode()
    return v.hex() or "_"


def emit(out, writer, path, columns):
    schema = pq.ParquetFile(path).schema
    for i, values in enumerate(columns):
        column, at = schema.column(i), 0
        physical = column.physical_type
        if physical == "FIXED_LEN_BYTE_ARRAY":
            physical = f"FIXED_LEN_BYTE_ARRAY:{column.length}"
        for version, n, encoding, levels, dictionary, body in pages(path, i):
            print(writer, column.path, version, column.max_definition_level, encoding, physical, n, levels,
                  dictionary.hex() or "_", body.hex() or "_",
                  ",".join(raw(v, physical) for v in values[at:at + n]), file=out)
            at += n
        assert at == len(values)


def sparse(values, every):
    return [None if i % every == every - 1 else v for i, v in enumerate(values)]


def samples():
    n = 150
    ints = [(i * 2654435761) % 2**32 - 2**31 for i in range(n)]
    small = [i // 7 for i in range(n)]
    longs = [2**63 - 1, -2**63, 0, -1, 1] + [(i * 11400714819323198485) % 2**64 - 2**63 for i in range(n - 5)]
    words = [f"https://example.org/{'a' * (i % 9)}/{i * i}" if i % 6 else "" for i in range(n)]
    return [
        ("int32", pa.int32(), ints, "DELTA_BINARY_PACKED"),
        ("small", pa.int32(), sparse(small, 10), "DELTA_BINARY_PACKED"),
        ("int64", pa.int64(), longs, "DELTA_BINARY_PACKED"),
        ("one", pa.int64(), [None] * 70 + [42] + [None] * 79, "DELTA_BINARY_PACKED"),
        ("none", pa.int64(), [None] * n, "DELTA_BINARY_PACKED"),
        ("length", pa.string(), sparse(words, 4), "DELTA_LENGTH_BYTE_ARRAY"),
        ("prefix", pa.string(), sparse(sorted(words), 5), "DELTA_BYTE_ARRAY"),
        ("fixed", pa.binary(5), [b"%05d" % (i * 3) for i in range(n)], "DELTA_BYTE_ARRAY"),
        ("split4", pa.float32(), sparse([i / 4 for i in range(n)], 3), "BYTE_STREAM_SPLIT"),
        ("split8", pa.float64(), [i / 3 for i in range(n)], "BYTE_STREAM_SPLIT"),
        ("splitint", pa.int32(), ints, "BYTE_STREAM_SPLIT"),
        ("splitfixed", pa.binary(11), [b"%011d" % (i * i) for i in range(n)], "BYTE_STREAM_SPLIT"),
        ("rle", pa.bool_(), sparse([i % 50 < 20 or i % 3 == 0 for i in range(n)], 7), "RLE"),
        ("bool", pa.bool_(), [i % 5 < 2 for i in range(n)], "PLAIN"),
        ("plain", pa.string(), sparse(words, 9), "PLAIN"),
        ("dictionary", pa.string(), sparse([f"name {i * i % 31}" for i in range(n)], 8), None),
        ("dictionary64", pa.int64(), [i * i % 300 for i in range(n)], None),
        ("constant", pa.string(), ["same"] * n, None),
    ]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "pages.txt"), "w") as out, tempfile.TemporaryDirectory() as tmp:
        table = pa.table([pa.array(v, t) for _, t, v, _ in samples()], names=[s[0] for s in samples()])
        for version in ("1.0", "2.0"):
            path = os.path.join(tmp, "a.parquet")
            pq.write_table(table, path, compression="none", data_page_version=version, data_page_size=400,
                           write_batch_size=100, store_schema=False,
                           use_dictionary=[s[0] for s in samples() if s[3] is None],
                           column_encoding={s[0]: s[3] for s in samples() if s[3]})
            emit(out, "pyarrow", path, [s[2] for s in samples()])
        nested = [None if i % 11 == 0 else {"x": None if i % 4 == 0 else i} for i in range(100)]
        path = os.path.join(tmp, "n.parquet")
        pq.write_table(pa.table({"s": pa.array(nested, pa.struct([("x", pa.int32())]))}), path, compression="none")
        emit(out, "pyarrow", path, [[None if v is None else v["x"] for v in nested]])

        path = os.path.join(tmp, "d.parquet")
        duckdb.sql(f"""copy (select (i * 37 % 1000)::int as i, (i * i * 1000003)::bigint as l, (i / 7)::double as d,
            case when i % 5 > 0 then 'value ' || (i * 7919 % 1000) end as s, i % 3 = 0 as b, 'name ' || (i % 4) as k
            from range(300) t(i)) to '{path}' (format parquet, compression uncompressed, parquet_version v2,
            dictionary_size_limit 10)""")
        rows = duckdb.sql(f"from '{path}'").fetchall()
        emit(out, "duckdb", path, [[r[k] for r in rows] for k in range(len(rows[0]))])


main()
