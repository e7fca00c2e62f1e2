#!/bin/bash
# Runs the programs of this package, built in a directory, and compares what they print.
set -eu
programs=$1
articles=$(dirname "$0")/../../Sources/SQLiteSync/SQLiteSync.docc
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
export TMPDIR=$folder

expect() { # what is expected, and then the command
  local expected=$1 found
  shift
  found=$("$@")
  if [ "$found" != "$expected" ]; then
    printf 'FAILED: %s\nexpected: %s\nfound:    %s\n' "$*" "$expected" "$found" >&2
    exit 1
  fi
}

# Every article says at its end what its program prints.
for name in $(sed -n 's/^\$ swift run //p' "$articles"/*.md); do
  expect "$(sed -n "/^\\\$ swift run $name\$/,/^\`\`\`/p" "$articles/$name.md" | sed '1d;$d')" \
    "$programs/$name"
done

expect '["Cloud", "Hashing", "Images", "Reminders", "Terminal", "TestSupport"]' "$programs/Names"
expect $'desk 4 sent, 0 fetched ["Personal: Groceries #car"]
phone 0 sent, 4 fetched ["Personal: Groceries #car"]' "$programs/Seed"

mkdir "$folder/cloud" "$folder/recipes" "$folder/web"
expect 2 "$programs/Counter" "$folder/one" "$folder/cloud" 2
expect 5 "$programs/Counter" "$folder/two" "$folder/cloud" 3
expect 5 "$programs/Counter" "$folder/one" "$folder/cloud"

recipes() { RECIPES="$folder/$1" RECIPES_CLOUD="$folder/recipes" "$programs/Recipes" "${@:2}"; }
expect "" recipes desk add Pancakes "Flour, milk"
expect "  Pancakes: Flour, milk; cooked 0 times" recipes phone list
expect "" recipes phone cooked Pancakes
expect "" recipes phone remove Pancakes
expect "" recipes desk list
expect "" recipes phone undelete
expect "  Pancakes: Flour, milk; cooked 1 times" recipes desk list

# Two web servers with a database each: what is posted to one shows on the other, which says so.
serve() { # starts a server and sets `port`
  mkfifo "$folder/$1.url"
  "$programs/WebNotes" "$folder/$1.sqlite" "$folder/web" >"$folder/$1.url" &
  read -r port <"$folder/$1.url"
  port=${port##*:}
}
request() { # port, method, path, body
  exec 3<>"/dev/tcp/127.0.0.1/$1"
  printf '%s %s HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s' "$2" "$3" "${#4}" "$4" >&3
}
serve first && first=$port
serve second && second=$port
request "$second" GET /changes ""
exec 4<&3
request "$first" POST / "text=Milk+%26+%3Chay%3E"
read -r status <&3
[ "$status" = $'HTTP/1.1 303 See Other\r' ] || { echo "FAILED: $status" >&2; exit 1; }
timeout 60 grep -q '^data: 1' <&4 || { echo "FAILED: no change is told" >&2; exit 1; }
request "$second" GET / ""
expect '<li>Milk &amp; &lt;hay&gt;</li>' grep '<li>' <&3
echo "The library's examples do what they say."
