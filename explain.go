package colagg

import "time"

// planVersion is Plan.Version.
const planVersion = 1

// Plan is how a query is answered: pipelines of operators, each with what was
// estimated and, once the query has run, what it did. Engine.Explain gives one
// without running the query, Result.Plan one of a query that ran.
//
// It marshals to JSON with the field names below: times are in nanoseconds (_ns)
// and sizes in bytes (_bytes); a number that is not known is -1 in a Figure.
// String gives it as text, WriteHTML as a page.
//
// Times are wall-clock times, those of several workers added up unless it says
// otherwise: on a machine with fewer processors than workers they have waits in
// them.
type Plan struct {
	// Version is 1, and rises when a field changes its meaning.
	Version int `json:"version"`
	// Executed says that the query has run; otherwise there are estimates
	// only, and all else is 0.
	Executed bool `json:"executed"`
	// GroupBy and Aggregates are the keys and calls, names resolved.
	GroupBy    []string `json:"group_by"`
	Aggregates []string `json:"aggregates"`
	// Where is the condition of the rows that count, as it was written.
	Where string `json:"where,omitempty"`
	// Having is the condition of the groups that are in the result.
	Having string `json:"having,omitempty"`
	// Select is the SELECT list, if there is one, and Distinct whether rows that
	// are there already are left out.
	Select   []string `json:"select,omitempty"`
	Distinct bool     `json:"distinct,omitempty"`
	// OrderBy are the columns of the result that it is ordered by.
	OrderBy []string `json:"order_by,omitempty"`
	// Elapsed is all of the time by the clock on the wall: Planning, the
	// pipelines' Elapsed and Finish.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Planning is finding files, reading footers and resolving names.
	Planning time.Duration `json:"planning_ns"`
	// Pipelines are in the order in which they run.
	Pipelines []Pipeline `json:"pipelines"`
	Memory    MemoryUse  `json:"memory"`
	Temp      TempUse    `json:"temp"`
}

// Figure is a number before and after the run; -1 is not known.
type Figure struct {
	Estimate int64 `json:"estimate"`
	Actual   int64 `json:"actual"`
}

// Pipeline is what a number of workers do to each batch, from a source to the
// operator that keeps it.
type Pipeline struct {
	Name string `json:"name"` // "aggregation", "ordering" or "output"
	// Workers is how many there are, and how many of them got a batch.
	Workers Figure `json:"workers"`
	// Elapsed is by the clock on the wall, from the start of the workers to
	// the end of the last one, and Finish that of finishing what the last
	// operator keeps, after that.
	Elapsed time.Duration `json:"elapsed_ns"`
	Finish  time.Duration `json:"finish_ns"`
	// WorkerTimes has one for each worker.
	WorkerTimes []WorkerTime `json:"worker_times"`
	// Operators are in the order in which a batch passes them.
	Operators []Operator `json:"operators"`
}

// WorkerTime is what one worker did. Source and Sink are parts of Total.
type WorkerTime struct {
	Rows    int64         `json:"rows"`
	Batches int64         `json:"batches"`
	Source  time.Duration `json:"source_ns"` // in the pipeline's first operator
	Sink    time.Duration `json:"sink_ns"`   // in its last
	Total   time.Duration `json:"total_ns"`
}

// Operator is one step of a pipeline.
type Operator struct {
	Name    string `json:"name"` // "scan", "filter", "project", "aggregate", "groups", "having", "expand", "order", "ordered rows", "concat", "limit", a set operation or "output"
	Detail  string `json:"detail"`
	RowsIn  Figure `json:"rows_in"`
	RowsOut Figure `json:"rows_out"`
	// Batches is how many were taken; of a scan, given.
	Batches int64 `json:"batches"`
	// Time is that of all workers, and of finishing.
	Time time.Duration `json:"time_ns"`
	// One of these, or none, has more.
	Scan      *ScanUse      `json:"scan,omitempty"`
	Aggregate *AggregateUse `json:"aggregate,omitempty"`
	Order     *OrderUse     `json:"order,omitempty"`
}

