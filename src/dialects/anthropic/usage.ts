/** Anthropic's usage; its input tokens exclude cache reads and writes. */
import {
  emptyUsage,
  estimatedField,
  type FurtherPass,
  summed,
  totalCacheWrite,
  totalInput,
  totalOutput,
  type Usage,
  withTier,
} from '../../domain/pricing/usage.ts';
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import { tokenCountIn } from '../hub/answer/token-count.ts';

/** Merges a later report into an earlier one; values replace earlier ones, never add up. */
export function mergeRawUsage(held: JsonObject | undefined, next: JsonObject): JsonObject {
  const present = Object.entries(next).filter(([, value]) => value !== null && value !== undefined);
  return { ...held, ...Object.fromEntries(present) };
}

/** Undefined if all counts are zero. */
export function readAnthropicUsage(raw: JsonObject): Usage | undefined {
  const tier = raw.speed === 'fast' ? raw.speed : raw.service_tier;
  const further = readFurther(raw).map((pass) => ({ ...pass, usage: withTier(pass.usage, tier) }));
  const usage = { ...readPass(raw), ...(further.length > 0 && { further }) };
  return totalInput(usage) + totalOutput(usage) === 0 ? undefined : withTier(usage, tier);
}

const MAX_PASSES = 100;

/** The passes that the counts of the answer leave out. An advisor is a model of its own. */
function readFurther(raw: JsonObject): readonly FurtherPass[] {
  return objectsIn(raw, 'iterations')
    .slice(0, MAX_PASSES)
    .flatMap((pass) => {
      if (pass.type === 'compaction') return [{ usage: readPass(pass) }];
      if (pass.type !== 'advisor_message') return [];
      const model = textIn(pass, 'model');
      return [{ ...(model !== undefined && { model }), usage: readPass(pass) }];
    })
    .filter(({ usage }) => totalInput(usage) + totalOutput(usage) > 0);
}

function readPass(raw: JsonObject): Usage {
  const split = objectIn(raw, 'cache_creation');
  const split5m = tokenCountIn(split, 'ephemeral_5m_input_tokens') ?? 0;
  const split1h = tokenCountIn(split, 'ephemeral_1h_input_tokens') ?? 0;
  const written = tokenCountIn(raw, 'cache_creation_input_tokens') ?? split5m + split1h;
  const cacheWrite1h = Math.min(split1h, written);
  const cacheWrite5m = Math.min(split5m, written - cacheWrite1h);
  const output = tokenCountIn(raw, 'output_tokens') ?? 0;
  const thinking = tokenCountIn(objectIn(raw, 'output_tokens_details'), 'thinking_tokens') ?? 0;
  return {
    ...emptyUsage(),
    input: tokenCountIn(raw, 'input_tokens') ?? 0,
    cacheRead: tokenCountIn(raw, 'cache_read_input_tokens') ?? 0,
    cacheWrite5m,
    cacheWrite1h,
    cacheWrite: written - cacheWrite5m - cacheWrite1h,
    output,
    reasoning: Math.min(thinking, output),
    webSearches: tokenCountIn(objectIn(raw, 'server_tool_use'), 'web_search_requests') ?? 0,
  };
}

export function toAnthropicUsage(passes: Usage): JsonObject {
  const usage = summed(passes);
  const { cacheWrite, cacheWrite5m, cacheWrite1h } = usage;
  const written = totalCacheWrite(usage);
  return {
    // The API has no separate audio and image tokens, so they count as input.
    input_tokens: usage.input + usage.audioInput + usage.imageInput,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: usage.cacheRead,
    ...(written > 0
      ? {
          cache_creation: {
            ephemeral_5m_input_tokens: cacheWrite5m + cacheWrite,
            ephemeral_1h_input_tokens: cacheWrite1h,
          },
        }
      : {}),
    output_tokens: totalOutput(usage),
    ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    ...(usage.webSearches > 0
      ? { server_tool_use: { web_search_requests: usage.webSearches, web_fetch_requests: 0 } }
      : {}),
    ...estimatedField(usage),
  };
}
