"""Writes the files of this folder.

Run with fastparquet 2026.9.0: python3 make.py
"""

import fastparquet
import pandas as pd

fastparquet.write("infer_strings.parquet", pd.DataFrame({"s": ["x", "y"]}), has_nulls="infer")
fastparquet.write("infer_ints.parquet", pd.DataFrame({"s": [1, 2]}), has_nulls="infer")
