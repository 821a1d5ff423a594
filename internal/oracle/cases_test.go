package oracle_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// reportedCase is a fault that some reader of Parquet had with a file of the
// collection, and the right answer: rows of cells in any order, or the kind of
// error and words in it.
type reportedCase struct {
	name, file string
	by, agg    string
	rows       []string
	fails      colagg.Kind // Internal: any other
	says       string
}

// arrowTesting is where the files of the cases are in the collection.
const arrowTesting = "apache__parquet-testing"

// checksumFile has two pages in which a bit was changed.
const checksumFile = "data__datapage_v1-corrupt-checksum.parquet"

// reportedCases have right values that DuckDB, pyarrow or the file's own
// description gives.
var reportedCases = []reportedCase{
	{name: "a column whose sum does not fit 64 bits", file: "data__delta_binary_packed.parquet", agg: "sum(bitwidth64)",
		fails: colagg.Overflow, says: "-151748008046027313152"},
	{name: "a sum beside it", file: "data__delta_binary_packed.parquet", agg: "sum(int_value), count(*), count(bitwidth64), avg(bitwidth64)",
		rows: []string{"-10114055485\t200\t200\t-7.587400402301366e+17"}},
	{name: "float16 keys with NaN and NULL", file: "data__float16_nonzeros_and_nans.parquet", by: "x", agg: "count(*)",
		rows: []string{"-2\t1", "-1\t1", "0\t2", "1\t1", "2\t1", "NaN\t1", "NULL\t1"}},
	{name: "float16 zeros of both signs", file: "data__float16_zeros_and_nans.parquet", agg: "count(*), count(x), min(x), max(x)",
		rows: []string{"3\t2\t0\tNaN"}},
	{name: "a timestamp that no unit holds is not wrapped", file: "data__int96_from_spark.parquet", agg: "max(a)",
		fails: colagg.Corrupt, says: `column "a"`},
	{name: "BYTE_STREAM_SPLIT of floats", file: "data__byte_stream_split.zstd.parquet", agg: "count(*), count(f32), count(f64), min(f64)",
		rows: []string{"300\t300\t300\t-3.0461430547999266"}},
	{name: "names that end in a colon", file: "data__delta_encoding_required_column.parquet", agg: `sum("c_customer_sk:"), max("c_first_name:")`,
		rows: []string{"5408\t\"William\""}},
	{name: "a dictionary of one entry and codes of no bits", file: "bad_data__ARROW-GH-43605.parquet", by: "min_fl", agg: "count(*)",
		rows: []string{"0\t21186"}},
	{name: "an empty compressed data page of version 2", file: "data__page_v2_empty_compressed.parquet", agg: "count(*), count(integer_column)",
		rows: []string{"10\t0"}},
	{name: "a logical type of the future beside a known one", file: "data__unknown-logical-type.parquet", agg: `count(*), max("column with known type")`,
		rows: []string{"3\t\"known string 3\""}},
	{name: "geometry beside text", file: "data__geospatial__geospatial.parquet", agg: `count(*), count(wkt), count("group"), max("group")`,
		rows: []string{"196\t164\t196\t\"polygon-zm\""}},
	{name: "geography beside integers", file: "data__geospatial__geography-lines.parquet", agg: "count(*), sum(id)", rows: []string{"499\t124662"}},
	{name: "fewer values than rows are not the end", file: "bad_data__ARROW-GH-41317.parquet", agg: "count(timestamp_us_no_tz)",
		fails: colagg.Corrupt, says: "ARROW-GH-41317"},
	{name: "a bit width of 254", file: "bad_data__ARROW-GH-41321.parquet", agg: "sum(int64)", fails: colagg.Corrupt, says: `column "int64"`},
	{name: "a page with too many values", file: "bad_data__ARROW-GH-41321.parquet", agg: "count(large_binary)", fails: colagg.Corrupt, says: `column "large_binary"`},
	{name: "a fixed length of nothing", file: "bad_data__ARROW-GH-47662.parquet", agg: "count(flba_field)", fails: colagg.Corrupt, says: "ARROW-GH-47662"},
	{name: "40,000 pages", file: "data__overflow_i16_page_cnt.parquet", by: "inc", agg: "count(*)", rows: []string{"false\t40000"}},
	{name: "a chunk in pages of ten values", file: "data__alltypes_tiny_pages_plain.parquet", agg: "count(*), sum(id), sum(bigint_col), max(string_col)",
		rows: []string{"7300\t26641350\t328500\t\"9\""}},
	{name: "a checksum that is wrong", file: checksumFile, agg: "sum(a)", fails: colagg.Corrupt, says: "checksum"},
	{name: "checksums that are right", file: "data__datapage_v1-snappy-compressed-checksum.parquet", agg: "count(*), count(a), sum(b)",
		rows: []string{"5120\t5120\t129016125440"}},
	{name: "an encrypted footer", file: "data__encrypt_columns_and_footer.parquet.encrypted", agg: "count(*)", fails: colagg.Unsupported, says: "encrypted"},
	{name: "encrypted columns under a plain footer", file: "data__aes256__encrypt_columns_plaintext_footer.parquet.encrypted", agg: "count(double_field)",
		fails: colagg.Unsupported, says: "encrypted"},
	{name: "flat columns beside maps of maps", file: "data__nested_maps.snappy.parquet", by: "b", agg: "count(*), sum(c)", rows: []string{"1\t6\t6"}},
	{name: "a map is not a key", file: "data__nested_maps.snappy.parquet", by: "a", agg: "count(*)", says: "column a is a"},
	{name: "beside nested columns of Impala", file: "data__nullable.impala.parquet", agg: "sum(id), count(nested_struct.A)", rows: []string{"28\t2"}},
	{name: "a repeated field without annotation", file: "data__repeated_no_annotation.parquet", agg: "sum(id)", rows: []string{"21"}},
	{name: "a list is refused by name", file: "data__list_columns.parquet", agg: "count(int64_list)", says: "column int64_list is a list"},
	{name: "a map without values", file: "data__map_no_value.parquet", agg: "count(*)", rows: []string{"3"}},
	{name: "a map whose keys are optional", file: "data__incorrect_map_schema.parquet", agg: "count(*)", rows: []string{"1"}},
	{name: "a dictionary page at offset 0", file: "data__dict-page-offset-zero.parquet", agg: "count(*), count(l_partkey), min(l_partkey)", rows: []string{"39\t39\t1552"}},
	{name: "RLE booleans", file: "data__rle_boolean_encoding.parquet", by: "datatype_boolean", agg: "count(*)", rows: []string{"NULL\t6", "false\t26", "true\t36"}},
	{name: "levels cut short", file: "bad_data__ARROW-RS-GH-6229-LEVELS.parquet", agg: "count(*)", rows: []string{"1"}},
	{name: "a page header that is damaged", file: "bad_data__ARROW-RS-GH-6229-DICTHEADER.parquet", agg: "count(comment_col)", fails: colagg.Corrupt, says: "comment_col"},
}

