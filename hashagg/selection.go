package hashagg

import "slices"

// insertionRows is the length up to which a slice is sorted as a whole.
const insertionRows = 12

// selectWord puts into s[k] what sorting would, nothing greater before it and
// nothing less after it (Hoare's quickselect; where it divides badly, the rest
// is sorted).
func selectWord(s []uint64, k int) {
	lo, hi := 0, len(s)
	for bad := 0; hi-lo > insertionRows && bad < 8; {
		p := pivot(s[lo], s[lo+(hi-lo)/2], s[hi-1])
		i, j := lo, hi-1
		for i <= j {
			for s[i] < p {
				i++
			}
			for s[j] > p {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		before := hi - lo
		switch {
		case k <= j:
			hi = j + 1
		case k >= i:
			lo = i
		default:
			return // between them all is p
		}
		if hi-lo > before-before/8 {
			bad++
		}
	}
	slices.Sort(s[lo:hi])
}

// pivot returns the middle one of three.
func pivot(a, b, c uint64) uint64 {
	return max(min(a, b), min(max(a, b), c))
}

// selectRow does the same with rows.
func selectRow(s []headedRow, k int, compare func(x, y headedRow) int) {
	lo, hi := 0, len(s)
	for bad := 0; hi-lo > insertionRows && bad < 8; {
		p := s[lo+(hi-lo)/2]
		i, j := lo, hi-1
		for i <= j {
			for compare(s[i], p) < 0 {
				i++
			}
			for compare(s[j], p) > 0 {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		before := hi - lo
		switch {
		case k <= j:
			hi = j + 1
		case k >= i:
			lo = i
		default:
			return
		}
		if hi-lo > before-before/8 {
			bad++
		}
	}
	slices.SortFunc(s[lo:hi], compare)
}
