"""A table of awkward values, conditions over it, and for which rows DuckDB finds
them true.

Where colagg's rules are PostgreSQL's and not DuckDB's, the query to DuckDB says
so: / of integers is //, integers are computed in 64 bits, a float32 is compared
as a double, and a backslash escapes in LIKE.
"""

import datetime
import decimal
import random

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 240
D = decimal.Decimal
NAN, INF = float("nan"), float("inf")
DAY, TIME = datetime.date, datetime.datetime

POOLS = {
    "i8": (pa.int8(), [-128, -1, 0, 1, 2, 127]),
    "i16": (pa.int16(), [-32768, -300, 0, 1, 300, 32767]),
    "i32": (pa.int32(), [-(2**31), -70000, -1, 0, 1, 2, 70000, 2**31 - 1]),
    "i64": (pa.int64(), [-(2**63), -(2**53) - 1, -1, 0, 1, 2, 2**31, 2**53 + 1, 2**63 - 1]),
    "u8": (pa.uint8(), [0, 1, 2, 128, 255]),
    "u16": (pa.uint16(), [0, 1, 2, 32768, 65535]),
    "u32": (pa.uint32(), [0, 1, 2, 2**31, 2**32 - 1]),
    "u64": (pa.uint64(), [0, 1, 2, 2**63 - 1, 2**63, 2**64 - 1]),
    "f32": (pa.float32(), [-INF, -1.5, -0.0, 0.0, 0.1, 0.5, 1.5, 16777216.0, INF, NAN]),
    "f64": (pa.float64(), [-INF, -1.5, -0.0, 0.0, 0.1, 0.5, 1.5, 9007199254740992.0, 1e300, INF, NAN]),
    "d9": (pa.decimal128(9, 2), [D("-9999999.99"), D("-1.50"), D("0.00"), D("0.10"), D("1.00"), D("1.50"), D("9999999.99")]),
    "d18": (pa.decimal128(18, 4), [D("-1.5000"), D("0.0000"), D("0.1000"), D("0.1001"), D("1.0000"), D("99999999999999.9999")]),
    "d38": (pa.decimal128(38, 10), [D("-1.5"), D("0"), D("0.1"), D("1.0000000001"), D("9999999999999999999999999999.9999999999")]),
    "s": (pa.string(), ["", "a", "ab", "abc", "ABC", "b", "a%c", "a_c", "größe", "GRÖSSE", "日本語", "it's", "zz"]),
    "p": (pa.string(), ["", "a", "ab", "abcabc", "Ab", "b", "ba", "日本", "line\nfeed"]),
    "bin": (pa.binary(), [b"", b"a", b"ab", b"b", b"abc"]),
    "b": (pa.bool_(), [True, False]),
    "d": (pa.date32(), [DAY(1, 1, 1), DAY(1969, 12, 31), DAY(1970, 1, 1), DAY(2024, 2, 29), DAY(2024, 3, 1), DAY(9999, 12, 31)]),
    "ms": (pa.timestamp("ms"), [TIME(1969, 12, 31, 23, 59, 59, 999000), TIME(1970, 1, 1), TIME(2024, 2, 29), TIME(2024, 2, 29, 12, 30, 15, 500000)]),
    "us": (pa.timestamp("us"), [TIME(1969, 12, 31, 23, 59, 59, 999999), TIME(1970, 1, 1), TIME(2024, 2, 29), TIME(2024, 2, 29, 12, 30, 15, 500000), TIME(9999, 12, 31)]),
    "ns": (pa.timestamp("ns"), [0, 1, -1, 1709164800 * 10**9, 1709209815500000000, 1709209815500000001]),
    "z": (pa.timestamp("us", tz="UTC"), [TIME(1970, 1, 1), TIME(2024, 2, 29), TIME(2024, 2, 29, 12, 30, 15, 500000)]),
}

# Columns of each type come in pairs; the first is coded with a dictionary.


def table(path):
    """Writes the table, in four row groups."""
    rng = random.Random(5)
    columns = {"id": pa.array(range(ROWS), pa.int64())}
    for name, (typ, pool) in POOLS.items():
        for side in "xy":
            values = [None if rng.random() < 0.15 else rng.choice(pool) for _ in range(ROWS)]
            if side == "y" and name in ("i64", "s", "f64"):  # pages without NULLs
                values = [rng.choice(pool) if v is None else v for v in values]
            columns[side + name] = pa.array(values, typ)
    columns["n"] = pa.nulls(ROWS)
    coded = [c for c in columns if c.startswith("x")]
    pq.write_table(pa.table(columns), path, row_group_size=70, use_dictionary=coded, store_schema=False)


