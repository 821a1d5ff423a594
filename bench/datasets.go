package main

import "fmt"

// dataset describes one generated file. Go draws integer columns from fixed
// seeds and DuckDB shapes them into the file's columns and writes them, so the
// file has the form that a user's files have: snappy, OPTIONAL columns, row
// groups of 122,880 rows, dictionaries where they pay.
type dataset struct {
	name  string
	about string
	rows  int64    // at scale 1
	raw   []string // names of the integer columns that a filler writes
	shape string   // SELECT list over raw
	// fill returns the function that writes row i (called for 0, 1, 2, …, once
	// each) of a table of n rows into dst, one value per raw column.
	fill func(n int64) func(i int64, dst []int64)
}

// file is the name of the data set's file.
func (d dataset) file() string { return d.name + ".parquet" }

// scaled is the number of rows at a scale, at least 1,000.
func (d dataset) scaled(scale float64) int64 {
	return max(int64(float64(d.rows)*scale), 1000)
}

// datasets returns all of them, the most wanted first.
func datasets() []dataset {
	list := []dataset{h2o(), skew("uniform", "drawn uniformly", uniform)}
	for _, share := range []int64{2, 5, 10, 20, 50, 95} {
		list = append(list, skew(fmt.Sprintf("heavy%02d", share),
			fmt.Sprintf("where one holds %d %% of the rows and the rest are uniform", share), heavy(share)))
	}
	return append(list,
		skew("80-20", "where a fifth hold 80 % of the rows", eightyTwenty),
		skew("zipf", "drawn by Zipf's law, exponent 1", zipfKeys),
		sparse(), groups100(), groups5M(), lineitem(), weblog(), wide(),
		memoryIDs(), memoryTexts(), memoryLists())
}

// h2o is the group-by table of the h2o.ai db-benchmark: N = 1e7, K = 100, no
// NULLs, unsorted.
func h2o() dataset {
	const k = 100
	return dataset{
		name: "h2o", about: "the h2o.ai db-benchmark's group-by table, 1e7 rows, K = 100", rows: 10_000_000,
		raw: []string{"id1", "id2", "id3", "id4", "id5", "id6", "v1", "v2", "v3"},
		shape: `format('id{:03d}', id1) AS id1, format('id{:03d}', id2) AS id2, format('id{:010d}', id3) AS id3,
			id4::INTEGER AS id4, id5::INTEGER AS id5, id6::INTEGER AS id6,
			v1::INTEGER AS v1, v2::INTEGER AS v2, v3 / 1000000.0::DOUBLE AS v3`,
		fill: func(n int64) func(int64, []int64) {
			r, small := newPCG(1, 1), max(n/k, 1)
			bounds := []int64{k, k, small, k, k, small, 5, 15}
			return func(_ int64, dst []int64) {
				for c, b := range bounds {
					dst[c] = 1 + r.below(b)
				}
				dst[8] = r.below(100_000_000) // round(runif(max=100), 6)
			}
		},
	}
}

// skewGroups is the number of groups of the skew matrix for n rows: a
// twentieth, so 1M for 20M.
func skewGroups(n int64) int64 { return max(n/20, 10) }

// skew is one file of the skew matrix: 20M rows (k, v) over 1M int64 groups.
// draw returns a function that gives the index of a group in [0, groups);
// indices are mapped to keys by a random permutation, so that frequent groups
// do not lie together.
func skew(name, how string, draw func(r *pcg, groups int64) func() int64) dataset {
	stream := uint64(0)
	for _, c := range []byte(name) {
		stream = mix64(stream + uint64(c))
	}
	return dataset{
		name: name, about: "20M rows over 1M int64 groups " + how, rows: 20_000_000,
		raw: []string{"k", "v"}, shape: "k, v",
		fill: func(n int64) func(int64, []int64) {
			r, groups := newPCG(2, stream), skewGroups(n)
			keys, next := r.shuffled(groups), draw(r, groups)
			return func(_ int64, dst []int64) {
				dst[0] = keys[next()]
				dst[1] = r.below(1_000_000)
			}
		},
	}
}

func uniform(r *pcg, groups int64) func() int64 {
	return func() int64 { return r.below(groups) }
}

func heavy(percent int64) func(*pcg, int64) func() int64 {
	return func(r *pcg, groups int64) func() int64 {
		return func() int64 {
			if r.below(100) < percent {
				return 0
			}
			return 1 + r.below(groups-1)
		}
	}
}

func eightyTwenty(r *pcg, groups int64) func() int64 {
	few := groups / 5
	return func() int64 {
		if r.below(100) < 80 {
			return r.below(few)
		}
		return few + r.below(groups-few)
	}
}

func zipfKeys(r *pcg, groups int64) func() int64 {
	z := newZipf(groups, 1)
	return func() int64 { return z.draw(r) - 1 }
}

// sparse is uniform with keys all over the 64-bit range, so that no engine can
// index an array with them.
func sparse() dataset {
	d := skew("sparse", "drawn uniformly, keys all over the 64-bit range", uniform)
	inner := d.fill
	d.fill = func(n int64) func(int64, []int64) {
		next := inner(n)
		return func(i int64, dst []int64) {
			next(i, dst)
			dst[0] = int64(mix64(uint64(dst[0]) + 1))
		}
	}
	return d
}

func groups100() dataset {
	return dataset{
		name: "groups100", about: "5M rows over 100 int64 groups", rows: 5_000_000,
		raw: []string{"k", "v"}, shape: "k, v",
		fill: func(int64) func(int64, []int64) {
			r := newPCG(3, 1)
			return func(_ int64, dst []int64) {
				dst[0], dst[1] = r.below(100), r.below(1_000_000)
			}
		},
	}
}

// groups5M has every key once.
func groups5M() dataset {
	return dataset{
		name: "groups5m", about: "5M rows over 5M int64 groups", rows: 5_000_000,
		raw: []string{"k", "v"}, shape: "k, v",
		fill: func(n int64) func(int64, []int64) {
			r := newPCG(4, 1)
			keys := r.shuffled(n)
			return func(i int64, dst []int64) {
				dst[0], dst[1] = keys[i], r.below(1_000_000)
			}
		},
	}
}
