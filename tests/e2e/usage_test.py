"""What is typed wrongly exits with 2 and says what to type; help and version go to stdout."""

import re

from rows import row


def typed(command: str, *said: str):
    @row(f"dray {command}".strip(), serve=None)
    def wrong_usage_exits_2(t):
        t.dray(command, seconds=10).exits(2).says(*said).prints_exactly("")


typed("")
typed("frobnicate", "frobnicate", "dray help")
typed("cp")
typed("cp only-one")
typed("cp --frobnicate a s3://bucket/a", "--frobnicate")
typed("cp --part-size lots a s3://bucket/a", "lots")
typed("cp --part-size -1 a s3://bucket/a")
typed("cp --memory-limit 12Q a s3://bucket/a", "12Q")
typed("cp --concurrency -3 a s3://bucket/a")
typed("cp --concurrency 0 a s3://bucket/a", "0")
typed("cp --retries many a s3://bucket/a", "many")
typed("cp --timeout 0 a s3://bucket/a", "0")
typed("cp --checksum md5 a s3://bucket/a", "md5", "crc64nvme")
typed("cp --readers two a s3://bucket/a", "two", "parallel")
typed("cp --progress often a s3://bucket/a", "often")
typed("cp --addressing round a s3://bucket/a", "round")
typed("cp --metadata novalue a s3://bucket/a", "novalue")
typed("cp a.txt b.txt", "b.txt")  # neither side is remote
typed("cp s3://bucket/a b.txt", "s3://bucket/a")
typed("cp a s3://", "s3://")
typed("pipe s3://bucket", "s3://bucket/KEY")
typed("pipe", "URL")
typed("head not-a-url", "not-a-url")
typed("mb s3://", "s3://")
typed("mb s3://bucket/key", "s3://bucket/key")
typed("serve --memory --null")
typed("serve --memory --access-key AK", "--secret-key")
typed("serve --memory --port 70000", "70000")
typed("bench")
typed("bench w.json bucket us-east-1 fast", "fast")


@row("dray version", serve=None)
def version_is_three_numbers(t):
    done = t.dray("version").exits(0).says_nothing()
    t.check(re.search(r"\b\d+\.\d+\.\d+\b", done.out) is not None, done.out)


@row("dray --version", serve=None)
def version_as_an_option_is_the_same(t):
    t.check(t.dray("--version").exits(0).out == t.dray("version").exits(0).out, "they differ")


@row("dray help", serve=None)
def help_names_every_command(t):
    done = t.dray("help").exits(0).says_nothing().prints(*"cp head stat pipe mb bench serve version".split())
    t.check(t.dray("--help").exits(0).out == done.out, "--help prints something else")


@row("dray cp --help", serve=None)
def help_of_a_command_names_its_options(t):
    done = t.dray("cp --help").exits(0).says_nothing().prints("--part-size", "--endpoint-url", "--checksum")
    t.check(t.dray("help cp").exits(0).out == done.out, "'dray help cp' prints something else")


@row("dray help | head -1", serve=None)
def closed_pipe_is_no_crash(t):
    """As `dray help | head -1` does: the reader leaves early."""
    done = t.run(["bash", "-c", '"$0" help | true; echo ${PIPESTATUS[0]}', t.program])
    t.check(done.out.strip() in ("0", "1", "141"), f"dray ended with {done.out.strip()}")
