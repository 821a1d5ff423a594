package main

import (
	"fmt"
	"strings"
)

// lineitem has the columns of TPC-H's table that its query 1 and query 18
// need, with the specification's value ranges and correlations, at about scale
// factor 1.
func lineitem() dataset {
	// Days since 1992-01-01, as in the specification (4.2.2.12, 4.2.3).
	const orderDays, currentDay = 2406 - 151, 1263 // up to 1998-08-02 less 151 days; 1995-06-17
	return dataset{
		name: "lineitem", about: "6M rows of a table like TPC-H's lineitem", rows: 6_000_000,
		raw: []string{"okey", "line", "part", "qty", "price", "disc", "tax", "rflag", "status", "ship", "mode"},
		shape: `okey AS l_orderkey, part AS l_partkey, line::INTEGER AS l_linenumber,
			qty::DECIMAL(15,2) AS l_quantity,
			(price::DECIMAL(15,0) * 0.01::DECIMAL(2,2))::DECIMAL(15,2) AS l_extendedprice,
			(disc::DECIMAL(15,0) * 0.01::DECIMAL(2,2))::DECIMAL(15,2) AS l_discount,
			(tax::DECIMAL(15,0) * 0.01::DECIMAL(2,2))::DECIMAL(15,2) AS l_tax,
			['R', 'A', 'N'][rflag + 1] AS l_returnflag, ['O', 'F'][status + 1] AS l_linestatus,
			DATE '1992-01-01' + ship::INTEGER AS l_shipdate,
			['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'][mode + 1] AS l_shipmode`,
		fill: func(n int64) func(int64, []int64) {
			r := newPCG(5, 1)
			parts := max(n/30, 1)
			var order, left, line, date int64
			return func(_ int64, dst []int64) {
				if left == 0 {
					order++
					left, line, date = 1+r.below(7), 0, r.below(orderDays)
				}
				left--
				line++
				part, qty := 1+r.below(parts), 1+r.below(50)
				ship := date + 1 + r.below(121)
				rflag, status := int64(2), int64(0)
				if ship+1+r.below(30) <= currentDay {
					rflag = r.below(2)
				}
				if ship <= currentDay {
					status = 1
				}
				// The specification's sparse order keys: 8 of every 32 are used.
				okey := (order-1)/8*32 + (order-1)%8 + 1
				retail := 90000 + part/10%20001 + 100*(part%1000)
				copy(dst, []int64{okey, line, part, qty, qty * retail, r.below(11), r.below(9), rflag, status, ship, r.below(7)})
			}
		},
	}
}

