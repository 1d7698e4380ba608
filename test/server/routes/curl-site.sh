#!/bin/sh
# A whole site by curl alone: from an empty folder to a model call that is answered, billed and
# accounted for. Every step checks its answer; the first that is wrong ends the script with status 1.
#
#   sh test/server/routes/curl-site.sh
#
# GATEWAY       the command to serve with                      (default: gateway)
# UPSTREAM      base address of an OpenAI-compatible provider  (default: starts the fake upstream)
# UPSTREAM_KEY  its key                                        (default: sk-upstream)
# MODEL         a model it serves                              (default: gpt-4o-mini)
set -eu

GATEWAY=${GATEWAY:-gateway}
UPSTREAM=${UPSTREAM:-}
UPSTREAM_KEY=${UPSTREAM_KEY:-sk-upstream}
MODEL=${MODEL:-gpt-4o-mini}

work=$(mktemp -d)
answer=$work/answer
pids=
trap 'kill $pids 2>/dev/null || true; wait; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# --- tools -------------------------------------------------------------------------------------

step() {
  step=$1
  echo "- $step"
}

fail() {
  echo "FAILED at: $step" >&2
  echo "  $1" >&2
  [ ! -s "$answer" ] || sed 's/^/  | /' "$answer" >&2
  exit 1
}

