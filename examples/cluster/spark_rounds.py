"""Makes several passes by tasks as jobs of Spark, over paths, of a sketch and then of a refinement of its topics: each task is a process of the
program on an executor. All see the shards and the folder, or both are s3:// URLs. Spark may repeat a task anywhere: one that is done ends at once, and
its bytes are the same. REFINE is how many passes follow the survey of the refinement, or "none".

    spark-submit spark_rounds.py SHARDS WORK K TASKS PASSES [REFINE]
"""
import os
import subprocess
import sys

from pyspark import SparkContext


def anchorage(*arguments):
    run = subprocess.run([os.environ.get("ANCHORAGE", "anchorage"), "-q", *arguments], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"anchorage {arguments[0]} ended with {run.returncode}: {run.stderr}")


def main(shards, work, k, tasks, passes, refine="10"):
    tasks, passes = int(tasks), int(passes)
    if passes < 2:
        raise SystemExit(f"PASSES is {passes}: make 2 passes or more; README.md has the recipes for one pass")
    sc = SparkContext(appName="anchorage")

    def rounds(name, first, last, start, *command):
        """Makes rounds of a command, each from the result of the one before, and returns the last result."""
        for round in range(first, last + 1):
            before = ["--start", start] if start else []

            def task(number, round=round, before=before):
                output = f"{work}/sums-{name}-{round}-{number}"
                anchorage(*command, shards, *before, "--task", f"{number}/{tasks}", "-o", output)
                return output

            sums = sc.parallelize(range(tasks), tasks).map(task).collect()
            start = f"{work}/{name}-{round}"
            anchorage("merge", *sums, *before, "-o", start)
        return start

    vocabulary = f"{work}/vocabulary.parquet"
    anchorage("vocab", shards, "-o", vocabulary, "--replace")  # an earlier attempt may have written the same
    sketch = ["sketch", "-k", k, "--passes", str(passes), "--vocab", vocabulary]
    whole = rounds("round", 1, passes + 1, None, *sketch)  # the last measures the evidence
    anchorage("rectify", whole, "-o", f"{work}/factor")
    anchorage("anchor", f"{work}/factor", "-o", f"{work}/model")
    if refine != "none":
        rounds("refined", 0, int(refine), f"{work}/model", "refine")  # the first surveys the documents
    sc.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
