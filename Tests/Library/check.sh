#!/bin/bash
# Runs the programs of the package, built in a directory, and compares what they print.
set -eu
programs=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() { # what is expected, and then the command
  local expected=$1 found
  shift
  found=$("$@")
  if [ "$found" != "$expected" ]; then
    printf 'FAILED: %s\nexpected: %s\nfound:    %s\n' "$*" "$expected" "$found" >&2
    exit 1
  fi
}

expect $'desk ["Rose"]\nphone ["Rose"]' "$programs/GettingStarted"
expect $'desk 4 sent, 0 fetched ["Personal: Groceries #car"]
phone 0 sent, 4 fetched ["Personal: Groceries #car"]' "$programs/Seed"

mkdir "$folder/cloud" "$folder/recipes"
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
echo "The library's examples do what they say."