// weblog is a hit table as a web analytics service keeps it: long URLs, search
// phrases that are mostly empty, users with few hits each.
func weblog() dataset {
	return dataset{
		name: "weblog", about: "5M page hits with long URLs and mostly empty search phrases", rows: 5_000_000,
		raw: []string{"sec", "counter", "usr", "region", "width", "adv", "page", "h1", "h2", "phrase", "p1"},
		shape: `make_timestamp((1372636800 + sec) * 1000000) AS event_time, counter::INTEGER AS counter_id,
			usr AS user_id, region::INTEGER AS region_id, width::SMALLINT AS resolution_width, adv::SMALLINT AS adv_engine_id,
			'https://' || ['www', 'shop', 'news', 'forum', 'm'][h1 % 5 + 1] || '.site' || (h1 // 5 % 3000) || '.example/'
				|| ['catalog', 'articles/archive', 'users/profile', 'search', 'item/details'][h2 % 5 + 1] || '/'
				|| format('{:x}', h1) || '/' || format('{:x}', h2) || '/page-' || page
				|| CASE WHEN h2 % 3 = 0 THEN '?from=' || format('{:x}', h1 // 7) || '&utm_source=campaign&session='
					|| format('{:016x}', h2 * 31) || format('{:016x}', h1 * 17) ELSE '.html' END AS url,
			CASE WHEN phrase = 0 THEN '' ELSE 'how to ' || format('{:x}', p1 % 65536) || ' with ' || format('{:x}', p1 // 65536)
				|| ' number ' || phrase END AS search_phrase`,
		fill: func(n int64) func(int64, []int64) {
			r := newPCG(6, 1)
			pages, users := newZipf(max(n*2/5, 10), 0.9), newZipf(max(n/5, 10), 0.6)
			regions, phrases := newZipf(5000, 1.1), newZipf(max(n/10, 10), 0.8)
			counters := newZipf(6000, 1)
			widths := []int64{1024, 1280, 1366, 1440, 1600, 1638, 1680, 1920, 0}
			return func(i int64, dst []int64) {
				page := pages.draw(r)
				h := mix64(uint64(page))
				phrase, adv := int64(0), int64(0)
				if r.below(100) >= 87 {
					phrase = phrases.draw(r)
				}
				if r.below(100) < 2 {
					adv = 1 + r.below(60)
				}
				usr := int64(mix64(uint64(users.draw(r))+77) >> 1)
				copy(dst, []int64{i * 2592000 / n, counters.draw(r), usr, regions.draw(r), widths[r.below(9)], adv,
					page, int64(h >> 32), int64(h & 0xffffffff), phrase, int64(mix64(uint64(phrase)) >> 40)})
			}
		},
	}
}

// wide has 13 text keys and 7 decimal values: 592,000 groups in 3M rows, so
// five rows a group, and keys of one to 32 bytes.
func wide() dataset {
	return dataset{
		name: "wide", about: "3M rows, 13 text keys with 592K groups, 7 decimal values", rows: 3_000_000,
		raw: []string{"g", "h1", "h2", "h3", "v1", "v2", "v3", "v4", "v5", "v6", "v7"},
		shape: `format('{:02x}', h1 % 3) AS k01, left(md5((h1 % 40)::VARCHAR), 8) AS k02, md5(g::VARCHAR) AS k03,
			md5((h2 % 5000)::VARCHAR) AS k04, md5((h3 % 300)::VARCHAR) AS k05,
			format('{:02x}', h2 % 4) AS k06, left(md5((h3 % 25)::VARCHAR), 8) AS k07, md5((h1 % 20000)::VARCHAR) AS k08,
			'account-' || (h2 % 700) AS k09, md5((h3 % 50000)::VARCHAR) AS k10,
			left(md5((h1 % 900)::VARCHAR), 16) AS k11, 'unit ' || (h2 % 12) AS k12, md5(((h1 + h2) % 100000)::VARCHAR) AS k13,
			` + decimals("v1", "v2", "v3", "v4", "v5", "v6", "v7"),
		fill: func(n int64) func(int64, []int64) {
			r := newPCG(7, 1)
			groups := max(n*592/3000, 10)
			keys := r.shuffled(groups)
			return func(i int64, dst []int64) {
				g := keys[i%groups]
				if i%groups == groups-1 { // the next round in another order
					for a := groups - 1; a > 0; a-- {
						b := r.below(a + 1)
						keys[a], keys[b] = keys[b], keys[a]
					}
				}
				h := mix64(uint64(g) + 1)
				dst[0], dst[1], dst[2], dst[3] = g, int64(h>>40), int64(h>>20&0xfffff), int64(h&0xfffff)
				for c := 4; c < 11; c++ {
					dst[c] = r.below(20_000_000) - 2_000_000
				}
			}
		},
	}
}

// decimals is the part of a SELECT list that turns integer columns of
// hundredths into DECIMAL(18,2).
func decimals(names ...string) string {
	var list []string
	for _, n := range names {
		list = append(list, fmt.Sprintf("(%s::DECIMAL(18,0) * 0.01::DECIMAL(2,2))::DECIMAL(18,2) AS %s", n, n))
	}
	return strings.Join(list, ", ")
}
