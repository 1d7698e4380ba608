/**
 * Ollama's own `/api/chat`. It has settings that the OpenAI path lacks: context length (`num_ctx`),
 * thinking on and off, how long the model stays loaded. Streams are lines of JSON. Source:
 * github.com/ollama/ollama, docs/api.md.
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
import { generatedCallId } from '../hub/tools/tool-names.ts';
import { writeOllamaRequest } from './hub-to-request.ts';

export const OLLAMA: UpstreamDialect = {
  name: 'ollama',
  writeRequest: writeOllamaRequest,
  readAnswer,
  decoder: (context) => new OllamaDecoder(context),
  readError,
};

/** A whole answer has the format of a stream with one line. */
function readAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const collector = new AnswerCollector();
  collector.add(new OllamaDecoder(context).decode({ event: '', data: JSON.stringify(json) }));
  return collector.answer();
}

/** `{"error":"text"}`, as a response or within a stream. */
function readError(json: unknown): UpstreamError | undefined {
  return isObject(json) && json.error ? errorInSuccess(json) : undefined;
}

class OllamaDecoder extends JsonDecoder {
  readonly #context: AnswerContext;
  #slots = 0;

  constructor(context: AnswerContext) {
    super();
    this.#context = context;
  }

  protected readonly errorOf = readError;

  protected read(frame: JsonObject): readonly HubEvent[] {
    const message = objectIn(frame, 'message') ?? {};
    const events = [
      ...this.started({ model: textIn(frame, 'model') }),
      ...thinkingEvents(textIn(message, 'thinking')),
      ...textEvents(textIn(message, 'content')),
      ...objectsIn(message, 'tool_calls').flatMap((call) => this.#call(call)),
    ];
    if (frame.done !== true) return events;
    this.isComplete = true;
    this.isOver = true;
    const usage = readUsage(frame);
    const usageEvents = usage === undefined ? [] : [{ kind: 'usage', usage } as const];
    return [...events, ...usageEvents, { kind: 'finish', stop: this.#stop(frame) }];
  }

  /** Calls arrive in one piece with arguments as an object; older servers send no id. */
  #call(given: JsonObject): readonly HubEvent[] {
    const fn = objectIn(given, 'function');
    const name = textIn(fn, 'name');
    if (name === undefined) return [];
    const slot = this.#slots;
    this.#slots += 1;
    const id = textIn(given, 'id') ?? generatedCallId(this.#context.id, slot);
    const args = fn?.arguments;
    const json = typeof args === 'string' ? args : JSON.stringify(args ?? {});
    return [
      { kind: 'tool_start', slot, id, name },
      { kind: 'tool_args', slot, json },
      { kind: 'tool_end', slot },
    ];
  }

  #stop({ done_reason }: JsonObject): Stop {
    if (this.#slots > 0) return 'tool_calls';
    return done_reason === 'length' ? 'max_tokens' : 'end';
  }
}

/** Some versions report 0 prompt tokens for a cached prompt; such usage is ignored. */
function readUsage(frame: JsonObject): Usage | undefined {
  const input = numberIn(frame, 'prompt_eval_count') ?? 0;
  const output = numberIn(frame, 'eval_count') ?? 0;
  return input > 0 ? { ...emptyUsage(), input, output } : undefined;
}
