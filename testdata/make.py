#!/usr/bin/env python3
"""Makes everything in this folder: the Parquet files and the scripts.

    python3 testdata/make.py          all of it
    python3 testdata/make.py names    these scripts, from the files that are there

Made with Python 3.11, DuckDB 2.0.1, pyarrow 26.0.1, numpy 2.4.6. Expected answers come
from DuckDB and pyarrow, never from the program under test: that is why the
tests cannot rewrite them.
"""

import hashlib
import pathlib
import sys

sys.dont_write_bytecode = True

import expect  # noqa: E402
import filters  # noqa: E402
import ordered  # noqa: E402
import scripts  # noqa: E402
import tables  # noqa: E402
import trips  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def render(connection, block):
    """Returns the text of a block."""
    lines = [f"== {block['title']}"]
    lines += [f"from {name}" if name.endswith(("*", "/")) else f"from {name}.parquet" for name in block["files"]]
    lines += [f"by {key}" for key in block["by"]]
    lines += [f"agg {agg}" for agg in block["aggs"]]
    paths = [HERE / f"{name}.parquet" for name in block["files"]]
    if block["kind"] == "refused":
        return lines + ["error " + " | ".join(block["words"])]
    if block["kind"] == "spelled":
        answer = expect.spell(connection, paths, block["by"], block["calls"])
    elif block["kind"] == "told":
        answer = block["lines"]
    elif block["kind"] == "read":
        answer = expect.read(paths, block["by"], block["aggs"])
    else:
        answer = expect.ask(connection, paths, block["by"], block["aggs"])
    if "types" in block:  # where pyarrow gives the column another type
        answer[1] = "\t".join(block["types"])
    if block.get("digest"):
        rows = sorted(line.encode() for line in answer[2:])
        digest = hashlib.sha256(b"\n".join(rows)).hexdigest()
        return [*lines, "--", *answer[:2], f"sha256 of {len(rows)} rows: {digest}"]
    return [*lines, "--", *answer]


def main(wanted):
    if not wanted:
        trips.write(HERE / "trips.parquet")
        for name, make in tables.ALL.items():
            make(HERE / f"{name}.parquet")
        tables.parts(HERE / "parts")
        (HERE / "filters").mkdir(exist_ok=True)
        filters.table(HERE / "filters" / "values.parquet")
    connection = expect.connect()
    for name, blocks in scripts.ALL.items():
        if wanted and name not in wanted:
            continue
        text = ["# Made by make.py; do not edit.", ""]
        for block in blocks():
            text += [*render(connection, block), ""]
        (HERE / f"{name}.txt").write_text("\n".join(text))
    (HERE / "ordered").mkdir(exist_ok=True)
    for name, blocks in ordered.ALL.items():
        if wanted and name not in wanted:
            continue
        text = ["# Made by make.py; do not edit.", ""]
        for block in blocks():
            text += [*ordered.render(connection, HERE, block), ""]
        (HERE / "ordered" / f"{name}.txt").write_text("\n".join(text))
    for name in filters.SCRIPTS:
        if not wanted or name in wanted:
            (HERE / "filters" / f"{name}.txt").write_text(filters.script(connection, HERE / "filters" / "values.parquet", name))


main(sys.argv[1:])
