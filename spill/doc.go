// Package spill is where data waits that does not fit in memory.
//
// Terms:
//
//   - A Dir is the temporary space of one query, over one or more directories.
//     Nothing is on disk before its first write, and nothing after its Close.
//   - A File is what one worker appends to; it is used by one goroutine at a
//     time. It has at most one file of the operating system in each directory,
//     however many partitions there are.
//   - An Extent is one appended run of batches: one complete Arrow IPC stream
//     with LZ4-compressed buffers (Arrow columnar format, "IPC streaming
//     format"), and its description in memory, which the caller keeps. Buffers
//     that LZ4 does not make smaller are stored as they are.
//   - A Reader gives the batches of a list of extents, one after the other.
//
// Invariants:
//
//   - A file has no name, or it has one only until it is removed right after
//     it was made. Where the system cannot do that, the file is locked for as
//     long as its owner lives, and the next Dir in that directory removes the
//     files that nobody holds. So nothing stays behind when a process is
//     killed.
//   - Each extent's bytes are summed (xxHash64) when they are written, and the
//     sum, the number of bytes, batches and rows, and the schema are compared
//     when they are read: an Arrow stream that is cut between two messages
//     would otherwise seem whole.
//   - A write that fails leaves the Dir as it was before: an extent is there
//     whole or not at all. A full directory makes a File go on in the next one.
//   - An extent takes whole blocks of 4 KiB, so that the space of each one can
//     be given back without touching its neighbours. The limit on disk space
//     and Stats count those blocks.
//   - Buffers for writing and reading are reused and held by accounts of the
//     Dir's budget.
package spill
