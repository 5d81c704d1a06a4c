# A PostgreSQL 17 with pgvector of Debian 13 for the tests, in a root directory of its own, whatever the machine's release.
# Sourced by run. start_postgres sets postgres_url; stop_postgres removes all but the installed packages, which are kept
# for the next run in VERBATIM_CI_CACHE.

postgres_root=${VERBATIM_CI_CACHE:-/var/tmp/verbatim-ci}/trixie-postgresql-17
postgres_cluster=ci$$
postgres_started=
postgres_url=

start_postgres() {
  install_postgres_root || return 1
  local port
  port=$(free_port) || return 1
  mount_system || return 1
  postgres_started=yes
  # Named, because a minimal system would give a cluster of encoding SQL_ASCII.
  in_root pg_createcluster 17 "$postgres_cluster" -p "$port" -e UTF8 --locale C.UTF-8 || return 1
  local configuration=$postgres_root/etc/postgresql/17/$postgres_cluster
  printf 'local all postgres peer\nhost all all 127.0.0.1/32 trust\n' >"$configuration/pg_hba.conf"
  # The data is thrown away, so nothing needs to survive a power failure.
  cat >>"$configuration/postgresql.conf" <<'SETTINGS'
listen_addresses = '127.0.0.1'
max_connections = 200
fsync = off
synchronous_commit = off
full_page_writes = off
SETTINGS
  in_root pg_ctlcluster 17 "$postgres_cluster" start || return 1
  postgres_url=postgres://postgres@127.0.0.1:$port/postgres
}

stop_postgres() {
  [ -n "$postgres_started" ] || return 0
  postgres_started=
  in_root pg_dropcluster --stop 17 "$postgres_cluster" || true
  umount "$postgres_root/dev" || umount -l "$postgres_root/dev"
  umount "$postgres_root/proc" || umount -l "$postgres_root/proc"
}

# Built under another name, so that a directory with the final name is complete.
install_postgres_root() {
  [ -d "$postgres_root" ] && return 0
  local unfinished
  mkdir -p "$(dirname "$postgres_root")" || return 1
  unfinished=$(mktemp -d "$postgres_root.XXXXXX") || return 1
  if debootstrap --variant=minbase --include=postgresql-17,postgresql-17-pgvector trixie "$unfinished" >"$unfinished.log" 2>&1; then
    chmod 755 "$unfinished"
    # Another run may have finished first; its root is as good.
    mv -T "$unfinished" "$postgres_root" 2>/dev/null || rm -rf "$unfinished"
    rm -f "$unfinished.log"
  else
    tail -20 "$unfinished.log"
    rm -rf "$unfinished" "$unfinished.log"
    return 1
  fi
}

mount_system() {
  mount -t proc proc "$postgres_root/proc" || return 1
  if ! mount --bind /dev "$postgres_root/dev"; then
    umount "$postgres_root/proc"
    return 1
  fi
}

in_root() {
  LC_ALL=C.UTF-8 chroot "$postgres_root" "$@"
}

free_port() {
  node -e 'const server = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); });'
}
