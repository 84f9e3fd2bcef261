#!/bin/bash
# A private PostgreSQL cluster for tests, on a free loopback port, in a folder of its own.
#
#   scripts/postgres.sh start DIR   makes and starts it (DIR must not exist yet); prints the URL for the tests
#   scripts/postgres.sh stop DIR    stops it and removes DIR
#
# As root it runs as the user postgres, since the server refuses root. It does not wait for the disk (fsync is off):
# the tests kill processes, not the machine.
set -euo pipefail

usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
[ $# -eq 2 ] || usage
folder=$2

programs=""
for candidate in /usr/lib/postgresql/{15,16,17,18}/bin; do
    if [ -z "$programs" ] && [ -x "$candidate/initdb" ]; then programs=$candidate/; fi
done
if [ -z "$programs" ] && ! command -v initdb >/dev/null; then
    echo "PostgreSQL's server programs are not here. On Debian: sudo apt install postgresql" >&2
    exit 1
fi

as_server() {
    if [ "$(id -u)" -eq 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start() {
    mkdir -m 700 "$folder"
    [ "$(id -u)" -ne 0 ] || chown postgres "$folder"
    folder=$(cd "$folder" && pwd -P)
    said=$(as_server "${programs}initdb" -D "$folder/data" -U steadyhand --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync 2>&1) ||
        { echo "$said" >&2; exit 1; }
    cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$folder'
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 200
shared_buffers = 64MB
CONF
    for attempt in 1 2 3 4 5; do # between finding a free port and taking it another process may take it
        port=$(free_port)
        if as_server "${programs}pg_ctl" -D "$folder/data" -o "-p $port" -l "$folder/server.log" -w -t 60 start >/dev/null; then
            echo "postgresql+psycopg://steadyhand@127.0.0.1:$port/postgres"
            return
        fi
        echo "PostgreSQL did not start on port $port (try $attempt)" >&2
    done
    tail -20 "$folder/server.log" >&2
    exit 1
}

stop() {
    [ -f "$folder/data/PG_VERSION" ] || { echo "$folder holds no cluster of this script" >&2; exit 1; }
    folder=$(cd "$folder" && pwd -P)
    as_server "${programs}pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null || echo "it was not running" >&2
    rm -rf "$folder"
}

case $1 in
    start) start ;;
    stop) stop ;;
    *) usage ;;
esac
