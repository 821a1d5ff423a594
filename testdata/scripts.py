"""The queries of the script tests, by the file that they are written to.

A block is made by ask() (DuckDB's answer), read() (the same over pyarrow's
values, for what DuckDB cannot read), told() (an answer known otherwise) or
refused() (an error).
"""

ALL = {}


def script(function):
    """Registers a function that yields the blocks of one script."""
    ALL[function.__name__] = function
    return function


def ask(title, files, by=(), aggs=("count(*) as n",)):
    return dict(kind="ask", title=title, files=files.split(), by=list(by), aggs=list(aggs))


def read(title, files, by=(), aggs=("count(*) as n",)):
    return ask(title, files, by, aggs) | dict(kind="read")


def told(title, files, by, aggs, lines):
    return ask(title, files, by, aggs) | dict(kind="told", lines=lines)


def spelled(title, files, by, calls, digest=False):
    """A block of calls, each with what DuckDB calls it."""
    return ask(title, files, by, [ours for ours, _ in calls]) | dict(kind="spelled", calls=calls, digest=digest)


def refused(title, files, by, aggs, *words):
    return ask(title, files, by, aggs) | dict(kind="refused", words=words)


def each(functions, columns):
    """Returns f(c) as c_f for every pair."""
    return [f"{f}({c}) as {c}_{f}" for c in columns for f in functions]


INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
MOMENTS = ["var_samp", "var_pop", "stddev_samp", "stddev_pop"]


@script
def integers():
    small = [c for c in INTS if c != "uint64"]
    yield ask("count, min and max of every width", "integers", (), each(["count", "min", "max"], INTS))
    yield ask("the same by group", "integers", ["k"], each(["count", "min", "max"], INTS))
    yield ask("sums are 64 bits wide", "integers", ["k"], each(["sum"], small))
    yield ask("sums of one group without keys", "integers", (), each(["sum"], small))
    yield ask("averages are exact", "integers", ["k"], each(["avg"], INTS))
    yield ask("two int32 that do not fit int32 together", "integers", (), ["sum(big32) as s", "avg(big32) as a"])
    yield ask("three uint32 that do not fit uint32 together", "integers", (), ["sum(bigu32) as s", "avg(bigu32) as a"])
    yield ask("a sum of uint64 up to its limit", "integers", ["k"], ["sum(uint64) as s"])
    yield refused("a sum of uint64 that does not fit", "integers", (), ["sum(uint64) as s"], "overflow", "36893488147419103230", "uint64")
    yield ask("100,000 ones in int8, 10,000 times 63", "narrow", (), each(["sum", "avg", "count"], ["one", "b"]))
    yield ask("the average of 1,025 uint16", "narrow", (), each(["avg", "sum"], ["w"]))
    yield ask("sums that leave int64 and come back", "wraps", ["k"], ["sum(v) as s"])
    yield ask("averages of integers that float64 cannot hold", "wraps", ["k"], ["avg(v) as a", "max(v) as m", "count(*) as n"])
    yield refused("a sum beyond int64", "overflow", (), ["count(*)", "sum(v) as total"], "overflow", "9223372036854775808")
    yield refused("a sum beyond uint64", "overflow", (), ["sum(u) as total"], "overflow", "18446744073709551616")
    yield ask("the same columns without the sum", "overflow", (), each(["min", "max", "avg", "count"], ["v", "u"]))
    yield ask("the first and last rows, NULL or not, and the first value", "integers", ["k"], each(["first", "last", "any_value"], INTS))
    yield ask("the same without keys", "integers", (), each(["first", "last", "any_value"], INTS))
    yield ask("variances", "integers", ["k"], each(MOMENTS, ["int8", "int32", "uint16", "big32"]))
    yield ask("integers as keys", "integers", ["int8", "uint64"], ["count(*) as n", "sum(int16) as s"])
    yield ask("all widths as one key", "integers", INTS)


