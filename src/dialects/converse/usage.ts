/** Converse's usage; its input tokens exclude cache reads and writes. */
import { emptyUsage, totalInput, totalOutput, type Usage } from '../../domain/pricing/usage.ts';
import { type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import { tokenCountIn } from '../hub/answer/token-count.ts';

/** Undefined if all counts are zero. */
export function readConverseUsage(raw: JsonObject): Usage | undefined {
  const written = tokenCountIn(raw, 'cacheWriteInputTokens') ?? 0;
  const lasting = objectsIn(raw, 'cacheDetails')
    .filter((detail) => textIn(detail, 'ttl') === '1h')
    .reduce((sum, detail) => sum + (tokenCountIn(detail, 'inputTokens') ?? 0), 0);
  const cacheWrite1h = Math.min(lasting, written);
  const usage = {
    ...emptyUsage(),
    input: tokenCountIn(raw, 'inputTokens') ?? 0,
    cacheRead: tokenCountIn(raw, 'cacheReadInputTokens') ?? 0,
    cacheWrite: written - cacheWrite1h,
    cacheWrite1h,
    output: tokenCountIn(raw, 'outputTokens') ?? 0,
  };
  return totalInput(usage) + totalOutput(usage) === 0 ? undefined : usage;
}
