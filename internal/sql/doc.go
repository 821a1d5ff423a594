// Package sql reads SQL: statements, and the pieces that flags give: lists of
// columns and of aggregates, and expressions.
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
// The grammar of lists, in full; there is no recursion, so depth is bounded:
//
//	columns    = column { "," column }
//	column     = name { "." name }
//	aggregates = call [ [ "as" ] name ] { "," call [ [ "as" ] name ] }
//	call       = name "(" ( "*" | [ "distinct" | "all" ] [ arguments ] [ "order" "by" key { "," key } ] ) ")"
//	arguments  = column { "," column } { "," constant }
//	constant   = [ "+" | "-" ] number | string | "null"
//	key        = column direction
//	direction  = [ "asc" | "desc" ] [ "nulls" ( "first" | "last" ) ]
//	order      = ( ordinal | column | call ) direction { "," … }
//	select     = ( "*" | column [ [ "as" ] name ] ) { "," … }
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
//	sign       = ( "+" | "-" ) sign | primary
//	primary    = number | string | "true" | "false" | "null" | "date" string | "timestamp" string | column | "(" or ")"
//
// Statements hold all of that and add calls, parameters ($1 or ?) and comments:
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
//	function   = name "(" ( "*" | [ "distinct" | "all" ] [ or { "," or } ] [ "order" "by" sort ] ) ")" [ "filter" "(" "where" or ")" ]
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
