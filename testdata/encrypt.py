#!/usr/bin/env python3
"""Writes encrypted.parquet: a column that is encrypted beside one that is not.

    python3 testdata/encrypt.py

Made with pyarrow 26.0.1. The keys are random, so that the file is another one
on every run and make.py leaves it alone.
"""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe


class Plain(pe.KmsClient):
    """Wraps keys in nothing."""

    def __init__(self, _):
        super().__init__()

    def wrap_key(self, key, _):
        return key

    def unwrap_key(self, key, _):
        return key


config = pe.EncryptionConfiguration(
    footer_key="footer", column_keys={"column": ["secret"]}, plaintext_footer=True, double_wrapping=False
)
properties = pe.CryptoFactory(Plain).file_encryption_properties(pe.KmsConnectionConfig(), config)
table = pa.table({"open": [1, 2, 3], "secret": ["a", "b", "a"]})
path = pathlib.Path(__file__).resolve().parent / "encrypted.parquet"
with pq.ParquetWriter(path, table.schema, encryption_properties=properties, store_schema=False) as writer:
    writer.write_table(table)
