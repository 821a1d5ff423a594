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
	if a.wides != nil {
		return &oneTest[[]int128]{of: c.unscaled(a.v), keep: keepAmong(a.wides, a.want)}
	}
	of := c.ints
	if a.v.class == floatClass {
		of = c.ordered
	}
	if len(a.ints) > fewEntries {
		return &oneTest[[]int64]{of: of(a.v), keep: keepAmong(a.ints, a.want)}
	}
	few := []int64{}
	for x := range a.ints {
		few = append(few, x)
	}
	return &oneTest[[]int64]{of: of(a.v), keep: func(dst []uint32, v []int64, rows []uint32) []uint32 {
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

func keepAmong[T comparable](set map[T]struct{}, want bool) func(dst []uint32, v []T, rows []uint32) []uint32 {
	return func(dst []uint32, v []T, rows []uint32) []uint32 {
		n := 0
		for _, i := range rows {
			dst[n] = i
			if _, found := set[v[i]]; found == want {
				n++
			}
		}
		return dst[:n]
	}
}