# as PERSON METHOD PATH [JSON] [curl options]: each person has a cookie jar.
as() {
  jar=$work/$1.cookies method=$2 path=$3 json=${4-}
  if [ $# -gt 4 ]; then shift 4; else shift $#; fi
  [ -z "$json" ] || set -- --header 'Content-Type: application/json' --data "$json" "$@"
  : > "$answer"
  status=$(curl --silent --show-error --max-time 60 --output "$answer" --write-out '%{http_code}' \
    --cookie "$jar" --cookie-jar "$jar" --request "$method" "$@" "$url$path") ||
    fail "$method $path was not answered"
}

# expect STATUS TEXT...: the last answer has this status and every one of these texts.
expect() {
  [ "$status" = "$1" ] || fail "HTTP status $status instead of $1"
  shift
  for text; do
    grep -qF -- "$text" "$answer" || fail "the answer has no $text"
  done
}

# field NAME [FILE]: the first value of this name in the last answer.
field() {
  grep -o "\"$1\":\"\{0,1\}[^\",}]*" "${2:-$answer}" | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'
}

# printed FILE PATTERN: waits until a background program has printed what sed finds with PATTERN.
printed() {
  tries=0
  # The program in the background may not have opened it yet.
  [ -e "$1" ] || : >> "$1"
  until found=$(sed -n "$2" "$1" | head -n 1) && [ -n "$found" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || { cp "$1" "$answer"; fail 'it did not start'; }
    sleep 0.1
  done
  echo "$found"
}

# --- the journey -------------------------------------------------------------------------------

if [ -z "$UPSTREAM" ]; then
  step 'start the fake upstream'
  (cd "$(dirname "$0")/../../.." && exec node --import tsx test/tools/bench/environment/mock.ts) > "$work/upstream" 2>&1 &
  pids="$pids $!"
  UPSTREAM=$(printed "$work/upstream" 's/^mock on //p')
fi

step 'serve an empty data folder and read the set-up code'
GATEWAY_DATA=$work/data $GATEWAY serve --port 0 --no-web > "$work/serve" 2>&1 &
pids="$pids $!"
code=$(printed "$work/serve" 's/.*\/setup#code=\([^ ]*\).*/\1/p')
url=$(printed "$work/serve" 's/.*listening on \(http[^ ]*\).*/\1/p')

step 'set the site up, only with the code'
as guest GET /api/setup
expect 200 '"status":false'
root='"username":"root","password":"root-password","confirmPassword":"root-password"'
as guest POST /api/setup "{$root,\"code\":\"a guess\"}"
expect 400 '"success":false' '"code":"setup_code_wrong"'
as guest POST /api/setup "{$root,\"code\":\"$code\"}"
expect 200 '"success":true'

step 'sign in'
as root POST /api/user/login '{"username":"root","password":"a wrong password"}'
expect 200 '"success":false' '"code":"login_failed"'
as root POST /api/user/login '{"username":"root","password":"root-password"}'
expect 200 '"success":true' '"role":100'
as root GET /api/user/self
expect 200 '"username":"root"'

step 'no other site writes with this cookie'
as root PUT /api/option/ '{"key":"Notice","value":"defaced"}' --header 'Origin: https://elsewhere.example'
expect 403 '"code":"origin_denied"'

step 'connect the upstream as a channel and test it'
as root POST /api/channel/ \
  "{\"name\":\"upstream\",\"type\":1,\"base_url\":\"$UPSTREAM\",\"key\":\"$UPSTREAM_KEY\",\"models\":\"$MODEL\"}"
expect 200 '"success":true' "\"models\":\"$MODEL\""
as root POST "/api/channel/test/$(field id)"
expect 200 '"success":true'

step 'set a price (1 unit for a prompt token, 4 for a completion token) and an option'
as root PUT /api/price/ "{\"model\":\"$MODEL\",\"in\":2,\"out\":8}"
expect 200 '"usd_in":2' '"usd_out":8'
as root PUT /api/option/ '{"key":"SystemName","value":"Curl and nothing else"}'
expect 200 '"success":true'
as guest GET /api/status
expect 200 '"setup":true' '"system_name":"Curl and nothing else"'

step 'a user registers and signs in'
as ann POST /api/user/register '{"username":"ann","password":"ann-password"}'
expect 200 '"success":true'
as ann POST /api/user/login '{"username":"ann","password":"ann-password"}'
expect 200 '"username":"ann"' '"role":1'
as ann GET /api/user/
expect 200 '"code":"permission_denied"'
as ann GET /api/user/self
before=$(field quota)

step 'sell her one dollar of quota as a redemption code'
as root POST /api/redemption/ '{"name":"one dollar","quota":500000,"count":1}'
expect 200 '"success":true'
key=$(sed 's/.*"data":\["\([^"]*\)"\].*/\1/' "$answer")
as ann POST /api/user/topup "{\"key\":\"$key\"}"
expect 200 '"quota":500000'
as ann POST /api/user/topup "{\"key\":\"$key\"}"
expect 200 '"success":false'

step 'she makes an API token'
as ann POST /api/token/ '{"name":"curl","unlimited_quota":true}'
expect 200 '"success":true'
token=$(field key)

step 'a model call, plain'
as nobody POST /v1/chat/completions \
  "{\"model\":\"$MODEL\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}" \
  --header "Authorization: Bearer sk-${token#sk-}"
expect 200 '"choices"' '"finish_reason":"stop"'
cost=$(($(field prompt_tokens) + 4 * $(field completion_tokens)))

step 'a model call, streamed'
as nobody POST /v1/chat/completions \
  "{\"model\":\"$MODEL\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}" \
  --no-buffer --header "Authorization: Bearer sk-${token#sk-}"
expect 200 'data: {' '"delta"' 'data: [DONE]'
cost=$((cost + $(field prompt_tokens) + 4 * $(field completion_tokens)))

step 'a call with a wrong key'
as nobody POST /v1/chat/completions "{\"model\":\"$MODEL\",\"messages\":[]}" \
  --header 'Authorization: Bearer sk-wrong'
expect 401 '"error"'

step 'both calls are in her log, and in that of the site'
as ann GET '/api/log/self?type=2&p=1&page_size=10'
expect 200 '"total":2' "\"model_name\":\"$MODEL\"" '"usage_source":"upstream"'
as root GET '/api/log/?type=2&username=ann'
expect 200 '"total":2' '"channel_name":"upstream"'

step 'she has paid for exactly what the upstream counted'
as ann GET /api/user/self
expect 200 '"request_count":2' "\"used_quota\":$cost" "\"quota\":$((before + 500000 - cost))"

step 'the books are right'
as root GET /api/ledger/verify
expect 200 '"ok":true' '"differences":[]'

step 'a program signs in with an access token'
as ann POST /api/user/token
expect 200 '"success":true'
access=$(field data)
as nobody GET /api/user/self '' --header "Authorization: Bearer $access" --header 'Gateway-User: 999'
expect 401 '"code":"user_header_wrong"'
as nobody DELETE /api/user/token '' --header "Authorization: Bearer $access"
expect 200 '"success":true'
as nobody GET /api/user/self '' --header "Authorization: Bearer $access"
expect 200 '"code":"access_token_invalid"'

step 'end every session'
for person in ann root; do
  cp "$work/$person.cookies" "$work/kept.cookies"
  as $person POST /api/user/sessions/end
  expect 200 '"success":true'
  as kept GET /api/user/self
  expect 401 '"code":"not_signed_in"'
done

echo "done: 2 calls, $cost units"
