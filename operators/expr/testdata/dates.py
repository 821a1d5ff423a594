#!/usr/bin/env python3
"""Writes dates.txt: expressions of dates and times, and what PostgreSQL 15 and
DuckDB answer for each row of a small table. PSQL is the command of a client
that is connected, such as "psql -h /run/postgresql -U postgres"."""
import os
import subprocess

import duckdb

ROWS = [
    ("2024-05-31", "2024-05-31 12:34:56.789", "2024-03-10 07:30:00", "12:34:56.789", 3),
    ("2024-02-29", "1969-12-31 23:59:59.999999", "2024-11-03 05:30:00.25", "23:59:59.999999", -1),
    ("1999-12-31", "2000-01-01 00:00:00", "1970-01-01 00:00:00", "00:00:00", 0),
    ("1970-01-01", "1850-07-15 06:00:00.000001", "2024-07-01 12:00:00", "04:00:00.000001", 12),
    ("1582-10-15", "2262-04-11 23:47:16", "2024-12-31 23:59:59.999", "06:00:00", 400),
]
POSTGRES = """
day + 1; day - n; n + day; day - date '2024-01-01'; day + interval '1 week'; day - interval '1 month'; day + interval '1 year 2 mons 3 days 04:05:06.7'
ts + interval '1 month'; ts - interval '1 month'; ts + n * interval '1 month'; ts - n * interval '1 day 01:00:00'; ts + interval '0.5 seconds'; interval '1 day' + ts
ts - timestamp '2000-01-01'; ts - day; tz + interval '1 day'; tz - timestamptz '2000-01-01 00:00+00'; ts + (ts - day); ts + (interval '1 day' - interval '1 month'); ts + -interval '1 day'
interval '1 day' * n; (ts - day) * 2; -(ts - day); (ts - day) + interval '1 mon'; (ts - day) - (day - ts)
extract(year from day); extract(quarter from day); extract(month from ts); extract(week from ts); extract(day from ts); extract(dow from day); extract(isodow from day); extract(doy from ts)
extract(isoyear from day); extract(decade from ts); extract(century from day); extract(millennium from day); extract(hour from ts); extract(minute from tz); extract(second from ts)
extract(milliseconds from ts); extract(microseconds from tz); extract(epoch from ts); extract(epoch from day); extract(julian from day); extract(timezone from tz); date_part('year', ts)
extract(day from ts - day); extract(hour from ts - day); extract(epoch from ts - day); extract(epoch from age(ts, day)); extract(year from age(ts, day)); extract(second from interval '1.5 s' * n)
date_trunc('week', ts); date_trunc('hour', tz); date_trunc('millennium', ts); date_trunc('quarter', ts); date_trunc('day', tz, 'America/New_York'); date_trunc('month', tz, 'Asia/Kolkata'); date_trunc('milliseconds', ts); date_trunc('day', ts + n * interval '1 hour')
date_bin('15 minutes', ts, timestamp '2001-01-01'); date_bin('1 day', tz, timestamptz '1000-01-01 03:00+00')
age(ts, day); age(day, ts); age(tz, timestamptz '2000-01-01 00:00+00'); age(timestamp '2024-05-31', ts)
ts at time zone 'Europe/Berlin'; tz at time zone 'America/New_York'; tz at time zone 'Asia/Kolkata'; ts at time zone interval '-02:30'; tz at time zone 'UTC' at time zone 'Australia/Sydney'
date_trunc('day', tz at time zone 'Europe/Berlin'); extract(hour from tz at time zone 'America/New_York'); timezone('Europe/Dublin', tz)
tod - time '06:00'; tod + interval '20 hours'; day + tod; extract(second from tod); extract(hour from tod); extract(epoch from tod); time '12:00' - interval '13:30' * n; date '2024-01-01' + time '03:04'
make_date(2020 + n % 3, 2, 28); make_date(-44, 3, 15)
day::text; ts::text; tz::text; tod::text; (ts - day)::text; age(ts, day)::text; (interval '1 day' * n)::text; (day::text || ' 10:00:00')::timestamp; (tod::text)::time; (tz::text)::timestamptz
ts::date; tz::date; ts::time; day::timestamp; ts::timestamp(3); ts::timestamp(0); ts::timestamptz; tz::timestamp; day::timestamptz; (n || ' days')::interval; ((ts - day)::text)::interval; (ts::text)::date
extract(epoch from ts::time); (tod::interval)::text; '2024-05-31'::date - day; '12:30'::time + interval '1 hour'; ts::text::timestamp - ts
date '2024-01-31' + interval '1 month'; timestamp '2024-01-31 10:00' - interval '1 year'; date '2024-03-01' - date '2024-02-01'; interval '1 month' * 3; extract(week from date '2021-01-03')
"""
DUCKDB = """
date_trunc('month', day); year(ts); month(day); day(ts); hour(ts); minute(ts); quarter(day); week(day); dayofweek(ts); isodow(ts); dayofyear(day); yearweek(ts); era(ts); weekofyear(ts); decade(day); century(ts)
second(ts); millisecond(ts); microsecond(ts); epoch_ms(ts); epoch_us(ts); epoch_us(day); last_day(ts); last_day(day); date_add(day, interval 3 day)
date_diff('month', day, ts); datediff('week', day, ts); date_diff('hour', ts, timestamp '2024-01-01'); date_diff('year', day, date '2024-01-01'); date_diff('microsecond', ts, timestamp '2024-01-01')
time_bucket(interval '5 minutes', ts); time_bucket(interval 1 month, day); time_bucket(interval '2 weeks', ts); time_bucket(interval '5 months', ts); time_bucket(interval '1 day', ts, timestamp '2000-01-01 03:00:00')
monthname(ts); dayname(day); strftime(ts, '%Y/%m/%d %H:%M:%S.%f'); strftime(day, '%a %d %b %Y %j %U'); strftime(tz, '%c%z'); strptime(strftime(ts, '%d.%m.%Y %H:%M:%S.%f'), '%d.%m.%Y %H:%M:%S.%f')
strptime(day::varchar, '%Y-%m-%d')
time_bucket(interval '3 months', day, date '2000-02-01'); time_bucket(interval '10 days', day); time_bucket(interval '1 hour', ts, interval '5 minutes'); time_bucket(interval '2 months', ts, interval '1 day')
make_timestamp(2024, 5, n % 5 + 6, 10, 11, 12.5); make_timestamp(n * 1000000); to_timestamp(n); to_timestamp(n + 0.25)
"""


