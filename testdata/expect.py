"""Works out what a query must answer, by other engines than the one tested.

DuckDB gives groups and most aggregates; sums and averages of decimals and the
variances are exact figures of Python's over the values that DuckDB groups.
"""

import decimal
import fractions
import json
import math
import re

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

decimal.getcontext().prec = 120

CALL = re.compile(r'\s*(\w+)\(\s*(distinct\s|)\s*(\*|.*?)\s*\)\s+as\s+(\w+)\s*$')


def parse(agg):
    """Splits "sum(distinct x) as s" into function, column, name and whether it is distinct.

    approx_count_distinct is exact for the few values of the scripts' groups.
    """
    m = CALL.match(agg)
    if not m:
        raise ValueError(f"{agg!r} is not of the form f(x) as name")
    function, distinct, column, name = m.groups()
    if function == "approx_count_distinct":
        return "count", column, name, True
    return function, column, name, distinct != ""


PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def fraction(rest, per):
    """Formats the part of a second, without needless zeros."""
    return "." + str(rest).rjust(len(str(per)) - 1, "0").rstrip("0") if rest else ""


def iso(count, unit):
    """Formats a count of units since 1970 as a date or timestamp."""
    if unit == "D":
        return str(np.datetime64(count, "D"))
    seconds, rest = divmod(count, PER_SECOND[unit])
    return str(np.datetime64(seconds, "s")).replace("T", " ") + fraction(rest, PER_SECOND[unit])


def clock(count, unit):
    """Formats a count of units since midnight."""
    seconds, rest = divmod(count, PER_SECOND[unit])
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}" + fraction(rest, PER_SECOND[unit])


def number(x):
    """Formats a float so that parsing gives it back."""
    return "NaN" if math.isnan(x) else "0.0" if x == 0 else repr(float(x))


def cell(scalar):
    """Formats an Arrow scalar in the scripts' way."""
    t = scalar.type
    if not scalar.is_valid or pa.types.is_null(t):
        return "NULL"
    if pa.types.is_floating(t):
        return number(float(scalar.as_py()))
    if pa.types.is_decimal(t):
        return format(scalar.as_py(), "f")
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return text(scalar.as_buffer().to_pybytes())
    if pa.types.is_date32(t):
        return iso(scalar.value, "D")
    if pa.types.is_timestamp(t):
        return iso(scalar.value, t.unit) + ("Z" if t.tz else "")
    if pa.types.is_time(t):
        return clock(scalar.value, t.unit)
    if pa.types.is_list(t):
        return "[" + ", ".join(cell(v) for v in scalar.values) + "]"
    value = scalar.as_py()
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return str(value).lower() if isinstance(value, bool) else str(value)


def text(raw):
    """Formats a string: as JSON, or as hexadecimal where it is not UTF-8."""
    try:
        return json.dumps(raw.decode(), ensure_ascii=False)
    except UnicodeDecodeError:
        return f"x'{raw.hex()}'"


def half_away(value, scale):
    """Rounds a fraction to a decimal, halves away from zero."""
    scaled = abs(value) * 10**scale
    whole = math.floor(scaled + fractions.Fraction(1, 2))
    return decimal.Decimal(whole if value >= 0 else -whole).scaleb(-scale)


def exact(function, values, kind):
    """Computes an aggregate of numbers of an Arrow type exactly and formats it."""
    values = [fractions.Fraction(v) for v in values if v is not None]
    n = len(values)
    if n == 0 or function.endswith("_samp") and n == 1:
        return "NULL"
    total = sum(values)
    if function == "sum":
        if pa.types.is_decimal(kind):
            return format(half_away(total, kind.scale), "f")
        return str(total) if pa.types.is_integer(kind) else number(float(total))
    if function == "avg":
        if pa.types.is_decimal(kind):
            return format(half_away(total / n, kind.scale + more_digits(kind)), "f")
        return number(float(total / n))
    squares = sum((v - total / n) ** 2 for v in values) / (n - 1 if function.endswith("_samp") else n)
    return number(float(squares) if function.startswith("var") else math.sqrt(squares))


EXACT = {"sum", "avg", "var_samp", "var_pop", "stddev_samp", "stddev_pop"}


def finite(values):
    return all(v is None or math.isfinite(v) for v in values)


def leaf(schema, column):
    """Returns the type of a column, or of a field of a struct as a.b."""
    for name in [column, column.strip('"')]:
        if schema.get_field_index(name) >= 0:
            return schema.field(name).type
    head, _, rest = column.partition(".")
    inner = schema.field(head).type
    return leaf(pa.schema(list(inner)), rest)


def type_name(t):
    """Spells a type as the Arrow library for Go does."""
    if pa.types.is_string(t):
        return "utf8"
    if pa.types.is_decimal(t):
        return f"{'decimal' if t.bit_width == 128 else 'decimal256'}({t.precision}, {t.scale})"
    if pa.types.is_list(t):
        return f"list<item: {type_name(t.value_type)}, nullable>"
    if pa.types.is_fixed_size_binary(t):
        return f"fixed_size_binary[{t.byte_width}]"
    if pa.types.is_timestamp(t):
        return f"timestamp[{t.unit}" + (f", tz={t.tz}]" if t.tz else "]")
    names = {"halffloat": "float16", "float": "float32", "double": "float64", "date32[day]": "date32"}
    return names.get(str(t), str(t))


