#!/usr/bin/env python3
"""Writes values.txt: expressions, and what PostgreSQL 15 and DuckDB answer for each
row of a small table, as text. PSQL is the command of a client that is connected,
such as "psql -h /run/postgresql -U postgres"."""
import os
import subprocess

import duckdb

ROWS = """
(1, 12.34, 0.5, 'Hello World', 'o', true, 3),
(-7, -0.05, -2.5, 'größe', 'ß', false, -2),
(0, 99999.99, 1e20, '', '', true, 0),
(123456, 0.5, 3.0, 'a,b,,c', ',', null, 2),
(null, null, null, null, 'x', false, null),
(2147483647, -12.5, -0.00001, '  pad  ', ' ', true, 5)
"""
POSTGRES = r"""
i + 1::bigint; -i; i % 5; d * 2; d + i; d - 0.001; d % 3; d % 0.7; d * d; abs(i); abs(d); abs(f); sign(d); sign(f)
floor(d); ceil(d); floor(f); ceiling(f); round(d); round(d, 1); round(d, 5); round(d, -1); round(f); trunc(d); trunc(d, 1); trunc(f); round(i / 10.0); mod(i, 7); mod(d, 2)
sqrt(abs(f)); cbrt(f); exp(n / 10.0::float8); power(f, 2); f ^ 2; -2 ^ 2; 2 ^ 3 ^ 2; ln(abs(f)); log(abs(f)); log10(abs(f)); degrees(n); radians(n::float8); pi()
i & 255; i | 1; i # 7; ~i; n << 2; i >> 2; i & 3 | 4; 1 + 2 << 3
length(s); char_length(s); octet_length(s); lower(s); upper(s); initcap(s); reverse(s); ascii(s); repeat(s, n); left(s, n); right(s, n); left(s, 2); right(s, 2); left(s, -2); right(s, -2)
substring(s, 2); substring(s, 2, 3); substring(s, n); substring(s, -1, 4); substring(s from 3 for 2); substring(s for 3); substr(s, n + 2, 2)
trim(s); ltrim(s); rtrim(s); btrim(s, 'Hd '); trim(both 'aHd' from s); trim(leading 'H' from s); trim(trailing ' d' from s); replace(s, p, '<>'); replace(s, 'l', ''); strpos(s, p); position(p in s)
split_part(s, ',', 2); split_part(s, ',', -1); split_part(s, p, 1); split_part(s, ',', 9); lpad(s, 8, 'xy'); rpad(s, 8, 'xy'); lpad(s, 3); rpad(s, 10); lpad(s, n, 'ab'); lpad(s, 9, '')
s || p; s || '-' || i; i || s; concat(s, p, i); concat(s, null, d); concat_ws('-', s, p, n); concat_ws(p, s, i); starts_with(s, p); starts_with(s, 'Hel')
s = 'größe'; s > p; s like '%o%'; s like 'g_ö%'; s ilike 'HELLO%'; s ~ '^[a-h]'; s ~* '^[A-H]'; s !~ 'o'; s !~* 'WORLD'; s in ('größe', '', 'x'); i in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 123456); d in (12.34, 0.5)
length(s) > 5; lower(s) = 'hello world'; length(s) in (0, 5); upper(s) like 'H%'; i + 1::bigint between 0 and 10; b and length(s) > 3; not b or s = ''; b = (i > 0); (i > 0) is null; (i > 0) is distinct from b
case when i > 0 then 'pos' when i < 0 then 'neg' end; case when b then i else n end; case when b then d else i end; case when b then f else i end; case s when '' then 'empty' when 'größe' then 'size' else s || '!' end; case i when 1 then true when 0 then b else null end
case when i <> 0 then 10 / i else -1 end; case when i is null then 0 else i end; case when b then 'x' end || s; length(case when b then s else p end); case when n > 0 then date '2024-01-01' else date '2023-01-01' end; case when false then 1 else 2 end
coalesce(i, n, 42); coalesce(d, 0); coalesce(f, i, 1); coalesce(s, p); coalesce(null, s, 'none'); coalesce(b, i > 0, false); nullif(i, 0); nullif(s, ''); nullif(d, 0.5); nullif(b, true); nullif(n, d); greatest(i, n); least(i, n, 1); greatest(d, i); least(s, p); greatest(s, p, 'b'); least(f, d); greatest(null, i)
cast(i as text); cast(d as text); cast(f as text); b::text; cast(d as integer); cast(f as double precision); i::numeric(12, 2); d::numeric(8, 1); d::double precision; n::smallint; i::bigint; cast(n as boolean); b::int; f::text || '!'; cast('42' as int) + n; '1.25'::numeric(5, 1) + d; ' 1e3 '::double precision; 'yes'::boolean
cast('2024-05-31' as date) + n; '2024-05-31 10:00:00'::timestamp; cast(timestamp '2024-05-31 10:11:12.5' as date); cast(timestamp '2024-05-31 10:11:12.5' as time); date '2024-05-31'::timestamp; (date '2024-05-31' + n)::text; '1 day 02:00:00'::interval::text
exists_ is null
""".replace("exists_ is null", "s is null; d is not null; i is distinct from n; coalesce(s, p) is null; not (i > 0 and n > 0); s is null and i is null or b")
DUCKDB = r"""
regexp_matches(s, 'l+'); regexp_full_match(s, '[a-zA-Z ]+'); regexp_extract(s, '(\w)(o)'); regexp_extract(s, '(\w)(o)', 1); regexp_replace(s, 'l+', '<\0>'); regexp_replace(s, '[a-z]', '.', 'g'); regexp_replace(s, '(\w+) (\w+)', '\2 \1'); regexp_matches(s, 'HELLO', 'i')
try_cast(s as integer); try_cast(split_part(s, ',', 1) as double); try_cast('7' as tinyint); try_cast(i as smallint); try_cast(i as utinyint); cast(i as hugeint); try_cast(d as decimal(4, 2)); try_cast(s as date); try_cast('x' as boolean); try_cast(f as bigint); cast(f as real)
ends_with(s, 'ld'); contains(s, p); instr(s, 'o'); prefix(s, 'H'); suffix(s, 'e'); strlen(s); ifnull(i, -1); bit_count(i::bigint); xor(i, n); log2(abs(i) + 1); atan2(f, d); sin(n); cos(n); asin(n / 10.0); atan(f)
"""


