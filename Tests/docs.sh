#!/bin/bash
# Makes the library's documentation of the modules in a build directory; a warning is an error.
#
# `swift package generate-documentation` says the same, and builds everything once more for it; here
# the modules that the tests have built are enough.
set -eu
build=$1 output=$2
triple=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
rm -rf "$output"
others=()
# Those that SwiftPM makes for modules of C.
maps=()
for map in "$build"/release/CSQLiteSync*.build/module.modulemap; do
  maps+=(-Xcc -fmodule-map-file="$map")
done
for module in SQLiteSyncCloud SQLiteSyncCloudConformance SQLiteSync; do
  mkdir -p "$output/symbols/$module"
  swift symbolgraph-extract -module-name $module -target "$triple" -minimum-access-level public \
    -skip-inherited-docs -output-dir "$output/symbols/$module" -I "$build/release/Modules" \
    -Xcc -fmodule-map-file=Sources/CSQLiteSyncNettle/module.modulemap \
    "${maps[@]}" \
    -Xcc -fmodule-map-file="$build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap"
  # Not every module has articles.
  catalog=Sources/$module/$module.docc
  [ -d "$catalog" ] || catalog=
  docc convert ${catalog:+"$catalog"} --warnings-as-errors \
    --additional-symbol-graph-dir "$output/symbols/$module" --fallback-display-name $module \
    --fallback-bundle-identifier $module --enable-experimental-external-link-support \
    ${others[@]+"${others[@]}"} --output-path "$output/$module.doccarchive"
  others+=(--dependency "$output/$module.doccarchive")
done
echo "docc preview, or any server of $output/SQLiteSync.doccarchive, shows it."