def more_digits(t):
    """Returns how many more digits after the point the average of a decimal has."""
    return min(4, 76 - t.precision)


def result_type(function, t):
    """Returns the name of the type of function over type t."""
    if function == "count":
        return "int64"
    if function in ("bool_and", "bool_or"):
        return "bool"
    if function in ("min", "max", "any_value", "first", "last"):
        return type_name(t)
    if pa.types.is_decimal(t) and function == "sum":
        return type_name(pa.decimal256(76, t.scale) if t.bit_width == 256 else pa.decimal128(38, t.scale))
    if pa.types.is_decimal(t) and function == "avg":
        digits = t.precision + more_digits(t)
        wide = t.bit_width == 256 or digits > 38
        return type_name((pa.decimal256 if wide else pa.decimal128)(digits, t.scale + more_digits(t)))
    if function == "sum" and pa.types.is_integer(t):
        return "uint64" if pa.types.is_unsigned_integer(t) else "int64"
    return "float64"


def header(files, by, aggs):
    """Returns the lines of names and of types."""
    schema = pq.read_schema(files[0])
    names = [b.replace('"', "") for b in by]
    types = [type_name(leaf(schema, b)) for b in by]
    for agg in aggs:
        function, column, name, _ = parse(agg)
        names.append(name)
        types.append(result_type(function, None if column == "*" else leaf(schema, column)))
    return ["\t".join(names), "\t".join(types)]


def ask(connection, files, by, aggs):
    """Returns DuckDB's answer: a line of names, one of types, one a group."""
    schema = pq.read_schema(files[0])
    columns, formats = list(by), [cell] * len(by)
    for agg in aggs:
        function, column, _, distinct = parse(agg)
        once = "distinct " if distinct else ""
        if function in EXACT:
            kind = leaf(schema, column)
            columns.append(f"list({once}{column})")
            formats.append(lambda s, f=function, k=kind: measure(f, s.as_py() or [], k))
        elif function in ("first", "last", "any_value"):
            columns.append(f"{function}({column} order by filename, file_row_number)")
            formats.append(cell)
        else:
            columns.append(f"{function}({once}{column})")
            formats.append(cell)
    selected = ", ".join(f"{c} as c{i}" for i, c in enumerate(columns))
    source = f"read_parquet({[str(f) for f in files]}, filename = true, file_row_number = true)"
    group = f" group by {', '.join(by)}" if by else ""
    answer = connection.sql(f"select {selected} from {source}{group}").to_arrow_table()
    rows = ["\t".join(f(answer.column(i)[r]) for i, f in enumerate(formats)) for r in range(answer.num_rows)]
    return header(files, by, aggs) + sorted(rows)


def spell(connection, files, by, calls):
    """Returns DuckDB's answer to calls that it spells otherwise: pairs of "f(x) as name" and its expression."""
    source = f"read_parquet({[str(f) for f in files]}, filename = true, file_row_number = true)"
    columns = list(by) + [f"{theirs} as {ours.rsplit(' as ', 1)[1]}" for ours, theirs in calls]
    group = f" group by {', '.join(by)}" if by else ""
    answer = connection.sql(f"select {', '.join(columns)} from {source}{group}").to_arrow_table()
    rows = ["\t".join(cell(column[r]) for column in answer.columns) for r in range(answer.num_rows)]
    return ["\t".join(answer.column_names), "\t".join(type_name(t) for t in answer.schema.types), *sorted(rows)]


def read(files, by, aggs):
    """Returns the same answer from pyarrow's values, for what DuckDB cannot hold."""
    table = pa.concat_tables(pq.read_table(f) for f in files)
    groups = {} if by else {(): range(table.num_rows)}
    keys = [[cell(v) for v in table.column(b)] for b in by]
    for i, key in enumerate(zip(*keys)):
        groups.setdefault(key, []).append(i)
    rows = []
    for key, members in groups.items():
        line = list(key)
        for agg in aggs:
            function, column, _, distinct = parse(agg)
            if column == "*":
                line.append(str(len(members)))
                continue
            values = table.column(column)
            chosen = [values[i] for i in members]
            if distinct:
                chosen = list({cell(v): v for v in chosen}.values())
            line.append(choose(function, values.type, chosen))
        rows.append("\t".join(line))
    return header(files, by, aggs) + sorted(rows)


def choose(function, kind, values):
    """Computes one aggregate over Arrow scalars."""
    if function in EXACT:
        return measure(function, [v.as_py() for v in values], kind)
    if function in ("first", "last"):  # NULL or not
        return cell(values[0 if function == "first" else -1]) if values else "NULL"
    values = [v for v in values if v.is_valid]
    if function == "count":
        return str(len(values))
    if not values:
        return "NULL"
    raw = pa.types.is_string(kind)
    order = [v.as_buffer().to_pybytes() if raw else v.as_py() for v in values]
    best = {"min": min, "max": max, "any_value": lambda o: o[0]}[function](order)
    return cell(values[order.index(best)])


def measure(function, values, kind):
    """Computes an aggregate of a group's values; infinities and NaN as IEEE 754 has them."""
    if finite(values):
        return exact(function, values, kind)
    values = [v for v in values if v is not None]
    total = sum(values)  # infinite or NaN whatever the order
    return number(total) if function in ("sum", "avg") else "NaN"


def connect():
    """Opens DuckDB so that the machine's zone does not matter."""
    connection = duckdb.connect()
    connection.sql("set timezone = 'UTC'")
    return connection