// OrderUse is the part of a Plan that orders.
type OrderUse struct {
	// Limit is how many rows are wanted, or -1 for all. Where there is one,
	// Kept is how many rows were not dropped as soon as they came.
	Limit int64 `json:"limit"`
	Kept  int64 `json:"kept"`
	// Runs is how many sorted runs the workers made, SpilledRuns how many runs
	// were written to disk, and Passes how often runs on disk were merged into
	// longer ones before the last merge.
	Runs         int   `json:"runs"`
	SpilledRuns  int   `json:"spilled_runs"`
	SpilledBytes int64 `json:"spilled_bytes"`
	Passes       int   `json:"merge_passes"`
}

// ScanUse is the part of a Plan that reads. Without files there are names and
// types of columns only.
type ScanUse struct {
	Files     int    `json:"files"`
	RowGroups Figure `json:"row_groups"`
	// RowGroupsSkipped is how many were not touched, as none of their rows
	// can be wanted.
	RowGroupsSkipped int64 `json:"row_groups_skipped"`
	// Skips says how many of them, and which pages of others, the filter's
	// columns have no wanted row in, and what told so.
	Skips SkipUse `json:"skips"`
	// Morsels are what a worker takes at a time: row groups or parts of them.
	Morsels Figure `json:"morsels"`
	// Bytes, Pages, PagesSkipped and BytesSkipped are the sums over the
	// columns.
	Bytes        Figure      `json:"read_bytes"`
	Pages        int64       `json:"pages"`
	PagesSkipped int64       `json:"pages_skipped"`
	BytesSkipped int64       `json:"skipped_bytes"`
	Columns      []ColumnUse `json:"columns"`
}

// SkipUse is what a filter keeps from being read. Statistics are known before the
// run, all else after it.
type SkipUse struct {
	ByStatistics  int64 `json:"row_groups_by_statistics"`
	ByBloomFilter int64 `json:"row_groups_by_bloom_filter"`
	ByDictionary  int64 `json:"row_groups_by_dictionary"`
	ByPageIndex   int64 `json:"row_groups_by_page_index"`
	// GroupBytes is the compressed size of the columns in these row groups.
	GroupBytes int64 `json:"row_group_bytes"`
	// Pages are those that the page index excludes in the row groups that are
	// read, and PageBytes their compressed size.
	Pages     int64 `json:"pages_by_page_index"`
	PageBytes int64 `json:"page_bytes"`
	// Unusable is how many indexes and filters were damaged and passed over, and
	// Read what was fetched of all of them.
	Unusable int64 `json:"unusable"`
	Read     int64 `json:"read_bytes"`
}

// ColumnUse is one column of a scan.
type ColumnUse struct {
	Name string `json:"name"`
	Type string `json:"type"` // Arrow's name
	// Bytes is the compressed size of the column's chunks, and what was
	// fetched of the files: more by what was read ahead, and by what several
	// workers read of a row group that they share; less by what was skipped.
	Bytes        Figure   `json:"read_bytes"`
	Uncompressed int64    `json:"uncompressed_bytes"`
	Encodings    []string `json:"encodings"`
	Codecs       []string `json:"codecs"`
	Rows         int64    `json:"rows"` // decoded
	Pages        int64    `json:"pages"`
	Dictionaries int64    `json:"dictionary_pages"`
	// PagesSkipped and BytesSkipped are of data pages that were stepped over,
	// as none of their rows were wanted there.
	PagesSkipped int64 `json:"pages_skipped"`
	BytesSkipped int64 `json:"skipped_bytes"`
	// Read is fetching bytes, Decompress decompressing pages, Decode all
	// else. They are parts of the scan's Time.
	Read       time.Duration `json:"read_ns"`
	Decompress time.Duration `json:"decompress_ns"`
	Decode     time.Duration `json:"decode_ns"`
}