@script
def decimals():
    columns = ["d9", "d18", "d36", "cents"]
    yield ask("decimals stored as INT32, INT64 and 16 bytes", "decimals", ["k"], each(["count", "min", "max"], columns))
    yield ask("exact sums", "decimals", ["k"], each(["sum"], columns))
    yield ask("sums without keys", "decimals", (), each(["sum"], columns))
    yield ask("averages have four more digits, halves go away from zero", "decimals", ["k"], each(["avg"], columns))
    yield read("decimals of 74 digits", "decimals", ["k"], each(["count", "min", "max", "sum", "avg"], ["d74"]))
    yield ask("first and last", "decimals", ["k"], each(["first", "last", "any_value"], columns))
    yield ask("decimals as keys", "decimals", ["cents"], ["count(*) as n", "sum(d9) as s"])
    yield ask("several decimals as a key", "decimals", ["d9", "d18", "d36"], ["count(*) as n"])
    yield read("a decimal of 74 digits as a key", "decimals", ["d74"], ["count(*) as n"])
    yield refused("a sum beyond 38 digits", "decimal_overflow", ["k"], ["sum(v) as s"], "overflow", "199999999999999999999999999999999999998")
    yield read("min, max and average of the same", "decimal_overflow", (), each(["min", "max", "count"], ["v"]))
    yield ask("21,476 times 99999 in decimal(5,0)", "narrow", (), each(["sum", "avg"], ["d"]))


@script
def floats():
    yield ask("NaN is one key, zero is one key: float64", "special_floats", ["f64"], ["count(*) as n"])
    yield ask("float32", "special_floats", ["f32"], ["count(*) as n"])
    yield ask("float16", "special_floats", ["f16"], ["count(*) as n"])
    yield ask("floats as part of a key", "special_floats", ["f64", "k"], ["count(*) as n"])
    yield ask("all three widths as a key", "special_floats", ["f16", "f32", "f64"], ["count(*) as n"])
    yield ask("floats beside text in a key", "special_floats", ["s", "f32"], ["count(*) as n"])
    yield ask("NaN sorts last", "special_floats", ["k"], each(["min", "max", "count"], ["f64", "f32", "f16"]))
    yield ask("min and max of all", "special_floats", (), each(["min", "max", "count"], ["f64", "f32", "f16"]))
    yield ask("first and last", "special_floats", ["k"], each(["first", "last", "any_value"], ["f64", "f32", "f16"]))
    yield ask("sums and averages with NaN and infinities", "special_floats", ["k"], each(["sum", "avg"], ["f64", "f32", "f16"]))
    yield ask("200,000 NaN keys", "many_nans", ["x"], ["count(*) as n", "sum(v) as s"])
    yield ask("a sum whose terms cancel", "cancelling", ["k"], ["count(*) as n", "sum(x) as s", "avg(x) as a", "min(x) as lo", "max(x) as hi"])


@script
def texts():
    yield read("keys are bytes: look-alikes, NULL and the empty string stay apart", "texts", ["s"], ["count(*) as n", "min(n) as lo", "max(n) as hi"])
    yield read("the same from PLAIN pages", "texts", ["plain"], ["count(*) as n", "sum(n) as s"])
    yield read("binary", "texts", ["b"], ["count(*) as n"])
    yield read("fixed-size binary", "texts", ["f"], ["count(*) as n", "min(n) as lo"])
    yield read("min and max compare bytes", "texts", ["f"], each(["min", "max", "count"], ["s", "b", "plain"]))
    yield read("without keys", "texts", (), each(["min", "max", "count"], ["s", "b", "f"]))
    yield ask("the first and last text", "valid_texts", ["d"], each(["first", "last", "any_value"], ["a", "b", "c", "v"]))
    yield ask("the first and last text of many groups", "valid_texts", ["a"], each(["first", "last", "any_value"], ["b", "c"]))
    yield read("text twice in a key", "texts", ["s", "plain", "b"], ["count(*) as n"])
    yield ask("text keys of all lengths", "valid_texts", ["a"], ["count(*) as n", "sum(v) as s", "min(b) as lo", "max(b) as hi"])
    yield ask("two text keys", "valid_texts", ["a", "b"], ["count(*) as n", "sum(v) as s"])
    yield ask("text, boolean and integer as a key", "valid_texts", ["b", "c", "d"], ["count(*) as n", "avg(v) as m"])
    yield ask("boolean key", "valid_texts", ["c"], ["count(*) as n", "min(a) as lo", "max(c) as hi"])
    yield ask("booleans: min, max, and, or", "valid_texts", ["d"], each(["min", "max", "bool_and", "bool_or", "count"], ["c"]))
    yield ask("booleans by text", "valid_texts", ["b"], each(["bool_and", "bool_or"], ["c"]))


