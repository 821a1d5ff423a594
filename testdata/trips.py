"""Writes trips.parquet: 5,000 made-up taxi trips in four row groups.

make.py runs it; the output is the same on every run.
"""

import datetime
import decimal
import random

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 5000
CITIES = ["Bern", "Kyoto", "Lagos", "Lima", "Oslo", "Porto", "Quito", "Turin"]
VENDORS = ["Blue Cab", "Meridian", "Zest"]
METHODS = ["cash", "card", "app"]
TAGS = ["airport", "night", "shared", "pet", "wheelchair"]

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("city", pa.string()),
        pa.field("vendor", pa.string()),
        pa.field("pickup", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("day", pa.date32(), nullable=False),
        pa.field("distance", pa.float64()),
        pa.field("fare", pa.float64(), nullable=False),
        pa.field("tip", pa.decimal128(10, 2)),
        pa.field("passengers", pa.int32(), nullable=False),
        pa.field("paid", pa.bool_()),
        pa.field("payment", pa.struct([("method", pa.string()), ("card_last4", pa.string())])),
        pa.field("tags", pa.list_(pa.string())),
    ]
)


def trip(rng, i, pickup):
    """Returns trip number i as a row."""
    distance = round(rng.lognormvariate(1.2, 0.7), 2)
    fare = round(4.5 + 2.15 * distance + rng.random(), 2)
    method = rng.choices(METHODS, [2, 5, 3])[0]
    payment = {"method": method, "card_last4": None}
    if method == "card":
        payment["card_last4"] = f"{rng.randrange(200):04d}"
    return {
        "id": i,
        "city": None if rng.random() < 0.01 else rng.choices(CITIES, range(8, 0, -1))[0],
        "vendor": rng.choices(VENDORS, [5, 3, 1])[0],
        "pickup": pickup,
        "day": pickup.date(),
        "distance": None if rng.random() < 0.02 else distance,
        "fare": fare,
        "tip": None if method == "cash" else decimal.Decimal(rng.randrange(0, 1200, 25)) / 100,
        "passengers": rng.choices([1, 2, 3, 4, 5, 6], [60, 20, 8, 6, 4, 2])[0],
        "paid": None if rng.random() < 0.005 else rng.random() < 0.97,
        "payment": None if rng.random() < 0.01 else payment,
        "tags": rng.sample(TAGS, rng.choices([0, 1, 2], [80, 15, 5])[0]),
    }


def write(path):
    """Writes the file."""
    rng = random.Random(20240401)
    pickup = datetime.datetime(2024, 4, 1, tzinfo=datetime.timezone.utc)
    rows = []
    for i in range(1, ROWS + 1):
        pickup += datetime.timedelta(seconds=rng.randrange(1, 1030))
        rows.append(trip(rng, i, pickup))
    table = pa.Table.from_pylist(rows, SCHEMA)
    pq.write_table(
        table,
        path,
        row_group_size=1300,
        compression="snappy",
        column_encoding={"id": "DELTA_BINARY_PACKED", "pickup": "DELTA_BINARY_PACKED"},
        use_dictionary=["city", "vendor", "day", "tip", "passengers", "payment.method", "payment.card_last4"],
        store_schema=False,
    )