// AggregateUse is the part of a Plan that groups. What its strategy does not
// have is 0.
type AggregateUse struct {
	Strategy        string `json:"strategy"`
	Reason          string `json:"reason"`            // why this strategy
	KeyFormExpected string `json:"key_form_expected"` // "x or y" where the first batch decides
	KeyForm         string `json:"key_form"`          // "none", "array", "packed" or "bytes"
	KeyReason       string `json:"key_reason"`        // why, where there was a choice; "" before the run
	// Groups are the groups; the estimate is how many the ranges and the
	// dictionaries of the keys allow.
	Groups Figure `json:"groups"`
	// GroupsForetold are as many as the keys of the first batch let expect; 0
	// if it was not asked.
	GroupsForetold int64 `json:"groups_foretold"`

	// Costs are predicted before the first row, for GroupsAssumed groups: the
	// estimate, or a guess where there is none. CostsForetold are those of the
	// groups foretold. They are empty without keys, and where the first batch
	// was not asked. Taken and TakenMemory are what it came to: the time that
	// grouping and bringing together took by the clock, as that of the worker
	// that had most to do, and the peaks of what Costs counts.
	GroupsAssumed int64          `json:"groups_assumed"`
	Costs         []StrategyCost `json:"costs"`
	CostsForetold []StrategyCost `json:"costs_foretold"`
	Taken         time.Duration  `json:"taken_ns"`
	TakenMemory   int64          `json:"taken_bytes"`

	Switches []StrategySwitch `json:"switches"`
	// MoreSwitches is how many were not kept: of each worker the first 16 are.
	MoreSwitches int `json:"more_switches"`
	Partitions   int `json:"partitions"` // that groups are spread over

	// Group is from keys to tickets and Update that of states; with what
	// workers do when they begin and end, they are the workers' Sink times.
	Group  time.Duration `json:"group_ns"`
	Update time.Duration `json:"update_ns"`
	// Finish is by the clock on the wall; Merge, of states of workers, is a
	// part of it.
	Merge  time.Duration `json:"merge_ns"`
	Finish time.Duration `json:"finish_ns"`

	LocalHits    int64   `json:"local_hits"`     // rows that a worker's own table answered
	LocalHitRate float64 `json:"local_hit_rate"` // LocalHits by rows, 0 to 1
	StagedRows   int64   `json:"staged_rows"`    // set aside by partition
	StagedBytes  int64   `json:"staged_bytes"`
	Drains       int64   `json:"drains"` // times that staged rows went into their partition
	DrainedBytes int64   `json:"drained_bytes"`
	// HandedGroups are groups of workers' own tables that went into
	// partitions, counted each time that they did.
	HandedGroups int64         `json:"handed_groups"`
	LockWaits    int64         `json:"lock_waits"` // times that a partition's lock was not free
	LockWait     time.Duration `json:"lock_wait_ns"`
	// StagedRepeats are the staged rows, or about, whose group their partition
	// had. Imbalance is how many times the mean the partition that was given
	// most rows and groups got; 0 without partitions.
	StagedRepeats int64   `json:"staged_repeats"`
	Imbalance     float64 `json:"imbalance"`
	// Growths is how often tables of keys grew, GrowthMove how long workers, all
	// together, moved what was in them, and GrowthWaits how often and GrowthWait
	// how long they waited for others then.
	Growths     int64         `json:"growths"`
	GrowthWaits int64         `json:"growth_waits"`
	GrowthWait  time.Duration `json:"growth_wait_ns"`
	GrowthMove  time.Duration `json:"growth_move_ns"`
}

// StrategyCost is what a strategy is predicted to take: time by the clock, if
// each worker has a processor of its own, without reading and output; memory at
// its peak; and whether the memory limit had as much left.
type StrategyCost struct {
	Strategy string        `json:"strategy"`
	Time     time.Duration `json:"predicted_ns"`
	Memory   int64         `json:"predicted_bytes"`
	Fits     bool          `json:"fits"`
}

// StrategySwitch is a change of the way while it was gone.
type StrategySwitch struct {
	// Worker is the number of the worker that switched, as in
	// Pipeline.WorkerTimes.
	Worker int `json:"worker"`
	// AtRows is how many rows the worker that switched had been given.
	AtRows int64  `json:"at_rows"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// MemoryUse is what a query held of the memory limit.
type MemoryUse struct {
	Limit int64 `json:"limit_bytes"`
	// Peak is the most that was held at once. Accounts have their peaks at
	// different moments: added up, they are at least Peak.
	Peak     int64        `json:"peak_bytes"`
	Accounts []AccountUse `json:"accounts"`
}

// TempUse is what a query had on disk because of the memory limit.
type TempUse struct {
	Written int64 `json:"written_bytes"`
	Read    int64 `json:"read_bytes"` // read back
	Peak    int64 `json:"peak_bytes"` // most at once
	Files   int   `json:"files"`
}

// AccountUse is the most that all accounts of a name held together at one
// moment.
type AccountUse struct {
	Name string `json:"name"`
	Peak int64  `json:"peak_bytes"`
}