@script
def times():
    stamps = ["tms", "tus", "tns", "zms", "zus", "zns"]
    clocks = ["cms", "cus", "cns"]
    for c in [*stamps, *clocks, "d", "far"]:
        yield ask(f"{c} as a key", "times", [c], ["count(*) as n", "min(n) as first_row"])
    yield ask("min and max keep unit and zone", "times", (), each(["min", "max", "count"], [*stamps, "d", "far", *clocks]))
    yield ask("first and last", "times", ["d"], each(["first", "last", "any_value"], [*stamps, "far", *clocks]))
    yield ask("by day", "times", ["d"], each(["min", "max"], [*stamps, *clocks]))
    yield ask("a day and a timestamp with a zone as a key", "times", ["d", "zus"])
    stamp = "timestamp[us]"
    yield ask("INT96 of the years 1 to 9999 as a key", "int96", ["t"]) | dict(types=[stamp, "int64"])
    yield ask("INT96: min and max", "int96", (), each(["min", "max", "count"], ["t"])) | dict(types=[stamp, stamp, "int64"])


@script
def nulls():
    kinds = ["f", "i", "s", "b", "d", "u"]
    yield ask("groups without a value, of many sizes", "nulls", ["k"], ["count(*) as n", *each(["count"], kinds)])
    yield ask("min and max of nothing", "nulls", ["k"], each(["min", "max", "any_value"], ["f", "i", "s", "b", "d"]))
    yield ask("sums, averages and variances of nothing", "nulls", ["k"], [*each(["sum", "avg"], ["f", "i", "d"]), *each(MOMENTS, ["f", "i"])])
    yield ask("booleans of nothing", "nulls", ["k"], each(["bool_and", "bool_or"], ["b"]))
    yield ask("everything without keys", "nulls", (), ["count(*) as n", *each(["count", "min"], ["f", "i", "s", "b", "d"]), "sum(f) as x"])
    for c in ["f", "s", "b", "d"]:
        yield ask(f"NULL is one group: {c}", "nulls", [c], ["count(*) as n", "sum(k) as total"])
    for c in "iufsbdm":
        yield ask(f"NULL beside zero in a key: {c}", "null_keys", [c], ["count(*) as n", "sum(v) as total", "count(v) as present"])
    for pair in ["iu", "fs", "sb", "dm", "iufsbdm"]:
        yield ask(f"NULL in a key of {len(pair)}: {pair}", "null_keys", list(pair), ["count(*) as n", "sum(v) as total", "avg(v) as a"])
    yield ask("one row has no sample variance", "null_keys", ["i", "u", "f", "s"], ["count(v) as n", *each(MOMENTS, ["v"])])


@script
def shapes():
    aggs = ["count(*) as n", "count(x) as c", "sum(x) as s", "min(x) as lo", "avg(x) as a", "sum(f) as f"]
    yield ask("no rows, no keys: one row", "no_rows", (), aggs)
    yield ask("no rows, a key: no rows", "no_rows", ["k"], aggs)
    yield ask("an empty row group in the middle", "gaps", (), ["count(*) as n", "sum(x) as s", "max(x) as hi"])
    yield ask("empty row groups first and last", "empty_groups", (), ["count(*) as n", "sum(x) as s", "max(x) as hi", "min(s) as lo"])
    yield ask("the same by key", "empty_groups", ["s"], ["count(*) as n", "sum(x) as total"])
    yield ask("count(*) alone reads no column", "gaps", (), ["count(*) as n"])
    yield ask("first and last over several files", "parts/p1 parts/p2 parts/p3", ["k"], each(["first", "last", "any_value"], ["v"]))
    yield ask("several files, one of them empty", "parts/p1 parts/p2 parts/p3", ["k"], ["count(*) as n", "sum(v) as s"])
    yield ask("several files without keys", "parts/p3 parts/p2 parts/p1", (), ["count(*) as n", "count(v) as c", "sum(v) as s", "max(k) as hi"])
    yield ask("the same file twice", "gaps gaps", (), ["count(*) as n", "sum(x) as s"])
    yield told("a folder and a pattern", "parts/*", ["k"], ["sum(v) as s"], ["k\ts", "utf8\tint64", '"a"\t4', '"b"\t8', '"c"\t5', '"d"\t8', "NULL\t11"])
    yield told("a folder", "parts/", (), ["count(*)", "max(k)"], ["count(*)\tmax(k)", "int64\tutf8", '9\t"d"'])
    nested = ["count(*) as n", "sum(v) as s", "count(a.b.c) as c", "max(a.e) as e", "min(a.b.d) as d"]
    yield ask("flat columns beside nested ones", "nested", ["k"], nested)
    yield ask("the field of a struct in a struct as a key", "nested", ["a.b.c"], ["count(*) as n", "sum(v) as s"])
    yield ask("two fields as a key", "nested", ["a.b.d", "a.e"], ["count(*) as n"])
    yield refused("a list as a key", "nested", ["l"], ["count(*)"], "column l is a list")
    yield refused("a map in an aggregate", "nested", ["k"], ["count(m)"], "column m is a")
    yield refused("a struct as a key", "nested", ["a"], ["count(*)"], "bad query", "struct", "a.b.c")


