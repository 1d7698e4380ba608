/**
 * Cohere's own chat API, version 2. It has data that the OpenAI-compatible path lacks: thinking,
 * plans before tool calls, sources and billed tokens. Source: docs.cohere.com/v2/reference/chat,
 * docs.cohere.com/v2/docs/streaming.
 */
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { AnswerCollector, type HubAnswer } from '../hub/answer/answer.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { JsonDecoder, textEvents, thinkingEvents } from '../hub/answer/json-decoder.ts';
import type { Stop } from '../hub/answer/stop.ts';
import type { AnswerContext, UpstreamDialect } from '../hub/dialect.ts';
import { clientToolNames, generatedCallId } from '../hub/tools/tool-names.ts';
import { CHAT_TOOL_NAMES } from '../openai/chat/chat-tool-names.ts';
import { writeCohereRequest } from './hub-to-request.ts';

export const COHERE: UpstreamDialect = {
  name: 'cohere',
  writeRequest: writeCohereRequest,
  readAnswer,
  decoder: (context) => new CohereDecoder(context),
  readError,
};

const STOPS: Readonly<Record<string, Stop>> = {
  COMPLETE: 'end',
  STOP_SEQUENCE: 'stop_sequence',
  MAX_TOKENS: 'max_tokens',
  TOOL_CALL: 'tool_calls',
};
/** Finish reasons that mean a failure. */
const FAILURES: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT']);

/** A whole answer contains in one object what a stream sends as events. */
function readAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const message = objectIn(json, 'message') ?? {};
  const content = objectsIn(message, 'content');
  const calls = new CallReader(context);
  const collector = new AnswerCollector();
  collector.add([
    { kind: 'start', id: textIn(json, 'id') },
    ...thinkingEvents(textIn(message, 'tool_plan')),
    ...content.flatMap(contentEvents),
    ...objectsIn(message, 'citations').flatMap(citationsIn),
    ...objectsIn(message, 'tool_calls').flatMap((call, slot) => calls.whole(slot, call)),
    ...usageEvents(objectIn(json, 'usage')),
    { kind: 'finish', stop: STOPS[textIn(json, 'finish_reason') ?? ''] ?? 'end' },
  ]);
  return collector.answer();
}

/** `{message: "text"}` (an answer's `message` is an object), or an answer that ended in failure. */
function readError(json: unknown): UpstreamError | undefined {
  if (!isObject(json)) return undefined;
  const delta = objectIn(json, 'delta') ?? json;
  const hasFailed = FAILURES.has(textIn(delta, 'finish_reason') ?? '');
  const errorText = textIn(json, 'message') ?? (hasFailed ? failureIn(delta) : undefined);
  return errorText === undefined
    ? undefined
    : errorInSuccess({ error: { message: errorText, type: 'upstream_error' } });
}

function failureIn(delta: JsonObject): string {
  return textIn(delta, 'error') ?? `the answer ended with ${textIn(delta, 'finish_reason')}`;
}

function contentEvents(content: JsonObject): readonly HubEvent[] {
  return [...thinkingEvents(textIn(content, 'thinking')), ...textEvents(textIn(content, 'text'))];
}

/** Only sources with a URL, because clients cannot resolve Cohere's document ids. */
function citationsIn(citation: JsonObject): readonly HubEvent[] {
  const quote = textIn(citation, 'text');
  return objectsIn(citation, 'sources').flatMap((source): HubEvent[] => {
    const document = objectIn(source, 'document') ?? objectIn(source, 'tool_output');
    const url = textIn(document, 'url');
    if (url === undefined) return [];
    const title = textIn(document, 'title');
    const errorText = { ...(title && { title }), ...(quote && { quote }) };
    return [{ kind: 'citation', citation: { url, ...errorText } }];
  });
}

function usageEvents(raw: JsonObject | undefined): readonly HubEvent[] {
  const usage = readUsage(raw);
  return usage === undefined ? [] : [{ kind: 'usage', usage }];
}

/** Billed tokens; the other counts include the vendor's own instructions. */
function readUsage(raw: JsonObject | undefined): Usage | undefined {
  const billed = objectIn(raw, 'billed_units');
  const tokens = objectIn(raw, 'tokens');
  const prompt = numberIn(billed, 'input_tokens') ?? numberIn(tokens, 'input_tokens') ?? 0;
  const output = numberIn(billed, 'output_tokens') ?? numberIn(tokens, 'output_tokens') ?? 0;
  if (prompt + output <= 0) return undefined;
  const cacheRead = Math.min(Math.max(0, numberIn(raw, 'cached_tokens') ?? 0), prompt);
  return { ...emptyUsage(), input: prompt - cacheRead, cacheRead, output };
}

/** Reads calls and restores the client's tool names. */
class CallReader {
  readonly #context: AnswerContext;
  readonly #names: ReadonlyMap<string, string>;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#names = clientToolNames(context.tools, CHAT_TOOL_NAMES);
  }

  start(slot: number, call: JsonObject): readonly HubEvent[] {
    const fn = objectIn(call, 'function');
    const name = textIn(fn, 'name');
    if (name === undefined) return [];
    const id = textIn(call, 'id') ?? generatedCallId(this.#context.id, slot);
    const args = this.args(slot, call);
    return [{ kind: 'tool_start', slot, id, name: this.#names.get(name) ?? name }, ...args];
  }

  args(slot: number, call: JsonObject): readonly HubEvent[] {
    const json = textIn(objectIn(call, 'function'), 'arguments');
    return json === undefined ? [] : [{ kind: 'tool_args', slot, json }];
  }

  whole(slot: number, call: JsonObject): readonly HubEvent[] {
    const started = this.start(slot, call);
    return started.length === 0 ? [] : [...started, { kind: 'tool_end', slot }];
  }
}

class CohereDecoder extends JsonDecoder {
  readonly #calls: CallReader;

  constructor(context: AnswerContext) {
    super();
    this.#calls = new CallReader(context);
  }

  protected readonly errorOf = readError;

  protected read(json: JsonObject): readonly HubEvent[] {
    const delta = objectIn(json, 'delta');
    const message = objectIn(delta, 'message');
    const slot = numberIn(json, 'index') ?? 0;
    const call = objectIn(message, 'tool_calls') ?? {};
    switch (json.type) {
      case 'message-start':
        return this.started({ id: textIn(json, 'id') });
      case 'content-start':
      case 'content-delta':
        return contentEvents(objectIn(message, 'content') ?? {});
      case 'tool-plan-delta':
        return thinkingEvents(textIn(message, 'tool_plan'));
      case 'tool-call-start':
        return this.#calls.start(slot, call);
      case 'tool-call-delta':
        return this.#calls.args(slot, call);
      case 'tool-call-end':
        return [{ kind: 'tool_end', slot }];
      case 'citation-start':
        return citationsIn(objectIn(message, 'citations') ?? {});
      case 'message-end':
        return this.#over(delta);
      default:
        return [];
    }
  }

  #over(delta: JsonObject | undefined): readonly HubEvent[] {
    this.isComplete = true;
    this.isOver = true;
    const stop = STOPS[textIn(delta, 'finish_reason') ?? ''] ?? 'end';
    return [...usageEvents(objectIn(delta, 'usage')), { kind: 'finish', stop }];
  }
}
