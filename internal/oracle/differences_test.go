package oracle_test

// difference is a place where the engine agrees neither with DuckDB nor with
// pyarrow.
type difference struct {
	says string // what the comparison finds contains this
	why  string
}

const (
	fuzz      = "apache__arrow-testing/data__parquet__fuzzing__clusterfuzz-testcase-"
	impala    = "apache__impala/testdata__data__"
	impalaBad = "apache__impala/testdata__bad_parquet_data__"
)

// strict is for footers where a field does not have the type that the format
// gives it. DuckDB passes over such a field, so that what it says is missing; a
// footer that breaks its format is better refused.
var strict = difference{"reading the footer: metadata field has the wrong type", "a corrupt footer"}

// unsound is for pages with a wrong checksum, which DuckDB does not look at.
var unsound = difference{"checksum is wrong", "TestSkipChecksums has the values behind it"}

// differences has an entry for each file, or file and column, of the
// collection where the answers differ.
var differences = map[string]difference{
	fuzz + "minimized-parquet-arrow-fuzz-4890562181464064":      strict,
	fuzz + "minimized-parquet-arrow-fuzz-5095252022788096":      strict,
	fuzz + "minimized-parquet-arrow-fuzz-5633048948506624":      strict,
	fuzz + "minimized-parquet-arrow-fuzz-5697144926502912.fuzz": strict,
	fuzz + "minimized-parquet-arrow-fuzz-5745965288128512":      strict,
	fuzz + "minimized-parquet-arrow-fuzz-5747132009283584":      strict,
	fuzz + "minimized-parquet-arrow-fuzz-5754721228029952":      strict,
	fuzz + "parquet-arrow-fuzz-5630594391474176.fuzz":           strict,
	fuzz + "parquet-arrow-fuzz-5634357839790080":                strict,
	fuzz + "parquet-arrow-fuzz-6307367001784320":                strict,

	"aloneguid__parquet-dotnet/src__Parquet.Test__data__thrift__breaking-spec-2024.parquet TotalElapsedTimeMilliseconds_1": {
		"there is no column",
		"two names differ in case only; DuckDB renames one, here each is found by its own spelling",
	},
	impalaBad + "dict-encoded-out-of-bounds.parq s": {
		"string of 12 bytes at byte 0 of 15",
		"the dictionary holds a string that ends behind it; DuckDB reads on",
	},
	impalaBad + "plain-encoded-out-of-bounds.parq s": {
		"string of 12 bytes at byte 0 of 15",
		"the page holds a string that ends behind it",
	},
	impalaBad + "illegal_decimals.parq d2": {
		"answered: count 1, distinct 1, min 0.00, max 0.00",
		"a decimal(20,2) in 2 bytes: more digits are promised than fit, but its value is fine; the file's other columns are refused, by DuckDB all",
	},
	impala + "bad_compressed_size.parquet _c0": {
		"lie outside the file",
		"the chunk is said to be longer than the file, in which pages may be missing; pyarrow refuses it too",
	},
	impala + "bad_rle_literal_count.parquet c": {
		"answered: count 3, distinct 1, min 1, max 1",
		"codes of no bits whose runs are empty: there is nothing to read in them, and every row has the first entry",
	},
	impala + "dateless_timestamps.parq t": {
		"count 7, distinct 5, min -4713-11-22 10:00:00, max 1996-04-22 10:00:00.4321",
		"INT96 of day -2 of the Julian count; DuckDB reads the day as unsigned, and its maximum is in the year 63427",
	},
	impala + "num_values_def_levels_mismatch.parquet _c0": {
		"the pages hold more values than the row group has rows",
		"corrupt; pyarrow refuses it too",
	},
	impala + "out_of_range_time_of_day.parquet d": {
		"count 4, distinct 4, min 1969-12-31 23:59:59.999999, max 1970-01-02 00:00:00",
		"INT96 with -1 nanoseconds of a day, which is the day before; DuckDB makes it 0, pyarrow an unsigned number",
	},
	"apache__parquet-testing/" + checksumFile + " a": unsound,
	"apache__parquet-testing/" + checksumFile + " b": unsound,
	"apache__parquet-testing/data__int96_from_spark.parquet a": {
		"INT96 timestamp 4 is -108302820 days from 1970",
		"a date 294,000 years before our era, which microseconds in 64 bits cannot hold; DuckDB 1.5 wraps it round, DuckDB 2 refuses it",
	},
}
