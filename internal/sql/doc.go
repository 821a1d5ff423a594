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
//	range      = other [ [ "not" ] ( "in" "(" other { "," other } ")" | "between" other "and" other | ( "like" | "ilike" ) other ) ]
//	other      = complement { ( "||" | "&" | "|" | "#" | "<<" | ">>" | "~" | "!~" | "~*" | "!~*" ) complement }
//	complement = "~" complement | sum
//	sum        = product { ( "+" | "-" ) product }
//	product    = power { ( "*" | "/" | "%" ) power }
//	power      = zoned { ( "^" | "**" ) zoned }
//	zoned      = sign { "at" "time" "zone" sign }
//	sign       = ( "+" | "-" ) sign | typed
//	typed      = primary { "::" type }
//	primary    = number | string | "true" | "false" | "null" | moment string | interval | column | function | form | "(" or ")"
//	moment     = "date" | "time" | "timestamp" | "timestamptz" | "timestamp" "with" "time" "zone"
//	interval   = "interval" ( string [ unit ] | [ "-" ] number unit )
//	form       = "case" [ or ] "when" or "then" or { "when" or "then" or } [ "else" or ] "end"
//	           | ( "cast" | "try_cast" ) "(" or "as" type ")" | "extract" "(" name "from" or ")" | "position" "(" other "in" other ")"
//	           | "trim" "(" [ "both" | "leading" | "trailing" ] [ or ] [ "from" or ] ")" | "substring" "(" or [ "from" or ] [ "for" or ] ")"
//	type       = name { name } [ "(" number { "," number } ")" ] [ ( "with" | "without" ) "time" "zone" ]
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
