/** Adapts a client's body to the provider, with as few changes as possible. */
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { ProviderEndpoint, ProviderRow } from '../rows/provider-row.ts';
import { type ModelRule, modelRuleOf, readNameSuffix } from './model-rules.ts';
import { shapeMessages, shapeTools, withSchemaInPrompt } from './shape-messages.ts';
import { shapeReasoning } from './shape-reasoning.ts';

export interface Shaping {
  /** The model name after mapping. */
  readonly upstreamModel: string;
  /** Whether the upstream request streams, regardless of the client's request. */
  readonly stream: boolean;
  /** The channel lists exactly this name, so its suffix is not a reasoning effort. */
  readonly isListed: boolean;
}

/** The same object if nothing changes. */
type Step = (body: JsonObject, stream: boolean) => JsonObject;

/**
 * Adapts bodies to the provider; `stream`: whether the upstream request streams. Returns the same
 * object if the original bytes can be sent. Never modifies the input; unknown fields are kept.
 * Unchanged values are shared with the input, so that `renderJson` can reuse their bytes.
 */
export type BodyShaper = Step;

const STREAMING: ReadonlySet<ProviderEndpoint> = new Set(['chat', 'completions', 'responses']);

/** Returns 'unchanged' if the original bytes can be sent. */
export function shapeBody(
  provider: ProviderRow,
  endpoint: ProviderEndpoint,
  body: JsonObject,
  shaping: Shaping,
): JsonObject | 'unchanged' {
  const shaped = bodyShaper(provider, endpoint, shaping)(body, shaping.stream);
  return shaped === body ? 'unchanged' : shaped;
}

/** Collects the steps that provider, endpoint and model need, once for all of their calls. */
export function bodyShaper(
  provider: ProviderRow,
  endpoint: ProviderEndpoint,
  { upstreamModel, isListed }: Pick<Shaping, 'upstreamModel' | 'isListed'>,
): BodyShaper {
  const named = isListed ? undefined : readNameSuffix(provider.slug, upstreamModel);
  const model = named?.model ?? upstreamModel;
  const isResponses = endpoint === 'responses';
  const rule = endpoint === 'chat' || isResponses ? modelRuleOf(provider.slug, model) : undefined;
  const usage = isResponses ? 'always' : provider.streamUsage;
  const steps = present([
    (given) => withField(given, 'model', model),
    named && ((given) => withEnding(given, endpoint, named.fields)),
    rule && !isResponses && ((given) => shapedBy(rule, given)),
    STREAMING.has(endpoint)
      ? (given, stream) => withStream(given, usage, stream)
      : withoutUnwantedStream,
    rule && ((given) => dropRefused(given, rule)),
    // These steps concern fields that only chat and similar endpoints have.
    ...(isResponses ? [] : chatSteps(provider, endpoint, rule)),
  ]);
  return (body, stream) => {
    let shaped = body;
    for (const step of steps) shaped = step(shaped, stream);
    return shaped;
  };
}

type Optional = Step | false | undefined;

function present(steps: readonly Optional[]): readonly Step[] {
  return steps.flatMap((step) => step || []);
}

function chatSteps(
  provider: ProviderRow,
  endpoint: ProviderEndpoint,
  rule: ModelRule | undefined,
): readonly Optional[] {
  const { drop = [], range } = provider;
  const names = { ...outputLimitNames(provider), ...provider.rename, ...rule?.rename };
  const role = rule?.systemRole ?? provider.systemRole;
  return [
    Object.keys(names).length > 0 && ((given) => renameAll(given, names)),
    drop.length > 0 && ((given) => without(given, drop)),
    range && ((given) => withinRange(given, range)),
    role && ((given) => withRole(given, role)),
    ...(endpoint === 'chat' ? conversationSteps(provider, rule) : []),
  ];
}

/** Requirements beyond single fields: history, tools, response format. */
function conversationSteps(
  { history = {}, jsonObjectOnly, streamedTools }: ProviderRow,
  rule: ModelRule | undefined,
): readonly Optional[] {
  const { dropFromTools } = history;
  const systemAsUser = rule?.systemAsUser === true;
  return [
    streamedTools && ((given) => withStreamedTools(given, streamedTools)),
    jsonObjectOnly && withSchemaInPrompt,
    (systemAsUser || Object.keys(history).length > 0) &&
      ((given) => shapeMessages(given, history, { systemAsUser })),
    dropFromTools && ((given) => shapeTools(given, dropFromTools)),
  ];
}

/** Applies the settings of a model name's suffix; Responses supports only the effort. */
function withEnding(body: JsonObject, endpoint: ProviderEndpoint, fields: JsonObject): JsonObject {
  if (endpoint === 'chat') return withFields(body, fields);
  const { reasoning_effort: effort } = fields;
  if (endpoint !== 'responses' || effort === undefined) return body;
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  return withField(body, 'reasoning', { ...reasoning, effort });
}

function shapedBy(rule: ModelRule, body: JsonObject): JsonObject {
  const shaped = rule.reasoning === undefined ? body : shapeReasoning(body, rule.reasoning);
  const missing = Object.entries(rule.defaults ?? {}).filter(
    ([name]) => !Object.hasOwn(shaped, name),
  );
  return withFields(shaped, Object.fromEntries(missing));
}

/** Values set by the client are kept. */
function withStreamedTools(body: JsonObject, fields: JsonObject): JsonObject {
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  return hasTools && body.stream === true ? { ...fields, ...body } : body;
}

function withFields(body: JsonObject, fields: JsonObject): JsonObject {
  return Object.entries(fields).reduce(
    (given, [name, value]) => withField(given, name, value),
    body,
  );
}

function withField(body: JsonObject, name: string, value: unknown): JsonObject {
  return body[name] === value ? body : { ...body, [name]: value };
}

function without(body: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => Object.hasOwn(body, name))) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Usage in streams is always requested, because charges are based on it. */
function withStream(
  body: JsonObject,
  streamUsage: ProviderRow['streamUsage'],
  stream: boolean,
): JsonObject {
  if (!stream) {
    return body.stream === true
      ? without(withField(body, 'stream', false), ['stream_options'])
      : body;
  }
  const streaming = withField(body, 'stream', true);
  const options = isObject(body.stream_options) ? body.stream_options : {};
  if (streamUsage !== 'option' || options.include_usage === true) return streaming;
  return { ...streaming, stream_options: { ...options, include_usage: true } };
}

function withoutUnwantedStream(body: JsonObject, stream: boolean): JsonObject {
  return body.stream === true && !stream ? without(body, ['stream', 'partial_images']) : body;
}

function dropRefused(body: JsonObject, rule: ModelRule): JsonObject {
  const { reasoning } = body;
  const effort = isObject(reasoning) ? reasoning.effort : body.reasoning_effort;
  if (rule.keepWithoutReasoning && effort === 'none') return body;
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

/** If a client sends both names, the value of the new name is used. */
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

/** Clamps values where a provider excludes a bound: 1 becomes the highest number below it. */
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

/** `system` and `developer` are the same role in two generations of models. */
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
