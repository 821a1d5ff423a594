// Package hashagg is what data means: keys become tickets, tickets index
// states.
//
// Terms:
//
//   - A group is one distinct combination of key values; NULL is a value of
//     its own here, all NaNs are one value, and −0.0 is 0.0.
//   - A ticket is the dense number (from 0) that a Grouper gives a group.
//   - A state is what one aggregate function keeps for one group, found by the
//     group's ticket.
//   - An Accumulator keeps the states of one aggregate function for all
//     groups. Neither it nor the Grouper knows the other; a strategy joins
//     them and decides which tables exist and who merges what.
//   - A Slab is the memory of all fixed-width states of a table: a row of
//     64-bit words per ticket, so that a group's states share a cache line.
//     An all-zero row is the empty state of every function.
//
// State and Merge are the one exchange form of states: columns of Arrow types,
// which is what merging, repartitioning and spilling use.
package hashagg
