"""Runs the queries in *.test with PostgreSQL and shows whose answers differ.

Run it by hand in the top folder of the repository, with pyarrow, and a server
that psql reaches by its usual environment variables (PGHOST and so on):

    python3 testdata/sql/postgres.py

Queries that PostgreSQL does not take (GROUP BY ALL, functions of other names) are
counted only. Known differences: sum of bigint is numeric there, so that its quotients
have fractions; date_trunc of a date has a time zone.
"""
import pathlib
import subprocess
import tempfile

import pyarrow.csv as csv
import pyarrow.parquet as pq

TABLES = {"testdata/sql/orders.parquet": "orders", "testdata/sql/left.parquet": "lefts", "testdata/sql/right.parquet": "rights", "testdata/trips.parquet": "trips"}
TYPES = {"int8": "smallint", "int16": "smallint", "int32": "integer", "int64": "bigint", "uint8": "smallint", "double": "float8", "float": "float4", "string": "text",
         "bool": "boolean", "date32[day]": "date"}


def psql(text):
    return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-F", "\t", "-P", "null=NULL"], input=text, capture_output=True, text=True)


def load(path, name):
    table = pq.read_table(path)
    keep = [f.name for f in table.schema if str(f.type) in TYPES or str(f.type).startswith(("decimal", "timestamp"))]
    table = table.select(keep)
    cols = ", ".join(f'"{f.name}" {TYPES.get(str(f.type), "numeric" if str(f.type).startswith("decimal") else "timestamp")}' for f in table.schema)
    with tempfile.NamedTemporaryFile(suffix=".csv") as f:
        csv.write_csv(table, f.name, csv.WriteOptions(include_header=False))
        out = psql(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({cols});\n\\copy {name} FROM '{f.name}' CSV\n")
        if out.returncode:
            raise SystemExit(out.stderr)


def cell(text):
    text = {"t": "true", "f": "false"}.get(text, text)
    if text.startswith("{") and text.endswith("}"):
        return "[" + text[1:-1].replace(",", " ") + "]"
    try:
        return "%.9g" % float(text)
    except ValueError:
        return text.removesuffix(" 00:00:00")


def main():
    for path, name in TABLES.items():
        load(path, name)
    same = refused = 0
    for path in sorted(pathlib.Path("testdata/sql").glob("*.test")):
        for entry in path.read_text().strip("\n").split("\n\n"):
            head, _, rest = entry.partition("\n")
            if not head.startswith("query"):
                continue
            query, _, answer = rest.partition("\n----")
            text = query
            for file, name in TABLES.items():
                text = text.replace(f"'{file}'", name)
            out = psql(text + ";\n")
            if out.returncode:
                refused += 1
                continue
            want = [[cell(c) for c in row.split("\t")] for row in answer.split("\n")[1:]]
            got = [[cell(c) for c in row.split("\t")] for row in out.stdout.split("\n")[:-1]]
            if "any order" in head or "ORDER BY" not in query:
                want, got = sorted(want), sorted(got)
            if want == got:
                same += 1
            else:
                print(f"{path}: {query}\n  have {want}\n  PostgreSQL {got}")
    print(same, "answers are the same,", refused, "queries are not taken")


if __name__ == "__main__":
    main()
