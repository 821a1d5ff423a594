// Package sql reads SQL: statements, and the pieces that flags give: lists of
// columns and of aggregates, and expressions.
//
// Terms:
//
//   - A fragment is the text of one of these, for example
//     `sum(fare) as total, count(*)`.
//   - A Span is where a node stands in its fragment, in bytes; it lets a
//     message point at the place.
//   - A Name is bare (a letter or underscore, then letters, digits,
//     underscores and dollar signs; matched without regard to case where that
//     is unambiguous) or quoted in double quotes (matched exactly; a double
//     quote within is written twice).
//
// Expressions have the operators of SQL by their precedence; their depth and the
// number of operators are bounded:
//
//	or         = and { "or" and }
//	and        = not { "and" not }
//	not        = "not" not | is
//	is         = comparison { "is" [ "not" ] ( "null" | "true" | "false" | "unknown" | "distinct" "from" comparison ) | "isnull" | "notnull" }
//	comparison = range [ ( "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" ) range ]
//	range      = sum [ [ "not" ] ( "in" "(" sum { "," sum } ")" | "between" sum "and" sum | ( "like" | "ilike" ) sum ) ]
//	sum        = product { ( "+" | "-" ) product }
//	product    = sign { ( "*" | "/" | "%" ) sign }
//	sign       = ( "+" | "-" ) sign | zoned
//	zoned      = primary { "at" "time" "zone" primary }
//	primary    = number | string | "true" | "false" | "null" | typed | column | function | "(" or ")"
//	typed      = ( "date" | "time" | "timestamp" | "timestamptz" | "interval" ) string | "interval" ( number | string ) unit
//
// Statements add parameters ($1 or ?) and comments; a fragment is a part of one:
//
//	statement  = [ "with" name "as" query { "," … } ] body [ "order" "by" sort ] { "limit" ( or | "all" ) | "offset" or [ "rows" ] }
//	query      = "(" statement ")"
//	body       = inter { ( "union" | "except" ) [ "all" | "distinct" ] inter }
//	inter      = operand { "intersect" [ "all" | "distinct" ] operand }
//	operand    = selection | query
//	selection  = "select" [ "distinct" | "all" ] item { "," item } [ from ] clauses | from [ "select" … ] clauses
//	item       = "*" | column "." "*" | or [ [ "as" ] name ]
//	from       = "from" ( string { "," string } | "read_parquet" "(" … ")" | query | name | parameter ) [ [ "as" ] name ]
//	clauses    = [ "where" or ] [ "group" "by" ( "all" | group { "," group } ) ] [ "having" or ]
//	group      = or | "(" [ or { "," or } ] ")" | ( "grouping" "sets" | "rollup" | "cube" ) "(" group { "," group } ")"
//	sort       = or direction { "," or direction }
//	direction  = [ "asc" | "desc" ] [ "nulls" ( "first" | "last" ) ]
//	column     = name { "." name }
//	function   = "extract" "(" ( word | string ) "from" or ")" | name "(" ( "*" | [ "distinct" | "all" ] [ or { "," or } ] [ "order" "by" sort ] ) ")" [ "filter" "(" "where" or ")" ]
//
// What WITH names stands in the tree wherever it is used; the number of SELECTs
// is bounded with that counted in.
//
// A number is digits with an optional point and exponent; a string is in single
// quotes, and one within is written twice. Keywords are told by what follows
// them, so that columns may be called like them: max(distinct) is of the column
// distinct.
//
// The package knows no columns and no functions: what a name means is the
// caller's business.
package sql
