"""The queries whose rows have an order, or are not grouped: their blocks, and
DuckDB's answers, in order.

Where colagg's rules decide what SQL leaves open, the query to DuckDB says so:
NULLs first with desc, ties by the keys of a grouping, else by the place in the
input.
"""

import hashlib
import re

import pyarrow.parquet as pq

import expect

ALL = {}


def script(function):
    """Registers a function that yields the blocks of one script."""
    ALL[function.__name__] = function
    return function


def rows(title, files, select=(), order=(), **more):
    """A block without a grouping."""
    return dict(title=title, files=files.split(), select=list(select), by=[], aggs=[], order=list(order), **more)


def groups(title, files, by, aggs, order=(), **more):
    """A block with one."""
    return dict(title=title, files=files.split(), select=[], by=list(by), aggs=list(aggs), order=list(order), **more)


def explicit(entry):
    """Says where NULLs go."""
    words = entry.lower().split()
    if "nulls" in words:
        return entry
    return entry + (" nulls first" if "desc" in words else " nulls last")


def sql(paths, block):
    """Returns the query for DuckDB."""
    columns = list(block["select"]) or [*block["by"], *block["aggs"]]
    source = f"read_parquet({[str(p) for p in paths]}, filename = true, file_row_number = true)"
    distinct = block.get("distinct", False)
    order = [explicit(o) for o in block["order"]]
    if block["by"]:
        order += [f"{b} nulls last" for b in block["by"]]
    elif block["select"] and not distinct:
        order += ["list_position(" + str([str(p) for p in paths]) + ", filename)", "file_row_number"]
    elif distinct:
        order += [f"{i + 1} nulls last" for i in range(len(columns))]
    text = f"select {'distinct ' if distinct else ''}{', '.join(columns)} from {source}"
    if block["by"]:
        text += " group by " + ", ".join(block["by"])
    if order:
        text += " order by " + ", ".join(order)
    if "limit" in block:
        text += f" limit {block['limit']}"
    return text + f" offset {block.get('offset', 0)}"


def header(paths, block):
    """Returns the lines of names and of types."""
    if not block["select"]:
        return expect.header(paths, block["by"], block["aggs"])
    schema = pq.read_schema(paths[0])
    names, types = [], []
    for entry in block["select"]:
        column, _, alias = entry.partition(" as ")
        names.append(alias or column.replace('"', ""))
        types.append(expect.type_name(expect.leaf(schema, column)))
    return ["\t".join(names), "\t".join(types)]


def render(connection, folder, block):
    """Returns the text of a block."""
    paths = [folder / f"{name}.parquet" for name in block["files"]]
    lines = [f"== {block['title']}"] + [f"from {name}.parquet" for name in block["files"]]
    for word, key in [("select", "select"), ("by", "by"), ("agg", "aggs"), ("order", "order")]:
        lines += [f"{word} {entry}" for entry in block[key]]
    for word in ["limit", "offset"]:
        if word in block:
            lines.append(f"{word} {block[word]}")
    if block.get("distinct"):
        lines.append("distinct")
    answer = connection.sql(sql(paths, block)).to_arrow_table()
    cells = ["\t".join(expect.cell(column[r]) for column in answer.columns) for r in range(answer.num_rows)]
    if len(cells) > 60:
        # Whole floats have no point in the tests' cells.
        lines_in_order = [re.sub(r"(?<=\d)\.0(?=\t|$)", "", line) for line in cells]
        digest = hashlib.sha256("\n".join(lines_in_order).encode()).hexdigest()
        cells = [f"sha256 of {len(cells)} rows in order: {digest}"]
    return [*lines, "--", *header(paths, block), *cells]


DIRECTIONS = ["", " desc", " nulls first", " desc nulls last"]


def each_way(title, files, columns, keys=None, **more):
    """Orders by each column in each direction."""
    for k in keys or columns:
        for way in DIRECTIONS:
            yield rows(f"{title}: {k}{way}", files, columns, [k + way], **more)


