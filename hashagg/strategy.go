package hashagg

// Strategy names a way of aggregation. All give the same groups and results.
type Strategy string

// The strategies.
const (
	// Auto chooses.
	Auto Strategy = "auto"
	// Serial is one table and one worker.
	Serial Strategy = "serial"
	// Partial is a table for each worker, merged at the end.
	Partial Strategy = "partial"
	// PartitionRows routes every row to the hash partition of its key.
	PartitionRows Strategy = "partition-rows"
	// PartitionGroups is a small table for each worker, whose groups go to hash
	// partitions when it is full.
	PartitionGroups Strategy = "partition-groups"
	// Shared is one table of tickets for all workers, with lookups that take
	// no lock, after Xue & Marcus, "Global Hash Tables Strike Back!" (PVLDB
	// 19, 2025). Each worker has states of its own while there are few groups;
	// then the states are shared too and updated in batches.
	Shared Strategy = "shared"
	// Hybrid is a small table for each worker that keeps its first keys, before
	// hash partitions that get the rows with other keys.
	Hybrid Strategy = "hybrid"
)

// Strategies lists the names, Auto first.
func Strategies() []Strategy {
	return []Strategy{Auto, Serial, Partial, PartitionRows, PartitionGroups, Shared, Hybrid}
}
