package oracle_test

// difference is a place where the engine and DuckDB do not agree, and rightly so.
type difference struct {
	says string // what the comparison finds contains this
	why  string
}

// differences has an entry for each file, or file and column, of the
// collection where the answers differ.
var differences = map[string]difference{}
