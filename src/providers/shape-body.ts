/** Makes a client's body one that this provider accepts, changing as little as possible. */
import { isObject, type JsonObject } from './json.ts';
import { type ModelRule, modelRuleOf, readEffortName } from './model-rules.ts';
import type { Endpoint, ProviderRow } from './row.ts';

export interface Shaping {
  /** The name after mapping. */
  readonly upstreamModel: string;
  /** Whether the upstream is asked for a stream, whatever the client asked. */
  readonly stream: boolean;
  /** The channel lists `upstreamModel` under that very name, so its ending is no reasoning effort. */
  readonly isListed: boolean;
}

type Step = (body: JsonObject) => JsonObject;

const STREAMING: ReadonlySet<Endpoint> = new Set(['chat', 'completions']);

/**
 * 'unchanged' when the original bytes can go through. The input is never touched; fields nobody here
 * knows survive; what is not changed is shared with the input, so `renderJson` can keep its bytes.
 */
export function shapeBody(
  provider: ProviderRow,
  endpoint: Endpoint,
  body: JsonObject,
  shaping: Shaping,
): JsonObject | 'unchanged' {
  const named = shaping.isListed ? undefined : readEffortName(provider.slug, shaping.upstreamModel);
  const model = named?.model ?? shaping.upstreamModel;
  const rule = endpoint === 'chat' ? modelRuleOf(provider.slug, model) : undefined;
  const steps: readonly Step[] = [
    (given) => withField(given, 'model', model),
    (given) =>
      named && endpoint === 'chat' ? withField(given, 'reasoning_effort', named.effort) : given,
    (given) => (STREAMING.has(endpoint) ? withStream(given, provider, shaping.stream) : given),
    (given) => (rule ? dropRefused(given, rule) : given),
    (given) =>
      renameAll(given, { ...outputLimitNames(provider), ...provider.rename, ...rule?.rename }),
    (given) => without(given, provider.drop ?? []),
    (given) => withinRange(given, provider.range ?? {}),
    (given) => withRole(given, rule?.systemRole ?? provider.systemRole),
  ];
  const shaped = steps.reduce((given, step) => step(given), body);
  return shaped === body ? 'unchanged' : shaped;
}

function withField(body: JsonObject, name: string, value: unknown): JsonObject {
  return body[name] === value ? body : { ...body, [name]: value };
}

function without(body: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => Object.hasOwn(body, name))) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** The usage of a stream is wanted always: the gateway bills by it. */
function withStream(body: JsonObject, provider: ProviderRow, stream: boolean): JsonObject {
  if (!stream) {
    return body.stream === true
      ? without(withField(body, 'stream', false), ['stream_options'])
      : body;
  }
  const streaming = withField(body, 'stream', true);
  const options = isObject(body.stream_options) ? body.stream_options : {};
  if (provider.streamUsage !== 'option' || options.include_usage === true) return streaming;
  return { ...streaming, stream_options: { ...options, include_usage: true } };
}

function dropRefused(body: JsonObject, rule: ModelRule): JsonObject {
  if (rule.keepWithoutReasoning && body.reasoning_effort === 'none') return body;
  const refused = Object.entries(rule.drop ?? {}).filter(
    ([name, usual]) => Object.hasOwn(body, name) && body[name] !== usual && body[name] !== null,
  );
  return without(
    body,
    refused.map(([name]) => name),
  );
}

function outputLimitNames(provider: ProviderRow): Readonly<Record<string, string>> {
  return provider.maxTokensField === 'max_tokens' ? { max_completion_tokens: 'max_tokens' } : {};
}

/** The new name's own value wins when a client sends both. */
function renameAll(body: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const old = Object.keys(names).filter((name) => Object.hasOwn(body, name));
  if (old.length === 0) return body;
  const renamed = Object.entries(body).flatMap(([name, value]) => {
    const next = names[name];
    if (next === undefined) return [[name, value] as const];
    return Object.hasOwn(body, next) ? [] : [[next, value] as const];
  });
  return Object.fromEntries(renamed);
}

/** The open ends of the range, not the client's meaning: 1 becomes the highest number below it. */
function withinRange(
  body: JsonObject,
  range: Readonly<Record<string, readonly [number, number]>>,
): JsonObject {
  return Object.entries(range).reduce((given, [name, [lowest, highest]]) => {
    const value = given[name];
    if (typeof value !== 'number') return given;
    return withField(given, name, Math.min(highest, Math.max(lowest, value)));
  }, body);
}

/** `system` and `developer` say the same in two generations of models. */
function withRole(body: JsonObject, role: 'system' | 'developer' | undefined): JsonObject {
  const { messages } = body;
  if (role === undefined || !Array.isArray(messages)) return body;
  const other = role === 'system' ? 'developer' : 'system';
  if (!messages.some((message) => isObject(message) && message.role === other)) return body;
  const turned = messages.map((message: unknown) =>
    isObject(message) && message.role === other ? { ...message, role } : message,
  );
  return { ...body, messages: turned };
}
