"""Updates a store every night, for Airflow 2.8 and later.

Code 99, nothing new, skips the task and what comes after it. Codes that no repetition mends fail it at once; others are retried.
"""

from __future__ import annotations

import subprocess
from datetime import datetime, timedelta

from airflow.decorators import dag, task
from airflow.exceptions import AirflowException, AirflowFailException, AirflowSkipException

STORE = "s3://models/shop.store"
SHARDS = "s3://data/shop/shards/"

NOTHING_NEW = 99
COMPLETE = {0, 3, 15}  # 3: bad shards were skipped; 15: complete, but not reported
HOPELESS = {10, 11, 12, 14, 16}  # usage, input, resources, output exists, quality gate


@dag(
    dag_id="anchorage_shop",
    schedule="30 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,  # two runs would end with code 14
    tags=["anchorage"],
)
def anchorage_shop() -> None:
    @task(retries=3, retry_delay=timedelta(minutes=10), execution_timeout=timedelta(hours=6))
    def update() -> int:
        """Runs the update. Its log is that of the task."""
        run = subprocess.run(
            [
                "anchorage", "update", STORE, SHARDS,
                "--retain", "14",
                "--require", "settled,found_again=0.8",
            ],
            check=False,
        )
        if run.returncode in COMPLETE:
            return run.returncode
        if run.returncode == NOTHING_NEW:
            raise AirflowSkipException("nothing new")
        if run.returncode in HOPELESS:
            raise AirflowFailException(f"anchorage update ended with code {run.returncode}: no retry will help")
        raise AirflowException(f"anchorage update ended with code {run.returncode}")

    # A BashOperator does the same with skip_on_exit_code=99.

    @task
    def transform(ds: str | None = None) -> None:
        """Finds the topics of the documents with the new model. Airflow gives ds, the date of the run."""
        subprocess.run(
            ["anchorage", "transform", STORE, SHARDS, "-o", f"s3://models/shop.documents/{ds}"],
            check=True,
        )

    update() >> transform()


anchorage_shop()
