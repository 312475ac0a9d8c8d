"""Makes several passes by tasks as jobs of Spark, over paths: each task is a process of the program on an executor. All see the shards and the
folder, or both are s3:// URLs. Spark may repeat a task anywhere: one that is done ends at once, and its bytes are the same.

    spark-submit spark_rounds.py SHARDS WORK K TASKS PASSES
"""
import os
import subprocess
import sys

from pyspark import SparkContext

EXISTS = 14  # the code for an output that is there: of an earlier attempt


def anchorage(*arguments, done=()):
    run = subprocess.run([os.environ.get("ANCHORAGE", "anchorage"), "-q", *arguments], capture_output=True, text=True)
    if run.returncode and run.returncode not in done:
        raise RuntimeError(f"anchorage {arguments[0]} ended with {run.returncode}: {run.stderr}")


def main(shards, work, k, tasks, passes):
    tasks, passes = int(tasks), int(passes)
    sc = SparkContext(appName="anchorage")
    vocabulary, start = f"{work}/vocabulary.parquet", []
    anchorage("vocab", shards, "-o", vocabulary, done=[EXISTS])
    for round in range(1, passes + 2):  # the last measures the evidence

        def task(number, round=round, start=start):
            output = f"{work}/sums-{round}-{number}"
            anchorage("sketch", shards, "-k", k, "--passes", str(passes), "--vocab", vocabulary, *start,
                      "--task", f"{number}/{tasks}", "-o", output)
            return output

        sums = sc.parallelize(range(tasks), tasks).map(task).collect()
        anchorage("merge", *sums, *start, "-o", f"{work}/round-{round}", done=[EXISTS])
        start = ["--start", f"{work}/round-{round}"]
    anchorage("rectify", start[1], "-o", f"{work}/factor", done=[EXISTS])
    anchorage("anchor", f"{work}/factor", "-o", f"{work}/model", done=[EXISTS])
    sc.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
