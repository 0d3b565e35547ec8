"""Writes visits.parquet as pandas writes it: run with pandas and pyarrow (3.1.1 and 26.0.1 wrote the file that is here)."""

import decimal

import pandas

rows = 120
visits = pandas.DataFrame(
    {
        "visit_id": [f"V{row:04}" for row in range(rows)],
        "patient_id": [1000 + row * 7 % 50 for row in range(rows)],
        "seen": pandas.to_datetime("2024-03-28 09:30") + pandas.to_timedelta(range(rows), unit="D"),
        "born": [pandas.Timestamp("1950-01-01") + pandas.Timedelta(days=200 * row) if row % 17 else pandas.NaT for row in range(rows)],
        "ward": pandas.Categorical([["A", "B", " a", None][row % 4] for row in range(rows)]),
        "age": [999 if row % 40 == 7 else 20 + row % 60 for row in range(rows)],
        "paid": [decimal.Decimal("12.50")] * rows,
        "logged": pandas.to_datetime("2024-04-01").tz_localize("America/Los_Angeles"),
    }
)
visits.to_parquet("visits.parquet", index=False)
