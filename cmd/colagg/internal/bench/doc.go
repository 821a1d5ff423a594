// Package bench measures the strategies of colagg against each other, on rows
// that it makes and keeps in memory, so that reading files does not blur the
// figures.
//
// A Figure has points; a point is a question (how rows are spread over groups,
// how many aggregates of which kind, how many threads) and gets a Sample for
// each strategy. Run fills figures; WriteCSV, Page and Speeds show them.
//
// At each point every strategy runs once unmeasured and then as often as is
// wanted, taking turns, so that a machine that slows down slows all of them. A
// sample's time goes from the call of the query to the release of its last
// group. Every answer is compared with the first one: the number of groups, and
// a checksum over all values.
package bench
