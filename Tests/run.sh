#!/bin/bash
# Runs the command, and names the tests that failed at the end: nobody finds them among thousands of lines.
set -o pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=$?
[ $status = 0 ] || grep -aE '^✘ Test .* recorded an issue|Fatal error' "$log" | cut -c 1-300 | tail -n 5 >&2
exit $status
