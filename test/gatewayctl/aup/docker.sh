#!/bin/sh
# A minimal container engine for the `docker` commands that gatewayctl uses. It keeps its state in the files of ENGINE_STATE,
# and its container is a real portal process, which compose-up.ts starts. At the call KILL_AT it kills gatewayctl. NODE is the
# container's Node.
set -u
cd "$ENGINE_STATE" || exit 70
echo "$1 ${2-} ${3-} ${4-} ${5-}" >> calls
if [ -n "${KILL_AT-}" ] && [ "$(wc -l < calls)" -eq "$KILL_AT" ]; then
  caller=$PPID
  # It may be flock, which gatewayctl runs.
  if [ "$(cat "/proc/$caller/comm")" = flock ]; then caller=$(awk '/^PPid:/ { print $2 }' "/proc/$caller/status"); fi
  kill -KILL "$caller"
fi
# The client itself is installed.
if [ -e down ] && [ "$*" != 'compose version' ]; then
  echo 'Cannot connect to the Docker daemon' >&2
  exit 1
fi

id=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
case $1 in
  compose)
    shift
    [ "$1" = --file ] && shift 2
    case $1 in
      version) ;;
      ps) [ ! -e pid ] || echo "$id" ;;
      up) exec "$NODE" "$COMPOSE_UP" ;;
      *) exit 64 ;;
    esac
    ;;
  inspect)
    state='"Status": "running", "Running": true, "ExitCode": 0'
    [ ! -e exit-code ] || state="\"Status\": \"exited\", \"Running\": false, \"ExitCode\": $(cat exit-code)"
    echo "[{ \"Id\": \"$id\", \"Name\": \"/gateway-portal-1\", \"State\": { $state, \"StartedAt\": \"$(cat started)\" },"
    echo "\"Config\": $(cat config.json) }]"
    ;;
  logs) cat log ;;
  exec)
    # `exec --env NAME=VALUE ID node WORDS…`, in a container whose own Node may read one more folder.
    setting=$3
    shift 5
    exec env -i NODE_OPTIONS='--allow-fs-read=/granted/*' "$setting" "$NODE" "$@"
    ;;
  *) exit 64 ;;
esac