def expressions(text):
    return [e.strip() for line in text.strip().split("\n") for e in line.split(";")]


def rows(engine):
    double = "double precision"
    return (f"select column1::{engine} i, column2::decimal(9, 2) d, column3::{double} f, column4 s, column5 p, column6 b, column7::int n"
            f", row_number() over () r from (values {ROWS}) t" + ("" if engine == "int" else ""))


def duck(e, con):
    q = rows("int").replace("column", "col").replace(") t", ") t(col1, col2, col3, col4, col5, col6, col7)")
    return [x[0] for x in con.execute(f"select cast({e} as varchar) from ({q}) order by r").fetchall()]


def postgres(e):
    q = f"\\pset null NULL\nselect '=' || ({e})::text from ({rows('int')}) t order by r"
    out = subprocess.run(os.environ["PSQL"].split() + ["-qAt", "-v", "ON_ERROR_STOP=1"], input=q, capture_output=True, text=True)
    if out.returncode:
        raise ValueError(f"{e}: {out.stderr}")
    return [None if x == "NULL" else x[1:] for x in out.stdout.split("\n")[:-1]]


def main():
    con = duckdb.connect()
    with open(os.path.join(os.path.dirname(__file__), "values.txt"), "w") as out:
        for name, text, answer in ("postgres", POSTGRES, postgres), ("duckdb", DUCKDB, lambda e: duck(e, con)):
            for e in expressions(text):
                try:
                    cells = answer(e)
                except Exception as x:
                    print(str(x)[:300])
                    continue
                out.write("\t".join([name, e] + ["NULL" if c is None else "=" + c for c in cells]) + "\n")


main()
