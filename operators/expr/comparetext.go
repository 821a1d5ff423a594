package expr

import "bytes"

// compareText compares texts with a constant.
func compareText(rel relation, with []byte) func(dst []uint32, v *texts, rows []uint32) []uint32 {
	if rel == equal || rel == notEqual {
		return keepTexts(func(s []byte) bool { return bytes.Equal(s, with) }, rel == equal)
	}
	return func(dst []uint32, v *texts, rows []uint32) []uint32 {
		n, keeps := 0, rel.keeps()
		for _, i := range rows {
			dst[n] = i
			n += int(keeps >> (bytes.Compare(v.at(i), with) + 1) & 1)
		}
		return dst[:n]
	}
}

func compareTexts(rel relation, dst []uint32, a, b *texts, rows []uint32) []uint32 {
	n, keeps := 0, rel.keeps()
	for _, i := range rows {
		dst[n] = i
		n += int(keeps >> (bytes.Compare(a.at(i), b.at(i)) + 1) & 1)
	}
	return dst[:n]
}

// keepTexts keeps the texts that are as wanted.
func keepTexts(is func([]byte) bool, want bool) func(dst []uint32, v *texts, rows []uint32) []uint32 {
	return func(dst []uint32, v *texts, rows []uint32) []uint32 {
		n := 0
		for _, i := range rows {
			dst[n] = i
			if is(v.at(i)) == want {
				n++
			}
		}
		return dst[:n]
	}
}
