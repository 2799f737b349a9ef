# What the scripts beside this file share. Sourced, not run.
#
# They hold juror to servers that other people wrote. Each makes its own folder under $TMPDIR, puts a Python
# environment there, starts one server, and takes everything away again; only what it started is stopped, by its
# number. JUROR_BIN names the program to test; without it the debug build is made. JUROR_REAL names a folder in
# which the Python environments are kept for the next run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/juror-real.XXXXXX")
server=
client=

finish() {
  local code=$?
  trap - EXIT INT TERM
  # Whatever fails now, the rest is cleaned up too.
  set +e
  stop "$client"
  stop "$server"
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

skip() {
  printf 'skipped: %s\n' "$*"
  exit 0
}

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  if [ -f "$work/server.log" ]; then tail -n 20 "$work/server.log" >&2; fi
  exit 1
}

# venv NAME [--no-deps] PACKAGE…: the Python environment $venv with these packages. Skips where they cannot be had.
venv() {
  local name=$1
  shift
  venv=${JUROR_REAL:-$work}/$name
  if [ -f "$venv/complete" ]; then return; fi
  command -v python3 >/dev/null || skip "there is no python3"
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv" >"$work/venv.log" 2>&1 || skip "python3 cannot make an environment (is python3-venv installed?)"
  local packages
  for packages in "$@"; do
    # One argument may hold a flag and packages.
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --disable-pip-version-check $packages >"$work/pip.log" 2>&1 ||
      skip "pip cannot fetch $packages: $(tail -n 1 "$work/pip.log")"
  done
  touch "$venv/complete"
}

# A port that nobody listens on.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start URL COMMAND…: the server, and waits until URL answers. 503 is how one says that it is not ready yet.
start() {
  local url=$1
  shift
  "$@" >"$work/server.log" 2>&1 &
  server=$!
  local waited=0
  until python3 - "$url" <<'END' >/dev/null 2>&1; do
import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(sys.argv[1], timeout=2)
except urllib.error.HTTPError as error:
    sys.exit(error.code == 503)
END
    kill -0 "$server" 2>/dev/null || fail "the server ended at once"
    waited=$((waited + 1))
    [ "$waited" -lt 240 ] || fail "the server does not answer at $url"
    sleep 0.25
  done
}

# stop PID: this process, and waits until it has ended; nothing else.
stop() {
  local pid=$1 waited=0
  if [ -z "$pid" ]; then return 0; fi
  kill "$pid" 2>/dev/null || true
  while kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 20 ]; do
    waited=$((waited + 1))
    sleep 0.25
  done
  kill -9 "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

# The program, in a home of its own.
build() {
  juror=${JUROR_BIN:-}
  if [ -z "$juror" ]; then
    (cd "$root" && cargo build --quiet --locked)
    juror=${CARGO_TARGET_DIR:-$root/target}/debug/juror
  fi
  export HOME=$work JUROR_CONFIG=$work/config.toml
}

# run CODES ARGUMENTS…: juror itself. Its exit code must be among CODES, as in "0 4", and come within $limit seconds.
limit=120
run() {
  local codes=$1 code=0
  shift
  # In the background, so that a signal to this script is heard at once and not when juror is done.
  timeout --kill-after=5 "$limit" "$juror" "$@" >"$work/out" 2>"$work/err" &
  client=$!
  wait "$client" || code=$?
  client=
  case " $codes " in
    *" $code "*) ;;
    *)
      cat "$work/out" "$work/err" >&2
      fail "juror $* ended with $code, not with one of: $codes"
      ;;
  esac
}