COMPARISONS = ["=", "<>", "<", "<=", ">", ">="]

LITERALS = {
    "i8": ["0", "1", "127", "128", "-128", "-129", "1.5", "-0.5"],
    "i16": ["1", "-32768", "40000", "299.99"],
    "i32": ["1", "-2147483648", "2147483648", "0.5", "99999999999999999999"],
    "i64": ["1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "2.5"],
    "u8": ["1", "0", "255", "256", "-1"],
    "u16": ["1", "65535", "70000"],
    "u32": ["1", "4294967295", "-1"],
    "u64": ["1", "18446744073709551615", "18446744073709551616", "-1", "9223372036854775808", "1.5"],
    "f32": ["0", "0.5", "1.5", "-0.0", "1e0", "0.1", "16777217"],
    "f64": ["0", "0.1", "-1.5", "1e300", "9007199254740993", "0.1e0"],
    "d9": ["0", "1", "1.5", "0.1", "0.101", "-1.505", "10000000", "1e0"],
    "d18": ["1", "0.1", "0.10005", "0.1001"],
    "d38": ["1", "0.1", "1.0000000001"],
    "s": ["''", "'a'", "'abc'", "'b'", "'größe'", "'it''s'"],
    "p": ["'a'", "'abcabc'", "'日本'"],
    "bin": ["'a'", "'ab'"],
    "d": ["DATE '1970-01-01'", "'2024-02-29'", "DATE '0001-01-01'", "TIMESTAMP '2024-02-29 00:00:00'", "TIMESTAMP '2024-02-29 12:00:00'"],
    "ms": ["TIMESTAMP '1970-01-01 00:00:00'", "'2024-02-29 12:30:15.5'", "TIMESTAMP '2024-02-29 12:30:15.5005'", "DATE '2024-02-29'"],
    "us": ["TIMESTAMP '1969-12-31 23:59:59.999999'", "'2024-02-29'", "DATE '9999-12-31'"],
    "ns": ["TIMESTAMP '1970-01-01 00:00:00'", "'2024-02-29 12:30:15.5'"],
    "z": ["TIMESTAMP '1970-01-01 00:00:00'", "'2024-02-29 14:30:15.5+02:00'", "'2024-02-29T12:30:15.5Z'"],
}

ASKED = {  # what DuckDB is asked of a literal
    "z": lambda l: "TIMESTAMPTZ '" + l.split("'")[1].replace("T", " ") + ("" if l.endswith(("Z'", "+02:00'")) else "+00") + "'",
    "bin": lambda l: l + "::blob",
    "f32": lambda l: l + "::double",
}


def operands():
    """Every comparison of every type with constants and another column."""
    for name, literals in LITERALS.items():
        ask = ASKED.get(name, lambda l: l)
        col = f"x{name}::double" if name == "f32" else f"x{name}"
        for literal in literals:
            for op in COMPARISONS:
                yield f"x{name} {op} {literal}", f"{col} {op} {ask(literal)}"
            yield f"{literal} <= y{name}", f"{ask(literal)} <= y{name}" + ("::double" if name == "f32" else "")
        for op in [*COMPARISONS, "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]:
            yield f"x{name} {op} y{name}", None
        yield f"NOT (x{name} < y{name})", None
        yield f"x{name} IS NULL", None
        yield f"y{name} IS NOT NULL", None
        some = literals[:2]
        listed, asked = ", ".join(some), ", ".join(ask(l) for l in some)
        yield f"x{name} IN ({listed})", f"{col} IN ({asked})"
        yield f"x{name} NOT IN ({listed})", f"{col} NOT IN ({asked})"
        yield f"x{name} IN ({listed}, NULL)", f"{col} IN ({asked}, NULL)"
        yield f"x{name} NOT IN ({listed}, NULL)", f"{col} NOT IN ({asked}, NULL)"
        yield f"x{name} IN (y{name}, {some[0]})", f"{col} IN (y{name}, {ask(some[0])})"
        yield f"y{name} BETWEEN {some[0]} AND x{name}", f"y{name}{'::double' if name == 'f32' else ''} BETWEEN {ask(some[0])} AND {col}"
        yield f"x{name} NOT BETWEEN {some[0]} AND {some[1]}", f"{col} NOT BETWEEN {ask(some[0])} AND {ask(some[1])}"
        yield f"x{name} IS DISTINCT FROM {some[0]}", f"{col} IS DISTINCT FROM {ask(some[0])}"


def mixed():
    """Comparisons of types with each other."""
    numbers = ["i8", "i32", "i64", "u8", "u32", "u64", "d9", "d18", "d38", "f64"]
    for i, a in enumerate(numbers):
        for b in numbers[i + 1 :]:
            left, right = f"x{a}", f"y{b}"
            if "u64" in (a, b) and b != "f64":  # DuckDB would cast to a type too narrow
                left, right = f"{left}::decimal(38, {10 if 'd38' in (a, b) else 4})", f"{right}::decimal(38, {10 if 'd38' in (a, b) else 4})"
            for op in ("=", "<", ">="):
                yield f"x{a} {op} y{b}", f"{left} {op} {right}"
    for a, b in (("d", "us"), ("d", "ms"), ("ms", "us"), ("ms", "ns"), ("us", "d")):
        ours = f"x{a} < y{b}", f"x{a} = y{b}", f"x{a} >= y{b}", f"x{a} IS DISTINCT FROM y{b}"
        for text in ours:
            yield text, None
    yield "xd38 > 1.00000000005", "xd38 > 1.0"  # DuckDB has no type for both
    yield "xd38 <= 1.00000000005", "xd38 <= 1.0"
    yield "xd38 = 1.00000000005", "xd38 <> xd38"
    yield "NOT (xd38 = 1.00000000005)", "xd38 = xd38"
    yield "xs = yp", None
    yield "xs < yp", None
    yield "xd9 < xf64", None
    yield "xf32 = xf64", None
    yield "xi8 = xi16", None


def logic():
    """Three-valued logic: each operator over all pairs of true, false and NULL."""
    values = ["xb", "yb", "TRUE", "FALSE", "NULL", "xi8 = 1", "ys LIKE 'a%'"]
    for a in values:
        for suffix in ("IS NULL", "IS NOT NULL", "IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"):
            yield f"({a}) {suffix}", f"({a})::boolean {suffix}" if a == "NULL" else None
        yield f"NOT ({a})", None
        for b in values:
            for op in ("AND", "OR"):
                yield f"({a}) {op} ({b})", None
                yield f"NOT (({a}) {op} ({b}))", None
                yield f"(({a}) {op} ({b})) IS NULL", None
            for op in ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
                cast = f"({a})::boolean {op} ({b})::boolean"
                yield f"({a}) {op} ({b})", cast
                yield f"NOT (({a}) {op} ({b}))", f"NOT ({cast})"
    yield "xb", None
    yield "NOT xb AND yb OR xi8 > 0", None
    yield "xb IN (TRUE, yb)", None
    yield "xb NOT IN (FALSE, NULL)", None
    yield "n IS NULL", None
    yield "n = 1", "false"
    yield "n IS DISTINCT FROM xi8", None
    yield "NOT (n > xi8 OR xb)", "NOT (n::int > xi8 OR xb)"


def arithmetic():
    """Operators on numbers."""
    c = "::bigint"
    yield "xi32 + yi32 > 0", f"xi32{c} + yi32{c} > 0"
    yield "xi32 - yi32 <= 70001", f"xi32{c} - yi32{c} <= 70001"
    yield "xi32 * yi16 >= xi8", f"xi32{c} * yi16{c} >= xi8"
    yield "xu32 - yu32 < 0", f"xu32{c} - yu32{c} < 0"
    yield "-xi32 > 1", f"-(xi32{c}) > 1"
    yield "xi8 <> 0 AND yi32 / xi8 = 1", f"xi8 <> 0 AND yi32{c} // xi8{c} = 1"
    yield "xi8 = 0 OR yi32 % xi8 = -1", f"xi8 = 0 OR yi32{c} % xi8{c} = -1"
    yield "yi32 / 2 = -1", f"trunc(yi32{c} / 2) = -1"
    yield "yi32 / -2 * 2 + yi32 % -2 = -35000", f"trunc(yi32{c} / -2) * 2 + yi32{c} % -2 = -35000"
    yield "(xi8 + yi8) * 2 > xi16 - 1", f"(xi8{c} + yi8{c}) * 2 > xi16{c} - 1"
    yield "xi8 + 0.5 > yd9", "xi8::decimal(20, 2) + 0.5 > yd9"
    yield "xd9 + yd18 >= 1.6", "xd9::decimal(38, 4) + yd18::decimal(38, 4) >= 1.6"
    yield "xd9 - yd9 = 0", "xd9::decimal(20, 2) - yd9::decimal(20, 2) = 0"
    yield "xd9 * yd9 < 2.25", "xd9::decimal(18, 2) * yd9::decimal(18, 2) < 2.25"
    yield "xd9 * 2 = 3", "xd9::decimal(18, 2) * 2 = 3"
    yield "xd9 * xi8 > yi8", "xd9::decimal(18, 2) * xi8::decimal(18, 0) > yi8"
    yield "-xd9 > yd9", "-(xd9::decimal(18, 2)) > yd9"
    yield "xu64 + 1 > 9223372036854775808", "xu64::decimal(38, 0) + 1 > 9223372036854775808"
    yield "xd9 > 0 AND yd18 / xd9 > 1", "xd9 > 0 AND yd18::double / xd9::double > 1"
    yield "xi8 / 2.0 > 0.5", "xi8::double / 2 > 0.5"
    yield "xf64 + yf64 > 1", None
    yield "xf64 - yf64 = 0", None
    yield "xf64 * 2 <= yf64", None
    yield "-xf64 < yf64", None
    yield "xf64 / 3 < 0.1e0", None
    yield "xf64 % 1 = 0.5e0", None
    yield "xi8 * 1.5e0 = 1.5", "xi8::double * 1.5 = 1.5"
    yield "xf32 + 1 > yf64", "xf32::double + 1 > yf64"
    yield "xi8 + n IS NULL", None
    yield "xi8 + yi8 IS NULL", f"xi8{c} + yi8{c} IS NULL"
    yield "(xi8 + yi8) IS DISTINCT FROM xi16", f"(xi8{c} + yi8{c}) IS DISTINCT FROM xi16"
    yield "xi8 + 1 IN (1, 2, 128)", f"xi8{c} + 1 IN (1, 2, 128)"
    yield "xi8 NOT BETWEEN yi8 - 1 AND yi8 + 1", f"xi8 NOT BETWEEN yi8{c} - 1 AND yi8{c} + 1"
    yield "xi8 IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 127, 300, 1.5)", None
    yield "xi64 IN (9223372036854775807, -9223372036854775808, 9223372036854775808)", None
    yield "1 + 1 = 2", None
    yield "1 / 0.5 > 1.5 AND xb", None


PATTERNS = ["", "%", "a", "a%", "%c", "%b%", "_", "__", "___", "a_c", "a\\_c", "a\\%c", "%\\%%", "_b%", "%ö%", "日%", "__語", "%a%b%c%", "%%", "_%", "abc%abc",
            "ABC", "gr_sse", "größe", "%\n%"]


def patterns():
    """LIKE and ILIKE."""
    for pattern in PATTERNS:
        for col in ("xs", "yp"):
            for op in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"):
                yield f"{col} {op} '{pattern}'", f"{col} {op} '{pattern}' ESCAPE '\\'"
    yield "xs LIKE NULL", None
    yield "'abc' LIKE 'a%'", None


SCRIPTS = {f.__name__: f for f in (operands, mixed, logic, arithmetic, patterns)}


def script(connection, path, name):
    """Returns the text of a script: a condition, and the rows."""
    lines = ["# Made by make.py; do not edit.", ""]
    seen = set()
    for ours, theirs in SCRIPTS[name]():
        if ours in seen:
            continue
        seen.add(ours)
        query = f"select id from read_parquet('{path}') where {theirs or ours} order by id"
        ids = [str(row[0]) for row in connection.execute(query).fetchall()]
        lines += ["where " + ours.replace("\n", "\\n"), " ".join(["rows", *ids]), ""]
    return "\n".join(lines)