@script
def distinct():
    once = ["count(distinct {0}) as {0}_n", "approx_count_distinct({0}) as {0}_a"]
    counted = lambda columns: [a.format(c) for c in columns for a in once]
    yield ask("integers of every width", "integers", ["k"], counted(INTS))
    yield ask("the same without keys", "integers", (), counted(INTS))
    yield ask("sums and averages", "integers", ["k"], [f"{f}(distinct {c}) as {c}_{f}" for c in ["int8", "uint16", "big32"] for f in ["sum", "avg"]])
    yield ask("beside the same without distinct", "integers", (), ["sum(distinct big32) as s", "sum(big32) as t", "count(distinct bigu32) as n", "count(bigu32) as m", "count(*) as rows"])
    yield ask("variances", "integers", ["k"], [f"{f}(distinct int8) as {f}" for f in MOMENTS])
    yield ask("decimals", "decimals", ["k"], [*counted(["d9", "d18", "d36", "cents"]), "sum(distinct d36) as s", "avg(distinct cents) as a", "sum(distinct d9) as t"])
    yield read("decimals of 74 digits", "decimals", ["k"], [*counted(["d74"]), "sum(distinct d74) as s"])
    yield ask("NaN is one value, zero is one value", "special_floats", ["k"], [*counted(["f64", "f32", "f16"]), "sum(distinct f64) as s"])
    yield ask("the same without keys", "special_floats", (), counted(["f64", "f32", "f16"]))
    yield ask("200,000 NaN", "many_nans", (), ["count(distinct x) as n", "count(distinct v) as m", "sum(distinct v) as s"])
    yield read("texts are bytes", "texts", ["f"], counted(["s", "b", "plain"]))
    yield read("without keys", "texts", (), counted(["s", "b", "plain", "f"]))
    yield ask("texts of all lengths", "valid_texts", ["d"], counted(["a", "b", "c", "v"]))
    yield ask("texts by text", "valid_texts", ["b"], counted(["a", "c"]))
    yield ask("days and times", "times", ["d"], counted(["tms", "tus", "tns", "zus", "far", "cus"]))
    yield ask("NULL is no value", "nulls", ["k"], [*counted(["f", "i", "s", "b", "d"]), "sum(distinct i) as s", "avg(distinct d) as a"])
    yield ask("several files", "parts/p1 parts/p2 parts/p3", ["k"], [*counted(["v"]), "sum(distinct v) as s"])
    yield ask("the same file twice", "gaps gaps", (), ["sum(x) as s", "sum(distinct x) as t", "count(distinct x) as n"])
    yield ask("a result of no rows", "no_rows", (), ["count(distinct x) as n", "sum(distinct x) as s"])
    yield ask("a field of a struct", "trips", ["vendor"], ["count(distinct payment.method) as n", "count(distinct payment.card_last4) as c", "count(distinct city) as m"])
    yield ask("many groups", "many", ["apart"], ["count(distinct seven) as n", "count(distinct text) as t", "sum(distinct v) as s"]) | dict(digest=True)
    yield ask("few groups of many", "many", ["seven"], ["count(distinct apart) as n", "count(distinct text) as t", "sum(distinct v) as s", "count(distinct dense) as d"])
    yield ask("one group of many", "many", (), ["count(distinct apart) as n", "count(distinct text) as t", "count(distinct v) as v", "avg(distinct dense) as a"])
    yield refused("count of all rows", "many", ["seven"], ["count(distinct *) as n"], "bad query")
    yield refused("a sum of text", "many", ["seven"], ["sum(distinct text) as n"], "bad query", "sum")


