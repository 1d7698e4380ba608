#!/bin/sh
# A task for Claude Code. `gateway run claude` does the same with a key of its own and a bill at the end.
set -eu
export ANTHROPIC_BASE_URL="$GATEWAY_URL"
export ANTHROPIC_AUTH_TOKEN="$GATEWAY_KEY"
export ANTHROPIC_MODEL="$MODEL"
export ANTHROPIC_SMALL_FAST_MODEL="$MODEL"
exec claude --print "${1:-Say hello.}"
