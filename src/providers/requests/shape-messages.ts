/** Adapts the messages of a chat to the provider; shares unchanged values with the input. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { HistoryRules } from '../rows/provider-row.ts';

type Messages = readonly unknown[];
type Turn = (messages: Messages) => Messages;

/** Returns the same object if no change is needed. */
export function shapeMessages(
  body: JsonObject,
  rules: HistoryRules,
  { systemAsUser }: { readonly systemAsUser?: boolean } = {},
): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const turns: readonly (Turn | false | undefined)[] = [
    rules.drop && withoutFields(rules.drop),
    systemAsUser && systemToUser,
    rules.systemFirst && systemFirst,
    rules.needsReasoning && withReasoning,
    rules.callIdLength !== undefined && withCallIds(rules.callIdLength),
    rules.assistantAfterTools && assistantAfterTools,
    rules.alternates && merged,
  ];
  const shaped = turns.reduce<Messages>((given, turn) => (turn ? turn(given) : given), messages);
  return shaped === messages ? body : { ...body, messages: shaped };
}

/** Applies `turn` to each message; returns the same list if nothing changes. */
function each(messages: Messages, turn: (message: JsonObject) => JsonObject): Messages {
  const turned = messages.map((message) => (isObject(message) ? turn(message) : message));
  return turned.every((message, index) => message === messages[index]) ? messages : turned;
}

function roleOf(message: unknown): unknown {
  return isObject(message) ? message.role : undefined;
}

function isSystem(message: unknown): boolean {
  return roleOf(message) === 'system' || roleOf(message) === 'developer';
}

function withoutFields(names: readonly string[]): Turn {
  return (messages) =>
    each(messages, (message) => {
      if (!names.some((name) => Object.hasOwn(message, name))) return message;
      return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
    });
}

function systemToUser(messages: Messages): Messages {
  return each(messages, (message) => (isSystem(message) ? { ...message, role: 'user' } : message));
}

function systemFirst(messages: Messages): Messages {
  const opening = messages.findIndex((message) => !isSystem(message));
  if (opening === -1 || !messages.slice(opening).some(isSystem)) return messages;
  return [...messages.filter(isSystem), ...messages.filter((message) => !isSystem(message))];
}

/** A blank replaces reasoning the client did not keep; a history without it is rejected. */
function withReasoning(messages: Messages): Messages {
  return each(messages, (message) => {
    const called = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
    const isKept =
      typeof message.reasoning_content === 'string' && message.reasoning_content !== '';
    return called && !isKept ? { ...message, reasoning_content: ' ' } : message;
  });
}

function withCallIds(length: number): Turn {
  const fits = new RegExp(`^[a-zA-Z0-9]{${length}}$`);
  const idOfLength = (id: unknown) =>
    typeof id !== 'string' || fits.test(id)
      ? id
      : createHash('sha256').update(id).digest('hex').slice(0, length);
  const withId = (holder: JsonObject, name: string) => {
    const id = idOfLength(holder[name]);
    return id === holder[name] ? holder : { ...holder, [name]: id };
  };
  return (messages) =>
    each(messages, (message) => {
      if (message.role === 'tool') return withId(message, 'tool_call_id');
      const { tool_calls: calls } = message;
      if (!Array.isArray(calls)) return message;
      const named = each(calls, (call) => withId(call, 'id'));
      return named === calls ? message : { ...message, tool_calls: named };
    });
}

const ACKNOWLEDGED: JsonObject = { role: 'assistant', content: 'Noted.' };

function assistantAfterTools(messages: Messages): Messages {
  const isGap = (message: unknown, index: number) =>
    roleOf(message) === 'user' && roleOf(messages[index - 1]) === 'tool';
  if (!messages.some(isGap)) return messages;
  return messages.flatMap((message, index) =>
    isGap(message, index) ? [ACKNOWLEDGED, message] : [message],
  );
}

/** Merges adjacent messages of the same role. Tool results stay separate. */
function merged(messages: Messages): Messages {
  const runs: unknown[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    const last = run?.[0];
    const isMergeable = isObject(message) && isObject(last) && last.role === message.role;
    if (!isMergeable || message.role === 'tool') runs.push([message]);
    else run?.push(message);
  }
  if (runs.length === messages.length) return messages;
  return runs.map((run) => (run.length === 1 ? run[0] : joined(run.filter(isObject))));
}

/** Strings are joined up to the first message with parts; from there on, all become parts. */
function joined(run: readonly JsonObject[]): JsonObject {
  const contents = run.map(({ content }) => content);
  const firstOther = contents.findIndex((content) => typeof content !== 'string');
  const texts = firstOther === -1 ? contents : contents.slice(0, firstOther);
  const text = texts.join('\n\n');
  const others = contents.slice(texts.length);
  const content = others.length === 0 ? text : [...partsOf(text), ...others.flatMap(partsOf)];
  return { ...Object.assign({}, ...run), content };
}

function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}

/** Removes fields of functions that the provider rejects (`strict`). */
export function shapeTools(body: JsonObject, refused: readonly string[]): JsonObject {
  const { tools } = body;
  if (!Array.isArray(tools)) return body;
  const shaped = each(tools, (tool) => {
    const { function: fn } = tool;
    if (!isObject(fn) || !refused.some((name) => Object.hasOwn(fn, name))) return tool;
    const kept = Object.entries(fn).filter(([name]) => !refused.includes(name));
    return { ...tool, function: Object.fromEntries(kept) };
  });
  return shaped === tools ? body : { ...body, tools: shaped };
}

/** Puts the schema into a system message, for providers that support only JSON mode. */
export function withSchemaInPrompt(body: JsonObject): JsonObject {
  const { response_format: format, messages } = body;
  if (!isObject(format) || format.type !== 'json_schema') return body;
  const schema = isObject(format.json_schema) ? format.json_schema.schema : undefined;
  const instruction = {
    role: 'system',
    content: `Answer with JSON that fits this schema: ${JSON.stringify(schema ?? {})}`,
  };
  return {
    ...body,
    response_format: { type: 'json_object' },
    ...(Array.isArray(messages) ? { messages: [instruction, ...messages] } : {}),
  };
}
