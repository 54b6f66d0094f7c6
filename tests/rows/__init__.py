"""Rows: tests that type commands and look at what comes out. Used by tests/e2e and tests/peers.

A row is a function with one argument, in a file *_test.py beside the `run` that finds it:

    from rows import row

    @row("dray cp a.txt s3://bucket/a.txt")
    def small_file_arrives_whole(t):
        t.bucket("bucket")
        t.file("a.txt", "hello\\n")
        t.dray("cp a.txt s3://bucket/a.txt").exits(0).prints_exactly("cp a.txt s3://bucket/a.txt\\n")
        t.s3.holds("bucket", "a.txt", b"hello\\n")

Its title is the command typed, then the function's name. `t` is a Row (rows/running.py): an empty folder, a home of its
own, a `dray serve --memory` when it wants one, and a limit of time. What was stored is read back by `t.s3` (rows/s3.py),
which shares no code with dray. Nothing is shared between rows, so they run side by side and in any order.
"""

from rows.declare import Skip, row

__all__ = ["Skip", "row"]
