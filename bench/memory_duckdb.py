"""One query of DuckDB within a memory limit, its result as a Parquet file.

The argument is JSON. On standard output, as JSON: the version, the seconds and
the processor time from connecting to the whole file, or the error.
"""

import json
import sys
import time


def main():
    job = json.loads(sys.argv[1])
    try:
        import duckdb
    except ImportError as e:
        print(json.dumps({"missing": str(e)}))
        return
    reply = {"version": duckdb.__version__}
    start, used = time.perf_counter(), time.process_time()
    try:
        db = duckdb.connect()
        db.execute(f"SET threads = {job['threads']}")
        db.execute("SET enable_progress_bar = false")
        db.execute("SET temp_directory = '" + job["temp"].replace("'", "''") + "'")
        if job["memory"]:
            db.execute(f"SET memory_limit = '{job['memory']}B'")
        for setting in job["settings"] or []:
            db.execute("SET " + setting)
        db.execute("COPY (" + job["sql"] + ") TO '" + job["out"].replace("'", "''") + "' (FORMAT parquet)")
    except Exception as e:
        reply["error"] = f"{type(e).__name__}: {e}"[:2000]
    reply["seconds"], reply["cpu"] = time.perf_counter() - start, time.process_time() - used
    print(json.dumps(reply))


main()
