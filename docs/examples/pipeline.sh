#!/bin/sh
# Two steps of a pipeline: `pipeline.sh check` for a pull request, `pipeline.sh apply` for the main branch.
# GATEWAY_ACCESS_TOKEN is the access token of an administrator, OPENAI_KEY the upstream's key.
set -eu
document=$(dirname "$0")/site.yaml
case $1 in
  # Status 9 says that the site differs from the document.
  check) gateway plan -f "$document" --exit-code ;;
  apply) gateway apply -f "$document" --prune --tag managed --yes ;;
esac
