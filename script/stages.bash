# shellcheck shell=bash
# Sourced by script/test and script/nightly: the stages of testing, and the count over all of them.
#
# Each thing that ran is a line "RESULT<tab>STAGE<tab>NAME<tab>WHY" in the file $results, RESULT being pass, fail or skip.
# A stage that could not run at all (its build failed) leaves one fail line, so nothing is lost silently.

. "$(dirname "${BASH_SOURCE[0]}")/steps.bash"

results=$logs/results.tsv
: > "$results"

record() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-}" >> "$results"; }

# attempt STAGE NAME COMMAND...: a step that counts as one row.
attempt() {
  local stage=$1 name=$2
  shift 2
  if step "$name" "$@"; then record pass "$stage" "$name"; else record fail "$stage" "$name" "see build/logs/${name// /-}.log"; fi
}

# built PRESET TARGET...: builds; a failure counts as one failed row, success as none.
built() {
  run_job script/build "$@" && return 0
  record fail build "$1" "does not build, see build/logs/build-$1.log"
  return 1
}

# A step whose own rows went to $results; when it ended badly without a failed row of its own, that is one.
rows_step() {
  local stage=$1 name=$2 code
  shift 2
  step "$name" "$@"
  code=$?
  [ $code = 0 ] || grep -q "^fail	$stage	" "$results" || record fail "$stage" "$name" "ended with exit code $code"
}

stage_checks() {
  attempt checks "check includes" script/check-includes
  attempt checks "check format" script/check-format
  attempt checks "check text" script/check-text
  attempt checks "check scripts" script/check-scripts
}

# Sanitizers stop at the first finding: a report that nobody reads is no test. 77 is theirs alone.
export ASAN_OPTIONS=exitcode=77:detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=77
export TSAN_OPTIONS=exitcode=77:halt_on_error=1:second_deadlock_stack=1

# unit_tests PRESET STAGE
unit_tests() {
  local preset=$1 stage=$2 layout=() junit=$logs/$2.xml
  built "$preset" all || return
  # ThreadSanitizer gives up where the kernel scatters mappings widely.
  [ "$preset" = tsan ] && setarch -R true 2> /dev/null && layout=(setarch -R)
  rm -f "$junit"
  rows_step "$stage" "test $stage" script/ctest-rows "$stage" "$results" "$junit" \
    "${layout[@]}" ctest --preset "$preset" -j "$jobs" --no-tests=error --output-junit "$junit"
}

stage_units() { unit_tests release units; }
stage_asan() { unit_tests asan asan; }
stage_tsan() { unit_tests tsan tsan; }
stage_clang() { unit_tests clang clang; }

stage_e2e() {
  built release dray dray_archive && rows_step e2e "test e2e" tests/e2e/run --results "$results"
}

stage_e2e_asan() {
  built asan dray && rows_step e2e-asan "test e2e asan" tests/e2e/run --stage e2e-asan --dray build/asan/dray --results "$results"
}

stage_peers() {
  built release dray && rows_step peers "test peers" tests/peers/run --results "$results"
}

fuzz_seconds=10
stage_fuzz() {
  built fuzz all && rows_step fuzz "test fuzz" script/fuzz --results "$results" "$fuzz_seconds"
}

# What was skipped and what failed, then the count; the exit status says whether all is well.
summary() {
  local passed failed skipped
  awk -F'\t' '$1 == "skip" {printf "skipped  %s: %s (%s)\n", $2, $3, $4}' "$results"
  awk -F'\t' '$1 == "fail" {printf "FAILED   %s: %s%s\n", $2, $3, $4 == "" ? "" : " (" $4 ")"}' "$results"
  passed=$(grep -c '^pass' "$results")
  failed=$(grep -c '^fail' "$results")
  skipped=$(grep -c '^skip' "$results")
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
