#!/bin/sh
# Checks an unpacked pack with sh, sed, grep, od and openssl (3.0 or later) alone: no program of the ledger, no network. Read it before you run it.
#
#   sh check.sh                 every receipt of the pack
#   sh check.sh RCPT-… …        these receipts
#   KEY=… sh check.sh           the checkpoints must be signed by this verifier key, which you have from elsewhere
#
# It takes a few seconds for ten receipts. Status 0: all that is said below holds.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
no() { echo "FAILS: $*"; failed=$((failed + 1)); }
sha() { openssl dgst -sha256 -binary; }
plain() { openssl base64 -d -A; }
node() { { printf '\001'; cat "$1" "$2"; } | sha; }

# The log's signature of a checkpoint, by one of the keys (RFC 8032, C2SP signed-note).
signed() {
  sed '/^$/,$d' "$1" > "$work/text"
  { if [ -n "${KEY:-}" ]; then printf '%s\n' "$KEY"; else cat keys/receipts.txt keys/activity.txt 2> /dev/null; fi; } > "$work/keys"
  while IFS= read -r key; do
    { printf '\060\052\060\005\006\003\053\145\160\003\041\000'; printf %s "$key" | cut -d+ -f3- | plain | tail -c 32; } |
      openssl pkey -pubin -inform DER -out "$work/key.pem"
    grep -F -- "— ${key%%+*} " "$1" | cut -d ' ' -f 3 > "$work/lines" || true
    while IFS= read -r line; do
      printf %s "$line" | plain | tail -c 64 > "$work/signature"
      if openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/text" -sigfile "$work/signature" > /dev/null 2>&1; then return 0; fi
    done < "$work/lines"
  done < "$work/keys"
  return 1
}
# A number and nothing else: a shell would carry out what stands in its sums.
number() { grep -xE '0|[1-9][0-9]{0,15}' || echo 0; }
size() { sed -n 2p "$1" | number; }
root() { sed -n 3p "$1"; }

# That a receipt stands at its place in the tree of the checkpoint in its proof (RFC 9162, 2.1.3.2).
included() {
  { printf '\000'; cat "$1"; } | sha > "$work/r"
  sed '1,/^$/d' "$2" > "$work/checkpoint"
  cmp -s "$work/checkpoint" checkpoints/end.txt || cmp -s "$work/checkpoint" checkpoints/newest.txt || return 1
  fn=$(sed -n 's/^index //p' "$2" | head -n 1 | number)
  [ "$fn" = "$3" ] || return 1
  sn=$(($(size "$work/checkpoint") - 1))
  sed '/^$/,$d' "$2" | sed 1,2d > "$work/hashes"
  while IFS= read -r hash; do
    [ "$sn" != 0 ] || return 1
    printf %s "$hash" | plain > "$work/p"
    if [ $((fn % 2)) = 1 ] || [ "$fn" = "$sn" ]; then
      node "$work/p" "$work/r" > "$work/n"
      while [ $((fn % 2)) = 0 ] && [ "$fn" != 0 ]; do fn=$((fn / 2)) sn=$((sn / 2)); done
    else
      node "$work/r" "$work/p" > "$work/n"
    fi
    mv "$work/n" "$work/r"
    fn=$((fn / 2)) sn=$((sn / 2))
  done < "$work/hashes"
  [ "$sn" = 0 ] && [ "$(openssl base64 -A < "$work/r")" = "$(root "$work/checkpoint")" ]
}

# That the tree of one checkpoint begins with the tree of another (RFC 9162, 2.1.4.2).
continues() {
  m=$(size "$1") n=$(size "$2")
  if [ "$m" = "$n" ]; then [ ! -s "$3" ] && [ "$(root "$1")" = "$(root "$2")" ]; return; fi
  [ -s "$3" ] && [ "$m" -lt "$n" ] || return 1
  power=1
  while [ $((power * 2)) -le "$m" ]; do power=$((power * 2)); done
  { if [ "$power" = "$m" ]; then printf '%s\n' "$(root "$1")"; fi; cat "$3"; } > "$work/hashes"
  fn=$((m - 1)) sn=$((n - 1))
  while [ $((fn % 2)) = 1 ]; do fn=$((fn / 2)) sn=$((sn / 2)); done
  head -n 1 "$work/hashes" | plain > "$work/fr"
  cp "$work/fr" "$work/sr"
  sed 1d "$work/hashes" > "$work/rest"
  while IFS= read -r hash; do
    [ "$sn" != 0 ] || return 1
    printf %s "$hash" | plain > "$work/c"
    if [ $((fn % 2)) = 1 ] || [ "$fn" = "$sn" ]; then
      node "$work/c" "$work/fr" > "$work/n"; mv "$work/n" "$work/fr"
      node "$work/c" "$work/sr" > "$work/n"; mv "$work/n" "$work/sr"
      while [ $((fn % 2)) = 0 ] && [ "$fn" != 0 ]; do fn=$((fn / 2)) sn=$((sn / 2)); done
    else
      node "$work/sr" "$work/c" > "$work/n"; mv "$work/n" "$work/sr"
    fi
    fn=$((fn / 2)) sn=$((sn / 2))
  done < "$work/rest"
  [ "$sn" = 0 ] && [ "$(openssl base64 -A < "$work/fr")" = "$(root "$1")" ] && [ "$(openssl base64 -A < "$work/sr")" = "$(root "$2")" ]
}