@script
def names():
    kinds = "utf8\tint64"
    city = ['"x"\t2', '"y"\t1', "NULL\t1"]
    yield told("without regard to case", "names", ["cItY"], ["count(*) as n"], ["City\tn", kinds, *city])
    yield told("quoted exactly", "names", ['"City"'], ["count(*) as n"], ["City\tn", kinds, *city])
    yield refused("quoted in another case", "names", ['"city"'], ["count(*) as n"], "bad query", "city", "City")
    yield refused("ambiguous in another case", "names", ["city"], ["sum(AMOUNT) as s"], "bad query", "ambiguous", "amount", "Amount")
    yield told("an exact match wins", "names", [], ["sum(amount) as a", "sum(Amount) as b"], ["a\tb", "int64\tint64", "10\t100"])
    yield told("a colon at the end", "names", [], ['sum("total:") as t', 'max("total:")'], ["t\tmax(total:)", "int64\tint64", "26\t8"])
    yield told("a dot in a name", "names", ["a.b"], ["count(*) as n"], ["a.b\tn", "int64\tint64", "1\t2", "2\t2"])
    yield told("a quoted dot", "names", ['"a.b"'], ["count(*) as n"], ["a.b\tn", "int64\tint64", "1\t2", "2\t2"])
    yield told("a space", "names", ['"with space"'], ["sum(amount)"], ["with space\tsum(amount)", "int64\tint64", "7\t6", "8\t4"])
    yield told("a quote", "names", ['"say ""hi"""'], ["count(*) as n"], ['say "hi"\tn', "int64\tint64", "1\t2", "2\t2"])
    yield told("a comma", "names", ['"a,b", "select"'], ["count(*) as n"], ["a,b\tselect\tn", "int64\tint64\tint64", "0\t3\t1", "0\t4\t1", "1\t3\t1", "1\t4\t1"])
    yield told("other letters", "names", ["größe"], ["count(*)"], ["größe\tcount(*)", "int64\tint64", "1\t3", "2\t1"])
    yield told("the name of a function", "names", ["count"], ["count(count)"], ["count\tcount(count)", "int64\tint64", "9\t4"])
    yield told("several aggregates in one entry", "names", ["City"], ["count(*) as n, sum(amount)"], ["City\tn\tsum(amount)", "utf8\tint64\tint64", '"x"\t2\t4', '"y"\t1\t2', "NULL\t1\t4"])
    yield told("no aggregate is count(*)", "names", ["City"], [], ["City\tcount(*)", kinds, *city])
    yield refused("an unknown column", "names", ["ctiy"], ["count(*)"], "bad query", "ctiy", "City")
    yield refused("an unknown function", "names", ["city"], ["totl(amount)"], "bad query", "totl")
    yield refused("a syntax error", "names", ["city"], ["sum(amount"], "bad query", "position")
    yield refused("a sum of text", "names", [], ["sum(City)"], "bad query", "sum")


@script
def groups():
    for key in ["apart", "dense", "seven", "skew", "text"]:
        yield ask(f"as many keys as there are: {key}", "many", [key], ["count(*) as n", "sum(v) as s"]) | dict(digest=True)
    yield ask("seven groups", "many", ["seven"], ["count(*) as n", "sum(v) as s", "avg(apart) as a", "min(text) as lo", "max(text) as hi"])
    yield ask("text and integer as a key", "many", ["text", "seven"], ["count(*) as n", "max(v) as hi", "min(apart) as lo"]) | dict(digest=True)
    yield ask("two integers as a key", "many", ["skew", "dense"], ["count(*) as n", "min(text) as lo", "sum(v) as s"]) | dict(digest=True)


@script
def trips():
    yield ask("the first example", "trips", ["city"], ["count(*) as n", "sum(fare) as total", "avg(distance) as far"])
    yield ask("text and integer", "trips", ["vendor", "passengers"], ["count(*) as n", "avg(tip) as tip", "sum(tip) as tips", "max(fare) as top"])
    yield ask("by day", "trips", ["day"], ["count(*) as n", "min(pickup) as first_trip", "max(pickup) as last_trip", "bool_and(paid) as p"])
    yield ask("a field of a struct", "trips", ["payment.method"], ["count(*) as n", "count(payment.card_last4) as c", "stddev_samp(fare) as sd"])
    yield ask("without keys", "trips", (), ["count(*) as n", "count(city) as c", *each(["min", "max"], ["id", "city", "pickup", "tip", "paid"]), *each(MOMENTS, ["fare", "passengers"])])
    yield ask("every row a group", "trips", ["id"], ["sum(tip) as s", "max(city) as c"]) | dict(digest=True)


