"""Workers for the engines that are Python packages: JSON lines in and out.

The protocol is that of worker.go. Argument: the engine's name. Every engine
gives its whole result in memory, as Arrow or as its own columns.
"""

import json
import os
import sys
import time

# Engines print to standard output at will (progress bars): they get standard
# error, and the replies the real one.
REPLIES = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class DuckDB:
    """DuckDB's Python package, which may be newer than its Go module."""

    def open(self, job):
        import duckdb

        self.db = duckdb.connect()
        self.db.execute(f"SET threads = {job['threads']}")
        self.db.execute("SET enable_progress_bar = false")
        self.sql = job["sql"]
        return duckdb.__version__

    def run(self):
        return self.db.execute(self.sql).to_arrow_table()

    def rows(self, result):
        return result.num_rows

    def write(self, result, path):
        import pyarrow.parquet

        pyarrow.parquet.write_table(result, path)


class Polars:
    """Polars with its streaming engine."""

    def open(self, job):
        import polars as pl

        self.pl, self.job = pl, job
        return pl.__version__

    def run(self):
        pl = self.pl

        def expression(a):
            if not a["col"]:
                return pl.len().alias(a["as"])
            column = pl.col(a["col"])
            fn = {"avg": "mean"}.get(a["fn"], a["fn"])
            return getattr(column, fn)().alias(a["as"])

        aggs = [expression(a) for a in self.job["aggs"]]
        return pl.scan_parquet(self.job["file"]).group_by(self.job["keys"]).agg(aggs).collect(engine="streaming")

    def rows(self, result):
        return result.height

    def write(self, result, path):
        result.write_parquet(path)


class DataFusion:
    """DataFusion with one partition a thread."""

    def open(self, job):
        import datafusion

        config = datafusion.SessionConfig().with_target_partitions(job["threads"])
        self.context = datafusion.SessionContext(config)
        self.file = job["file"]
        self.sql = job["table_sql"]
        return datafusion.__version__

    def run(self):
        self.context.register_parquet("input", self.file)
        try:
            return self.context.sql(self.sql).collect()
        finally:
            self.context.deregister_table("input")

    def rows(self, result):
        return sum(b.num_rows for b in result)

    def write(self, result, path):
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_batches(result), path)


class ChDB:
    """chDB, which is ClickHouse in the process; the result is an Arrow file in memory."""

    def open(self, job):
        import chdb

        self.chdb = chdb
        self.connection = chdb.connect(":memory:")
        source = "file('" + job["file"].replace("'", "''") + "', Parquet)"
        self.sql = job["table_sql"].replace("FROM input", "FROM " + source)
        self.sql += f" SETTINGS max_threads = {job['threads']}, output_format_arrow_string_as_string = 1"
        return chdb.__version__

    def run(self):
        return self.connection.query(self.sql, "Arrow")

    def table(self, result):
        import pyarrow

        return pyarrow.ipc.open_file(pyarrow.py_buffer(result.bytes())).read_all()

    def rows(self, result):
        return -1  # known only after parsing what the engine gave

    def write(self, result, path):
        import pyarrow.parquet

        pyarrow.parquet.write_table(self.table(result), path)


ENGINES = {"duckdb-py": DuckDB, "polars": Polars, "datafusion": DataFusion, "chdb": ChDB}


def say(**fields):
    """Writes one reply."""
    REPLIES.write(json.dumps(fields) + "\n")
    REPLIES.flush()


def serve(engine, request):
    """Answers the question once; only the engine's work is timed."""
    start = time.perf_counter()
    result = engine.run()
    took = time.perf_counter() - start
    if request["do"] == "answer":
        engine.write(result, request["path"])
        return {}
    return {"seconds": took, "groups": engine.rows(result)}


def main():
    """Reads the job, then one request a line."""
    engine = ENGINES[sys.argv[1]]()
    try:
        version = engine.open(json.loads(sys.stdin.readline()))
    except ImportError as e:
        say(missing=str(e))
        return
    say(version=version)
    for line in sys.stdin:
        try:
            say(**serve(engine, json.loads(line)))
        except Exception as e:  # the runner reports it and goes on
            say(error=f"{type(e).__name__}: {e}"[:2000])


main()