@script
def types():
    yield from each_way("floats", "special_floats", ["f64", "f32", "f16", "s", "k"])
    yield from each_way("integers", "integers", ["k", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
    yield from each_way("decimals", "decimals", ["k", "d9", "d18", "d36", "cents"])
    yield from each_way("texts", "valid_texts", ["a", "b", "c", "d", "v"])
    yield from each_way("times", "times", ["n", "tms", "zms", "tus", "zus", "tns", "zns", "d", "far", "cms", "cus", "cns"])
    yield from each_way("nulls of every type", "null_keys", ["i", "u", "f", "s", "b", "d", "m", "v"])


@script
def keys():
    trips = ["id", "city", "vendor", "day", "fare", "tip", "paid"]
    yield rows("two texts", "trips", trips, ["city", "vendor desc"])
    yield rows("text, decimal, date", "trips", trips, ["city desc nulls last", "tip", "day desc"])
    yield rows("three columns", "trips", trips, ["paid desc", "vendor nulls first", "fare desc"])
    yield rows("by number", "trips", trips, ["3 desc", "1 desc"])
    yield rows("by alias", "trips", ["fare as cost", "city as fare"], ["fare", "cost desc"], limit=50)
    yield rows("a field of a struct", "trips", ["payment.method", "id"], ["payment.method nulls first", "id desc"], limit=40)
    yield rows("all of three columns", "null_keys", ["i", "s", "m", "v"], ["s", "m desc", "i nulls first", "v desc"])
    yield rows("ties stay in their places", "trips", ["city", "id"], ["city"])
    yield rows("ties of few values", "many", ["seven", "apart"], ["seven desc"])
    yield rows("several files", "parts/p3 parts/p1 parts/p2", ["k", "v"], ["k"])
    yield rows("a random column of many", "many", ["apart", "text", "v"], ["apart"])
    yield rows("a text column of many", "many", ["text", "apart"], ["text desc"])
    yield rows("no rows", "no_rows", ["k", "x"], ["x"])
    yield rows("empty row groups", "empty_groups", ["x", "s"], ["s desc", "x"])


@script
def limits():
    for limit in [1, 7, 40]:
        for way in DIRECTIONS:
            yield rows(f"the first {limit} fares{way}", "trips", ["fare", "id"], ["fare" + way], limit=limit)
            yield rows(f"the first {limit} cities{way}", "trips", ["city", "id"], ["city" + way], limit=limit)
    yield rows("behind some", "many", ["apart", "v"], ["v desc"], limit=20, offset=12_345)
    yield rows("behind nearly all", "many", ["apart", "v"], ["v desc", "apart"], limit=20, offset=39_990)
    yield rows("behind all", "many", ["apart", "v"], ["v"], limit=20, offset=40_000)
    yield rows("no rows wanted of some", "trips", ["id"], ["id desc"], limit=10, offset=4995)
    yield rows("many rows wanted", "many", ["text", "apart"], ["text"], limit=30_000)
    yield rows("all rows behind one", "many", ["text", "apart"], ["text desc"], offset=1)
    yield rows("without order", "trips", ["id", "city", "tip"], limit=12)
    yield rows("without order, behind some", "many", ["apart", "text"], limit=50, offset=20_001)
    yield rows("without order over files", "parts/p3 parts/p1 parts/p2", ["k", "v"], limit=5, offset=2)


@script
def selected():
    yield rows("one column", "gaps", ["x"])
    yield rows("the same column twice", "empty_groups", ["x as a", "s", "x as b"])
    yield rows("every type", "null_keys", ["i", "u", "f", "s", "b", "d", "m", "v"])
    yield rows("times", "times", ["n", "tms", "zus", "tns", "d", "far", "cms", "cns"])
    yield rows("texts", "valid_texts", ["v", "a", "b", "c"])
    yield rows("fields of structs", "nested", ["k", "a.b.c", "a.e", "v"])
    yield rows("many rows", "many", ["apart", "dense", "seven", "text", "skew", "v"])
    yield rows("very many rows", "nulls", ["k", "f", "i", "s", "b", "d"])
    yield rows("several files", "parts/p3 parts/p1 parts/p2", ["v", "k"])
    yield rows("no rows", "no_rows", ["x", "k"])


@script
def distinct():
    for c in ["i", "u", "f", "s", "b", "d", "m"]:
        yield rows(f"values of {c}", "null_keys", [c], [c], distinct=True)
    yield rows("pairs", "trips", ["city", "vendor"], ["vendor desc", "city"], distinct=True)
    yield rows("pairs, ordered by one", "trips", ["vendor", "city"], ["vendor desc"], distinct=True)
    yield rows("floats", "special_floats", ["f64"], ["f64 desc"], distinct=True)
    yield rows("floats of 32 bits", "special_floats", ["f32"], ["1 nulls first"], distinct=True)
    yield rows("without order", "trips", ["city", "passengers"], distinct=True)
    yield rows("some of many", "many", ["text"], ["text"], distinct=True, limit=50, offset=9000)
    yield rows("many", "many", ["skew", "seven"], ["skew desc"], distinct=True)
    yield rows("more than are sorted anyway", "many", ["dense", "seven"], ["seven"], distinct=True)
    yield rows("no rows", "no_rows", ["k"], ["k"], distinct=True)


@script
def grouped():
    yield groups("by an aggregate", "trips", ["city"], ["count(*) as n", "sum(tip) as t"], ["n desc"])
    yield groups("by its call", "trips", ["city", "vendor"], ["sum(tip) as t", "max(fare) as m"], ["sum(tip) desc", "city"])
    yield groups("by its number", "trips", ["city", "vendor"], ["sum(tip) as t", "max(fare) as m"], ["4", "1 desc"])
    yield groups("by a key", "trips", ["city", "vendor"], ["count(*) as n"], ["city desc nulls last"])
    yield groups("the largest", "trips", ["city", "vendor", "passengers"], ["count(*) as n"], ["n desc"], limit=10)
    yield groups("the next", "trips", ["city", "vendor", "passengers"], ["count(*) as n"], ["n desc"], limit=10, offset=10)
    yield groups("nothing", "no_rows", ["k"], ["count(*) as n"], ["n"])
    yield groups("one row", "no_rows", [], ["count(*) as n", "max(x) as m"], ["n"])
    yield groups("ties go by the keys", "many", ["text"], ["count(*) as n"], ["n desc"])
    yield groups("many groups by key", "many", ["apart"], ["max(text) as t"], ["apart desc"])
    yield groups("many groups by text", "many", ["apart"], ["max(text) as t"], ["t"])
    yield groups("the first of many groups", "many", ["apart"], ["max(text) as t", "sum(v) as s"], ["s desc", "t"], limit=30)
    yield groups("behind many groups", "many", ["dense", "seven"], ["min(v) as s"], ["s"], limit=30, offset=15_000)
    yield groups("groups of NULL values", "nulls", ["k"], ["min(f) as f", "max(s) as s", "count(i) as n"], ["s desc", "f"])
