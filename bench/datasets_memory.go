package main

// The data sets of `bench memory`: more groups, or more in each, than small
// memory limits hold.

// memoryIDs has 20M rows with keys that are all different, and 1M groups of
// about 20 rows.
func memoryIDs() dataset {
	return dataset{
		name: "memory-ids", about: "20M rows: k different in each, g of 1M groups", rows: 20_000_000,
		raw: []string{"k", "g", "v"}, shape: "k, g, v",
		fill: func(n int64) func(int64, []int64) {
			r, groups := newPCG(21, 1), skewGroups(n)
			keys := r.shuffled(n)
			return func(i int64, dst []int64) {
				dst[0], dst[1], dst[2] = keys[i], r.below(groups), r.below(1_000_000)
			}
		},
	}
}

// memoryTexts has 10M texts of 61 bytes that are all different and begin alike,
// as addresses do; u is different in each row too, and g takes half as many
// values as there are rows.
func memoryTexts() dataset {
	return dataset{
		name: "memory-texts", about: "10M rows: different texts t of 61 bytes, u different in each, g of 5M groups", rows: 10_000_000,
		raw:   []string{"u", "g", "v"},
		shape: "'https://shop.example/item/' || format('{:010d}', u) || '/' || left(md5(u::VARCHAR), 24) AS t, u, g, v",
		fill: func(n int64) func(int64, []int64) {
			r := newPCG(22, 1)
			keys := r.shuffled(n)
			return func(i int64, dst []int64) {
				dst[0], dst[1], dst[2] = keys[i], r.below(max(n/2, 10)), r.below(1_000_000)
			}
		},
	}
}

// memoryLists has 1M groups of 16 rows each, in random order.
func memoryLists() dataset {
	const each = 16
	return dataset{
		name: "memory-lists", about: "16M rows: g of 1M groups with 16 rows each", rows: 1_000_000 * each,
		raw: []string{"g", "v"}, shape: "g, v",
		fill: func(n int64) func(int64, []int64) {
			r := newPCG(23, 1)
			place := r.shuffled(n)
			return func(i int64, dst []int64) {
				dst[0], dst[1] = place[i]/each, r.below(1_000_000)
			}
		},
	}
}
