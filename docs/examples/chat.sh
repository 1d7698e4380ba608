#!/bin/sh
# A chat call; its answer has a request id, by which `gateway explain` shows what it cost.
set -eu
curl --fail-with-body -sS -i "$GATEWAY_URL/v1/chat/completions" \
  -H "Authorization: Bearer $GATEWAY_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"model\": \"$MODEL\", \"messages\": [{\"role\": \"user\", \"content\": \"Say hello.\"}]}"