def expressions(text):
    return [e.strip() for e in text.replace("\n", ";").split(";") if e.strip()]


def postgres(e):
    values = ", ".join(f"(date '{d}', timestamp '{t}', timestamptz '{z}+00', time '{c}', {n})" for d, t, z, c, n in ROWS)
    sql = f"SET timezone = 'UTC'; SET intervalstyle = 'postgres'; SELECT pg_typeof({e}) || '|' || ({e})::text FROM (VALUES {values}) v(day, ts, tz, tod, n)"
    out = subprocess.run(os.environ["PSQL"].split() + ["-XqAt", "-c", sql], capture_output=True, text=True, check=True).stdout
    return [line.split("|") for line in out.strip().split("\n")]


def duck(e):
    values = ", ".join(f"(date '{d}', timestamp '{t}', timestamptz '{z}+00', time '{c}', {n})" for d, t, z, c, n in ROWS)
    con = duckdb.connect()
    con.execute("SET timezone = 'UTC'")
    return con.execute(f"SELECT typeof({e}), ({e})::VARCHAR FROM (VALUES {values}) v(day, ts, tz, tod, n)").fetchall()


KINDS = {"date": "date", "timestamp without time zone": "timestamp", "timestamp with time zone": "timestamp", "text": "text", "varchar": "text", "interval": "interval", "time without time zone": "time",
         "numeric": "number", "integer": "number", "double precision": "number", "bigint": "number", "decimal": "number", "double": "number", "timestamp": "timestamp"}

with open(os.path.join(os.path.dirname(__file__), "dates.txt"), "w") as out:
    for text, ask in ((POSTGRES, postgres), (DUCKDB, duck)):
        for e in expressions(text):
            rows = ask(e)
            print(e, KINDS[rows[0][0].lower()], *(r[1] for r in rows), sep=" | ", file=out)
