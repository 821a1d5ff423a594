// Command bench measures colagg beside other engines over the same Parquet
// files.
//
//	go run . gen  [-dir DIR] [-only NAME,...] [-scale F]
//	go run . run  [-data DIR] [-only NAME,...] [-engines NAME,...] [-runs N] [-threads N] [-json FILE]
//	go run . list
//	go run . matrix   [-all] [-groups N,...] [-dist NAME,...] [-rows N] [-csv FILE] [-json FILE]
//	go run . growth   [-rows N] [-groups N,...] [-json FILE]
//	go run . postgres [-data DIR] [-server CONNECTION] [-json FILE]
//	go run . memory   [-data DIR] [-only NAME,...] [-budgets SIZE,...] [-mode budgets|graceful] [-json FILE]
//
// Terms: a data set is one generated Parquet file; a question is one GROUP BY
// over one data set; an engine is one program that can answer questions. A
// worker is the child process in which one engine answers one question several
// times: fresh for every question, so that its peak resident memory is the
// question's. Three commands measure colagg's strategies: against each other over
// a matrix of inputs in memory, by how they grow, and beside PostgreSQL over one
// of the files. The last one measures what a memory limit does: a case is a query
// over a file, and each is asked in a process of its own at each budget.
//
// It is a module of its own, so that what it needs (DuckDB's C++ library by
// cgo) never reaches the build of a program that uses colagg.
package main
