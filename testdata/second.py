#!/usr/bin/env python3
"""Writes second.tsv: what pyarrow says of columns that DuckDB refuses or misreads.

    python3 testdata/second.py FOLDER

FOLDER is the collection of real Parquet files, whose expected.jsonl has DuckDB's
answers. A line has, tab-separated: file, column, number of values, number of
distinct ones, minimum and maximum, as cells. Made with pyarrow 26.0.1.
"""

import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.dont_write_bytecode = True

import expect  # noqa: E402

# Files that DuckDB answers for, but not rightly or not in the file's own unit.
MISREAD = {
    "apache__arrow-testing/data__parquet__ARROW-17100.parquet",
    "apache__drill/exec__java-exec__src__test__resources__parquet__interval_dictionary.parquet",
    "apache__impala/testdata__data__int64_timestamps_nano.parquet",
    "apache__impala/testdata__data__out_of_range_time_of_day.parquet",
}


def values(path, leaf):
    """Returns a leaf column as an array of plain values, or None."""
    column = pq.ParquetFile(path, coerce_int96_timestamp_unit="us").read(columns=[leaf]).column(0)
    for name in leaf.split(".")[1:]:
        if not pa.types.is_struct(column.type):
            return None
        column = pc.struct_field(column, name)
    column = column.combine_chunks()
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_large_string(column.type) or pa.types.is_large_binary(column.type):
        column = column.cast(pa.string() if pa.types.is_large_string(column.type) else pa.binary())
    return None if pa.types.is_nested(column.type) else column


def key(scalar):
    """Returns what a scalar is ordered by."""
    if pa.types.is_string(scalar.type):
        return scalar.as_buffer().to_pybytes()
    return getattr(scalar, "value", None) if hasattr(scalar, "value") else scalar.as_py()


def facts(column):
    """Returns count, distinct, min and max as cells."""
    present = sorted((v for v in column if v.is_valid and not pa.types.is_null(v.type)), key=key)
    cells = [expect.cell(v) for v in present] or ["NULL"]
    return [str(len(present)), str(len(set(cells)) if present else 0), cells[0], cells[-1]]


def main(folder):
    lines = ["# Made by second.py; do not edit."]
    for text in open(folder / "expected.jsonl"):
        entry = json.loads(text)
        name = entry["file"].removeprefix("files/")
        doubtful = {c["name"] for c in entry.get("columns", []) if "error" in c}
        everything = "error" in entry or name in MISREAD
        if not doubtful and not everything:
            continue
        path = folder / entry["file"]
        try:
            schema = pq.ParquetFile(path).schema
            leaves = [schema.column(i) for i in range(len(schema))]
        except Exception:
            continue
        for leaf in leaves:
            if leaf.max_repetition_level > 0 or not (everything or leaf.path in doubtful):
                continue
            try:
                column = values(path, leaf.path)
            except Exception:
                continue
            if column is not None:
                lines.append("\t".join([name, leaf.path, *facts(column)]))
    (pathlib.Path(__file__).resolve().parent / "second.tsv").write_text("\n".join(lines) + "\n")


main(pathlib.Path(sys.argv[1]))
