package parquetio

// unwanted returns how many rows from at on are not in sel, from which those before
// at are taken away.
func unwanted(sel *[]uint32, at int) int {
	for len(*sel) > 0 && int((*sel)[0]) < at {
		*sel = (*sel)[1:]
	}
	if len(*sel) == 0 {
		return 0
	}
	return int((*sel)[0]) - at
}

// wanted returns how many rows from at on there are up to the next manyRows that
// sel, which begins at or behind at, does not have.
func wanted(sel []uint32, at int) int {
	for i, row := range sel[1:] {
		if row-sel[i] > manyRows {
			return int(sel[i]) + 1 - at
		}
	}
	return int(sel[len(sel)-1]) + 1 - at
}

// omit passes over m rows of a batch of n that has at, and makes them NULL.
func (c *columnReader) omit(at, m, n int) error {
	if err := c.seek(c.row() + int64(m)); err != nil || c.flat == nil {
		return err
	}
	if err := c.marked(at, n); err != nil {
		return err
	}
	for i := at; i < at+m; i++ {
		c.valid.Clear(i)
	}
	return c.put(at, m, 0, n)
}

// marked makes sure that the batch, of n rows of which it has at, has a bitmap.
func (c *columnReader) marked(at, n int) error {
	if c.nulls {
		return nil
	}
	b, err := c.mem.grow(c.valid, (n+7)/8)
	if err != nil {
		return err
	}
	c.valid, c.nulls = b, true
	c.valid.SetRange(0, at)
	return nil
}
