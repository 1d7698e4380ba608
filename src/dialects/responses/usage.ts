/** Usage of the Responses dialect: chat's counts under other names, and tool uses by items. */
import {
  estimatedField,
  readOpenAiUsage,
  summed,
  totalCacheWrite,
  totalInput,
  totalOutput,
  type Usage,
  withTier,
} from '../../domain/pricing/usage.ts';
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';

/** Undefined if all counts are zero. */
export function readResponsesUsage(response: JsonObject): Usage | undefined {
  const usage = readOpenAiUsage(response.usage);
  if (usage === undefined) return undefined;
  const items = objectsIn(response, 'output').filter(({ status }) => status !== 'failed');
  const ofType = (type: string) => items.filter((item) => item.type === type);
  const containers = ofType('code_interpreter_call').map((item) => textIn(item, 'container_id'));
  const used = {
    webSearches: Math.max(usage.webSearches, ofType('web_search_call').filter(isSearch).length),
    fileSearches: ofType('file_search_call').length,
    // A container is charged once, however often code runs in it.
    codeSessions: new Set(containers).size,
  };
  return withTier({ ...usage, ...used }, response.service_tier);
}

/** Opening a page or searching within it does not count as a search. */
function isSearch(item: JsonObject): boolean {
  const action = textIn(objectIn(item, 'action'), 'type') ?? 'search';
  return action === 'search';
}

export function toResponsesUsage(passes: Usage): JsonObject {
  const usage = summed(passes);
  const input = totalInput(usage);
  const output = totalOutput(usage);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: totalCacheWrite(usage),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
    ...estimatedField(usage),
  };
}
