package expr

// fewEntries is up to how many entries of a list are looked through one by one:
// a look into the map takes about as long as that many comparisons.
const fewEntries = 8

func (a among) build(c *compiler) test {
	if a.texts != nil {
		return &oneTest[*texts]{of: c.texts(a.v), keep: keepTexts(func(s []byte) bool {
			_, found := a.texts[string(s)]
			return found
		}, a.want)}
	}
	if len(a.ints) > fewEntries {
		return &oneTest[[]int64]{of: c.ints(a.v), keep: func(dst []uint32, v []int64, rows []uint32) []uint32 {
			n := 0
			for _, i := range rows {
				dst[n] = i
				if _, found := a.ints[v[i]]; found == a.want {
					n++
				}
			}
			return dst[:n]
		}}
	}
	few := []int64{}
	for x := range a.ints {
		few = append(few, x)
	}
	return &oneTest[[]int64]{of: c.ints(a.v), keep: func(dst []uint32, v []int64, rows []uint32) []uint32 {
		n := 0
		for _, i := range rows {
			dst[n] = i
			found := false
			for _, x := range few {
				found = found || x == v[i]
			}
			if found == a.want {
				n++
			}
		}
		return dst[:n]
	}}
}