# That a passkey signed the hash that the file states. Whether it is the hash of what the receipt seals: ./rcpt verify --approval.
approved() {
  field() { sed 's/.*"'"$1"'":"\([^"]*\)".*/\1/' "$2" | tr -d '\n'; }
  printf %b "$(field public_key_pem "$1")" > "$work/passkey.pem"
  for one in client_data_json authenticator_data signature; do field $one "$1" | plain > "$work/$one"; done
  sha < "$work/client_data_json" | cat "$work/authenticator_data" - > "$work/signed"
  challenge=$({ field challenge "$work/client_data_json" | tr -- '-_' '+/'; printf =; } | plain | od -An -v -tx1 | tr -d ' \n')
  [ "$challenge" = "$(field approved_sha256 "$1")" ] || return 1
  openssl dgst -sha256 -verify "$work/passkey.pem" -signature "$work/signature" "$work/signed" > /dev/null 2>&1 ||
    openssl pkeyutl -verify -pubin -inkey "$work/passkey.pem" -rawin -in "$work/signed" -sigfile "$work/signature" > /dev/null 2>&1
}

for one in before end newest; do
  [ ! -e checkpoints/$one.txt ] || signed checkpoints/$one.txt || no "checkpoints/$one.txt is signed by none of the keys"
done
[ ! -e checkpoints/before-to-end.txt ] || continues checkpoints/before.txt checkpoints/end.txt checkpoints/before-to-end.txt ||
  no "the checkpoint at the end does not continue the one before the period"
[ ! -e checkpoints/end-to-newest.txt ] || continues checkpoints/end.txt checkpoints/newest.txt checkpoints/end-to-newest.txt ||
  no "the newest checkpoint does not continue the one at the end of the period"

if [ $# = 0 ]; then
  for file in receipts/*.json; do [ ! -e "$file" ] || set -- "$@" "$(basename "$file" .json)"; done
  count=$#
  first=0 last=0
  [ ! -e checkpoints/before.txt ] || first=$(size checkpoints/before.txt)
  [ ! -e checkpoints/end.txt ] || last=$(size checkpoints/end.txt)
  [ "$count" = $((last - first)) ] || no "the checkpoints count $((last - first)) receipts in the period, the pack has $count"
fi
checked=0
for id in "$@"; do
  file=receipts/$id.json
  seq=$(printf %s "$id" | cut -d- -f2 | sed 's/^0*\(.\)/\1/')
  sealed=$(sed 's/,"receipt_sha256":"[0-9a-f]*"//' "$file" | tr -d '\n' | sha | od -An -v -tx1 | tr -d ' \n')
  grep -q "\"receipt_sha256\":\"$sealed\"" "$file" || no "$id is not what was sealed"
  if [ -e "proofs/$id.tlog-proof" ]; then
    included "$file" "proofs/$id.tlog-proof" "$seq" || no "$id does not stand at $seq in the signed tree"
  else
    no "$id has no proof"
  fi
  [ ! -e "approvals/$id.json" ] || approved "approvals/$id.json" || no "approvals/$id.json: the passkey's signature does not hold"
  checked=$((checked + 1))
done
[ ! -s PROBLEMS.txt ] || echo "PROBLEMS.txt names what the ledger itself found wrong while it made this pack."
if [ "$failed" != 0 ]; then echo "$failed checks failed, $checked receipts looked at"; exit 1; fi
echo "$checked receipts: each hashes to its seal and stands at its place in the signed tree; the checkpoints are signed and continue each other"