// TestReportedCases runs the cases in every way.
func TestReportedCases(t *testing.T) {
	dir := filepath.Join(collection(t), "files", arrowTesting)
	for _, c := range reportedCases {
		t.Run(c.name, func(t *testing.T) {
			q := colagg.Query{From: colagg.Files(filepath.Join(dir, c.file)), Aggs: []string{c.agg}}
			if c.by != "" {
				q.GroupBy = []string{c.by}
			}
			for _, v := range variants(100_000) {
				got, _, err := v.run(q)
				if d := c.differs(got, err); d != "" {
					t.Fatalf("%s: %s", v, d)
				}
			}
		})
	}
}

// differs says how the outcome is not that of the case, or returns "".
func (c *reportedCase) differs(got answer, err error) string {
	if c.says != "" {
		var e *colagg.Error
		switch {
		case err == nil:
			return "no error, but\n" + table(got.rows)
		case !errors.As(err, &e) || e.Kind != c.fails && c.fails != colagg.Internal || e.Kind == colagg.Internal || !strings.Contains(err.Error(), c.says):
			return "the error is " + err.Error() + "; want " + c.fails.String() + " with " + c.says
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, row := range got.rows {
		lines = append(lines, strings.Join(row, "\t"))
	}
	want := slices.Clone(c.rows)
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		return "got\n" + table(got.rows) + "\nwant\n" + strings.Join(want, "\n")
	}
	return ""
}

// TestSkipChecksums reads what a wrong checksum guards.
func TestSkipChecksums(t *testing.T) {
	eng, err := colagg.New(colagg.Options{SkipChecksums: true})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	src := colagg.Files(filepath.Join(collection(t), "files", arrowTesting, checksumFile))
	res, err := eng.Query(t.Context(), colagg.Query{From: src, Aggs: []string{"count(a), sum(a), count(b), sum(b)"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	got, err := drain(res)
	c := reportedCase{rows: []string{"5120\t43118090496\t5120\t129016190976"}}
	if d := c.differs(got, err); d != "" {
		t.Error(d)
	}
}
