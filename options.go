package colagg

// Options configures an Engine. The zero value means defaults; New refuses
// numbers that are negative or absurd.
type Options struct {
	// Workers is the most goroutines that one query uses; 0 means
	// runtime.GOMAXPROCS(0).
	Workers int
	// MemoryLimit is the most bytes that the engine's queries may hold
	// together in tables, states and buffers; 0 means 70 % of
	// AvailableMemory. The runtime's own limit (debug.SetMemoryLimit,
	// GOMEMLIMIT) is the program's affair and is left as it is: a program that
	// does little else does well to set it to a little more than this.
	MemoryLimit int64
	// TempDirs are the directories for what a query keeps on disk because it
	// is over MemoryLimit; several share it. New refuses those in which no
	// file can be made. Empty means os.TempDir(), which is used, and may fail,
	// when something is written first. Files have no names there, or lose them
	// when the process ends, however it does.
	TempDirs []string
	// MaxTemp is the most bytes that one query may have on disk; 0 means all
	// that there is. A query that needs more fails with an error in which
	// errors.Is finds ErrTempLimit.
	MaxTemp int64
	// BatchRows is the number of rows in a batch; 0 means 8192. Results do
	// not depend on it.
	BatchRows int
	// SkipChecksums makes queries take pages as they are. Otherwise a page
	// with a checksum that its bytes do not have is a *CorruptError, in which
	// errors.Is finds ErrChecksum.
	SkipChecksums bool
}

// Query says what to compute. The zero value of each field means its default.
type Query struct {
	// From is the input: Files, FS, Inputs or Records.
	From Source
	// Where is a condition, such as "fare > 10 AND city IN ('Bern', 'Oslo')":
	// only rows for which it is true count, not those for which it is false or
	// NULL. Empty means all rows.
	Where string
	// Having is a condition of groups, such as "sum(fare) > 100 AND n > 3": only
	// groups for which it is true are in the result. It may name keys, aggregates
	// whether they are in the result or not, and aliases.
	Having string
	// GroupBy lists the key columns. Each entry is a column name, or several
	// separated by commas, in SQL's spelling: bare names match without regard
	// to case where that is unambiguous, "quoted names" exactly; a.b is field
	// b of struct a. A key may be an expression, and have a name, as in
	// "date_trunc('day', t) as day". Empty means one group of all rows.
	GroupBy []string
	// Aggs lists the aggregates, such as "sum(fare) as total"; each entry may
	// hold several separated by commas. Empty means "count(*)".
	Aggs []string
	// Select lists columns, each entry one or several with commas between and
	// with "AS name" behind it or not; * is all. Rows are not grouped then:
	// the result has those of the input, in their order. It goes with neither
	// GroupBy nor Aggs.
	Select []string
	// Distinct leaves out rows that are there already. It needs Select,
	// GroupBy or Aggs; rows of a grouping are distinct anyway.
	Distinct bool
	// OrderBy lists columns of the result to order by: each entry one or
	// several, with commas between, by name, by number from 1, or as the call
	// that they are the result of, such as "sum(fare)"; then ASC or DESC, and
	// NULLS FIRST or NULLS LAST. NULLs come last, or first with DESC; NaN is
	// greater than every number. Rows that are equal in these are ordered by
	// the keys; without keys they stay in the order of the input.
	OrderBy []string
	// Limit is the most rows in the result; 0 means all, and a negative
	// number none. It takes the first rows of those that OrderBy orders, or
	// without that as they come (see Result for their order).
	Limit int64
	// Offset is how many rows are left out before those that Limit counts.
	Offset int64
	// SQL is a whole SELECT statement, such as "SELECT city, sum(fare) FROM
	// 'trips.parquet' GROUP BY city": the fields above are empty then, parts of the
	// statement have their place. Args are the values of its parameters, written
	// $1, $2 or each ?: nil, booleans, numbers, strings and times (those of UTC); of a parameter
	// behind FROM the name of a file, or a Source.
	SQL  string
	Args []any
	// Strategy names the way of aggregation, one of Strategies; "" is "auto".
	// Results do not depend on it.
	Strategy string
	// Progress, if not nil, is told now and then how many of the bytes of the
	// needed column chunks have been read. It is called from one goroutine at
	// a time and must be quick.
	Progress func(done, total int64)
}
