/** The operator's changes of a channel's bodies. */
import { withParamOverride } from '../../dialects/openai/param-override.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { JsonObject } from '../call/call-intent.ts';
import type { Ports } from '../call/relay-ports.ts';

/** Whether bodies are sent as they are, but for the name of the model. */
export function isPassThrough({ ctx }: Ports<'ctx'>, { setting }: ChannelEntry): boolean {
  return setting.passThroughBody || ctx.options().get('global.pass_through_request_enabled');
}

/** The body with the channel's override, which is applied last. */
export function overridden(body: JsonObject, { paramOverride }: ChannelEntry): JsonObject {
  return paramOverride === undefined ? body : withParamOverride(body, paramOverride);
}

export function withModel(body: JsonObject, model: string): JsonObject {
  return body.model === model ? body : { ...body, model };
}
