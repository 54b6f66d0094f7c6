# shellcheck shell=bash
# Sourced by the scripts here: where things are, and how a step runs. A step is one command whose output goes to a log
# under build/logs; the terminal gets one line, and the end of the log when the step fails.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P) || exit 1
cd "$root" || exit 1
logs=$root/build/logs
jobs=$(nproc)
mkdir -p "$logs" || exit 1

# The same source compiled in another clone is the same object.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

job=""

# run_job COMMAND...: runs it in a process group of its own and waits, ready to be stopped meanwhile.
run_job() {
  local code
  set -m
  "$@" < /dev/null &
  job=$!
  set +m
  wait "$job"
  code=$?
  job=""
  return "$code"
}

# Ends the running job with all that it started.
stop_job() {
  [ -n "$job" ] || return 0
  kill -TERM -- "-$job" 2> /dev/null
  for _ in $(seq 100); do
    kill -0 -- "-$job" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL -- "-$job" 2> /dev/null
  job=""
}
trap stop_job EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# step NAME COMMAND...: returns what the command returned.
step() {
  local name=$1 log=$logs/${1// /-}.log began=$SECONDS code
  shift
  run_job "$@" > "$log" 2>&1
  code=$?
  if [ "$code" = 0 ]; then
    printf '%-24s ok      %4d s\n' "$name" $((SECONDS - began))
  else
    printf '%-24s FAILED  %4d s  (exit %d, from the end of %s:)\n' "$name" $((SECONDS - began)) "$code" "${log#"$root"/}"
    # From the first "fail: NAME" on where there are such: test runners explain themselves there, after everything else.
    if grep -q '^fail: ' "$log"; then sed -n '/^fail: /,$p' "$log" | head -n 100; else tail -n 40 "$log"; fi | cut -c1-500 | sed 's/^/    /'
  fi
  return "$code"
}