def kept(columns):
    """Returns all values of columns, in the order of the input."""
    return [(f"array_agg({c}) as {c}_all", f"list({c} order by filename, file_row_number)") for c in columns]


def ranked(columns, parts=("0.5", "0.9", "0", "1", "0.3333")):
    """Returns medians, discrete quantiles and modes of columns, of which of several DuckDB gives the first."""
    calls = []
    for c in columns:
        calls += [(f"quantile_disc({c}, {p}) as {c}_{i}", f"quantile_disc({c}, {p})") for i, p in enumerate(parts)]
        calls.append((f"mode({c}) as {c}_mode", f"mode({c} order by {c})"))
    return calls


@script
def values():
    yield spelled("lists of every width", "integers", ["k"], kept(INTS))
    yield spelled("lists without keys", "integers", (), kept(INTS))
    yield spelled("lists of decimals", "decimals", ["k"], kept(["d9", "d18", "d36"]))
    yield spelled("lists of texts", "valid_texts", ["d"], kept(["a", "b", "c"]))
    yield spelled("lists of times", "times", (), kept(["tus", "d", "cus"]))
    yield spelled("lists of floats", "special_floats", ["k"], kept(["f64", "f32"]))
    yield spelled("lists with NULLs, one of 65,537 values", "nulls", ["k"], kept(["f", "i", "s", "b", "d"]), digest=True)
    yield spelled("lists in order", "trips", ["vendor"], [
        ("array_agg(id order by fare desc, id) as dear", "list(id order by fare desc, id)"),
        ("array_agg(id order by distance desc nulls last, tip nulls first, id desc) as far",
         "list(id order by distance desc nulls last, tip nulls first, id desc)"),
        ("array_agg(id order by passengers) as by_passengers", "list(id order by passengers, file_row_number)"),
    ], digest=True)
    yield spelled("each value once", "trips", ["vendor"], [
        ("array_agg(distinct city order by city nulls first) as cities", "list(distinct city order by city nulls first)"),
        ("array_agg(distinct passengers order by passengers desc) as sizes", "list(distinct passengers order by passengers desc)"),
        ("string_agg(distinct city, ' | ' order by city desc) as names", "string_agg(distinct city, ' | ' order by city desc)"),
    ])
    yield spelled("texts joined", "valid_texts", ["d"], [
        ("string_agg(a) as commas", "string_agg(a, ',' order by file_row_number)"),
        ("string_agg(a, '') as close", "string_agg(a, '' order by file_row_number)"),
        ("listagg(b, '; ' order by b desc, v, a) as down", "string_agg(b, '; ' order by b desc, v, a)"),
    ])
    yield spelled("texts joined, with NULLs", "nulls", ["k"], [
        ("string_agg(s, ', ') as s", "string_agg(s, ', ' order by file_row_number)"),
    ], digest=True)
    yield spelled("ranks of integers", "integers", ["k"], ranked(INTS))
    yield spelled("ranks of decimals", "decimals", ["k"], ranked(["d9", "d18", "d36", "cents"]))
    yield spelled("ranks of texts", "valid_texts", ["d"], ranked(["a", "b", "c"]))
    yield spelled("ranks of floats, NaN above all", "special_floats", (), ranked(["f64", "f32"]))
    yield spelled("ranks of times", "times", (), ranked(["tus", "zus", "d", "cus"]))
    yield spelled("ranks where many are NULL", "nulls", ["k"], ranked(["f", "i", "s", "b", "d"]))
    yield spelled("between two values", "trips", ["vendor"], [
        ("median(fare) as fare", "median(fare)"),
        ("median(distance) as distance", "median(distance)"),
        ("quantile_cont(passengers, 0.25) as passengers", "quantile_cont(passengers, 0.25)"),
        ("median(day) as day", "median(day)"),
        ("median(city) as city", "median(city)"),
        ("median(paid) as paid", "median(paid)"),
        ("median(distinct passengers) as sizes", "median(distinct passengers)"),
    ])
    yield spelled("medians of every width", "integers", ["k"], [(f"median({c}) as {c}", f"median({c})") for c in INTS])
    yield refused("a fraction beyond 1", "trips", (), ["quantile_cont(fare, 1.5) as q"], "1.5", "from 0 to 1")
    yield refused("numbers joined", "trips", (), ["string_agg(fare, ', ') as s"], "float64 cannot be joined")
