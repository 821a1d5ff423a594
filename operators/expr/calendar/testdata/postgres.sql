-- What PostgreSQL 15 answers; its output is postgres.txt:
-- psql -XqAt -f postgres.sql > postgres.txt
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE TEMP TABLE u AS SELECT i, ('x' || substr(md5('a' || i), 1, 8))::bit(32)::bigint AS a, ('x' || substr(md5('b' || i), 1, 8))::bit(32)::bigint AS b
FROM generate_series(1, 120) i;
CREATE TEMP TABLE t AS SELECT i, a, b, CASE i % 4
    WHEN 0 THEN timestamp '1970-01-01' + (a - 2147483648) * interval '90 seconds'
    WHEN 1 THEN timestamp '2000-01-01' + (a - 2147483648) * interval '0.3 seconds' + (b % 1000000) * interval '1 microsecond'
    WHEN 2 THEN date_trunc('month', timestamp '2000-01-01' + (a - 2147483648) * interval '1 second') - (b % 2) * interval '1 microsecond'
    ELSE date_trunc('year', timestamp '1500-01-01' + (a - 2147483648) * interval '40 seconds') - (b % 2) * interval '1 microsecond' END AS x FROM u;
SELECT concat_ws('|', 'extract', x, extract(microsecond from x), extract(millisecond from x), extract(second from x), extract(minute from x), extract(hour from x), extract(day from x),
    extract(week from x), extract(month from x), extract(quarter from x), extract(year from x), extract(decade from x), extract(century from x), extract(millennium from x),
    extract(isoyear from x), extract(dow from x), extract(isodow from x), extract(doy from x), extract(epoch from x)) FROM t ORDER BY i;
SELECT concat_ws('|', 'trunc', x, date_trunc('microsecond', x), date_trunc('millisecond', x), date_trunc('second', x), date_trunc('minute', x), date_trunc('hour', x), date_trunc('day', x),
    date_trunc('week', x), date_trunc('month', x), date_trunc('quarter', x), date_trunc('year', x), date_trunc('decade', x), date_trunc('century', x), date_trunc('millennium', x)) FROM t ORDER BY i;
SELECT concat_ws('|', 'add', x, v, x + v, x - v) FROM (SELECT i, x, make_interval(months => (a % 50 - 20)::int, days => (b % 90 - 40)::int, secs => (a % 7777777 - 3333333) / 1000.0) AS v FROM t) s ORDER BY i;
SELECT concat_ws('|', 'age', p.x, q.x, age(p.x, q.x), p.x - q.x) FROM t p JOIN t q ON q.i = p.i + 4 ORDER BY p.i;
SELECT concat_ws('|', 'interval', s, s::interval, (s::interval * 3), extract(epoch from s::interval), extract(year from s::interval), extract(month from s::interval),
    extract(day from s::interval), extract(hour from s::interval), extract(minute from s::interval), extract(second from s::interval))
FROM unnest(ARRAY['1 year 2 mons 3 days 04:05:06', '1 year 2 months 3 days 4 hours 5 minutes 6 seconds', '1h', '1h30m', '2d 3h', 'P1Y2M3DT4H5M6S', 'PT0.5S', 'P1W', 'P1.5D',
    '-1 day', '-1 day +04:00:00', '1 day -04:00:00', '-1 year -2 mons +3 days -04:05:06.789', '3 04:05:06', '1-2', '-1-2', '5', '1.5', '-0.25', '1.5 hours', '0.5 day', '1.5 months',
    '1.5 years', '1.33 years', '2 weeks', '0.1 week', '3 days ago', '1 mon 2 days ago', '@ 1 minute', '1 century', '2 decades', '1 millennium', '100 milliseconds', '7 us',
    '26:00:00', '1:02', '-1:02:03.004', '0', '00:00:00.000001', '14 mons', '-14 mons', '1 mon -1 day', '40 days 100:00', '.5 s']) s;
SELECT concat_ws('|', 'compare', p, q, CASE WHEN p::interval < q::interval THEN -1 WHEN p::interval = q::interval THEN 0 ELSE 1 END)
FROM unnest(ARRAY['1 mon', '30 days', '720 hours', '1 year', '360 days', '365 days', '1 day -1 hour', '23 hours', '-1 mon', '0', '1 us']) p,
    unnest(ARRAY['30 days', '1 mon', '24 hours', '1 day', '12 mons', '-30 days']) q;
SELECT concat_ws('|', 'bin', w, x, o, date_bin(w::interval, x, o)) FROM (SELECT i, x, (ARRAY['15 minutes', '1 hour', '7 days', '1 day 01:00:00', '0.7 seconds'])[i % 5 + 1] w, greatest(x - interval '400 days', timestamp '1000-01-01') o FROM t WHERE x > '1001-01-01') s ORDER BY i LIMIT 40;
SELECT concat_ws('|', 'zone', z, y, (y AT TIME ZONE 'UTC') AT TIME ZONE z, (y AT TIME ZONE z) AT TIME ZONE 'UTC') FROM
    (SELECT i, z, timestamp '1975-01-01' + (a % 2000000000) * interval '1 second' y FROM t, unnest(ARRAY['America/New_York', 'Europe/Berlin', 'Asia/Kolkata']) z WHERE i < 10) s;
SELECT concat_ws('|', 'zone', z, y, (y AT TIME ZONE 'UTC') AT TIME ZONE z, (y AT TIME ZONE z) AT TIME ZONE 'UTC') FROM
    (SELECT z, d + k * interval '15 minutes' y FROM (VALUES ('America/New_York', timestamp '2024-03-10 01:15'), ('America/New_York', timestamp '2024-11-03 00:15'), ('Europe/Berlin', timestamp '2024-03-31 01:15'),
        ('Europe/Berlin', timestamp '2024-10-27 01:15'), ('Australia/Lord_Howe', timestamp '2024-10-06 01:15'), ('Australia/Lord_Howe', timestamp '2024-04-07 01:00'), ('Europe/Dublin', timestamp '1980-03-16 01:15'),
        ('Europe/Dublin', timestamp '1980-10-26 01:15'), ('Europe/Moscow', timestamp '2014-10-26 00:15'), ('Pacific/Apia', timestamp '2011-12-29 22:00'), ('Pacific/Apia', timestamp '2011-12-30 23:00')) v(z, d), generate_series(0, 9) k) s;
