// Package sql reads the pieces of SQL that a query is made of: lists of
// columns and lists of aggregates.
//
// Terms:
//
//   - A fragment is the text of one such list, for example
//     `sum(fare) as total, count(*)`.
//   - A Span is where a node stands in its fragment, in bytes; it lets a
//     message point at the place.
//   - A Name is bare (a letter or underscore, then letters, digits,
//     underscores and dollar signs; matched without regard to case where that
//     is unambiguous) or quoted in double quotes (matched exactly; a double
//     quote within is written twice).
//
// The grammar, in full; there is no recursion, so depth is bounded:
//
//	columns    = column { "," column }
//	column     = name { "." name }
//	aggregates = aggregate { "," aggregate }
//	aggregate  = name "(" [ "*" | column { "," column } ] ")" [ [ "as" ] name ]
//
// The package knows no columns and no functions: what a name means is the
// caller's business.
package sql
