package parquetio

import "strings"

// known lists the files of the collection where DuckDB's word is not what
// colagg says, and why.
var known = map[string]string{
	"decimals_with_precision_but_no_scale.parquet":    "a scale that is not given is 0",
	"testdata__data__no_scale.parquet":                "a scale that is not given is 0",
	"testdata__bad_parquet_data__illegal_decimals":    "columns that are no decimal are refused one by one",
	"data__parquet__ARROW-17100.parquet":              "compressed pages marked as not compressed; pyarrow agrees",
	"parquet__interval_dictionary.parquet":            "a column of nulls, which DuckDB counts; pyarrow agrees",
	"BYTE_STREAM_SPLIT__int32":                        "integers in this encoding; pyarrow agrees",
	"BYTE_STREAM_SPLIT__int64":                        "integers in this encoding; pyarrow agrees",
	"data__parquet-testing__byte_stream_split":        "integers in this encoding; pyarrow agrees",
	"data__byte_stream_split_extended.gzip":           "integers, halves and bytes in this encoding; pyarrow agrees",
	"dict-encoded-out-of-bounds.parq":                 "a string reaches beyond its page; pyarrow refuses it too",
	"plain-encoded-out-of-bounds.parq":                "a string reaches beyond its page; pyarrow refuses it too",
	"testdata__data__bad_codec.parquet":               "an unknown codec, refused by column",
	"testdata__data__bad_compressed_size.parquet":     "a chunk longer than the file; pyarrow refuses it too",
	"testdata__data__bad_rle_literal_count.parquet":   "runs of no bits are left out",
	"testdata__data__dateless_timestamps.parq":        "days before 1; DuckDB wraps around",
	"testdata__data__int64_timestamps_nano.parquet":   "nanoseconds at the ends of their range",
	"num_values_def_levels_mismatch.parquet":          "more values than rows; pyarrow refuses it too",
	"testdata__data__out_of_range_time_of_day":        "negative nanoseconds; DuckDB rounds up",
	"bad_data__ARROW-GH-41321.parquet":                "DuckDB looks at other metadata; pyarrow agrees",
	"bad_data__ARROW-RS-GH-6229-DICTHEADER.parquet":   "damaged headers",
	"data__int96_from_spark.parquet":                  "a year too far away is an error; DuckDB wraps around",
	"data__map_no_value.parquet":                      "the columns beside the map can be read",
	"map_key_value.parquet":                           "the columns beside the map can be read",
	"data__non_hadoop_lz4_compressed.parquet":         "codec LZ4; pyarrow agrees",
	"test-data__no_columns_new.parquet":               "no columns, but rows",
	"data__parquet-testing__broken__broken_":          "contradicting annotations are refused by column",
	"data__parquet-testing__invalid":                  "bytes that are not UTF-8 are kept",
	"data__parquet-testing__rle_malicious_bitwidth":   "DuckDB dies",
	"data__parquet-testing__silly-names.parquet":      "DuckDB dies",
	"testdata__retype.parquet":                        "an unknown annotation of one column",
	"testdata__data__huge_num_rows.parquet":           "more rows than values",
	"data__datapage_v1-corrupt-checksum.parquet":      "its checksums are wrong on purpose",
	"parquet__fuzzing__clusterfuzz-testcase":          "damaged at random",
	"parquet__encoding-fuzzing__clusterfuzz-testcase": "damaged at random",
}

// excuse returns why colagg may differ from DuckDB on a file.
func excuse(file string) string {
	for part, why := range known {
		if strings.Contains(file, part) {
			return why
		}
	}
	return ""
}
