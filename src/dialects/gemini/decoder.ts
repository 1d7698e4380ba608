/** Decodes Gemini's frames, each a partial answer, for candidate 0 only (`hub/answer/multiple-answers.ts`). */

import type { Usage } from '../../domain/pricing/usage.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { failureOfStop, isContent } from '../hub/answer/failed-stop.ts';
import type { StreamFrame } from '../hub/answer/frames.ts';
import { stopOfGemini } from '../hub/answer/stop.ts';
import type { Citation } from '../hub/blocks.ts';
import type { AnswerContext, Decoder } from '../hub/dialect.ts';
import { clientToolNames, generatedCallId } from '../hub/tools/tool-names.ts';
import { readGeminiError } from './errors.ts';
import { objectOf, objectsOf, textField } from './fields.ts';
import { partSignature, readCall, readPart } from './part-to-hub.ts';
import { GEMINI_TOOL_NAMES } from './tool-names.ts';
import { readGeminiUsage } from './usage.ts';

export class GeminiDecoder implements Decoder {
  isOver = false;
  readonly #context: AnswerContext;
  readonly #names: ReadonlyMap<string, string>;
  readonly #callIds = new Set<string>();
  readonly #cited = new Set<string>();
  #reason: string | undefined;
  /** The vendor's words on why it declines. */
  #explanation: string | undefined;
  #usage: Usage | undefined;
  #searches = 0;
  #isStarted = false;
  #hasContent = false;
  #slots = 0;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#names = clientToolNames(context.tools, GEMINI_TOOL_NAMES);
  }

  /** Gemini sends no end marker; the connection closes after the stop reason. */
  get isComplete(): boolean {
    return this.#reason !== undefined && this.#failure === undefined;
  }

  get #failure(): UpstreamError | undefined {
    return this.#hasContent ? undefined : failureOfStop(this.#reason ?? '');
  }

  decode({ data }: StreamFrame): readonly HubEvent[] {
    return this.isOver ? [] : this.read(parseJson(data));
  }

  /** Reads a frame that is already parsed. */
  read(frame: unknown): readonly HubEvent[] {
    const error = readGeminiError(frame);
    if (error !== undefined) return this.#fail(error);
    return isObject(frame) ? this.#take(frame) : [];
  }

  /** Several frames may contain the stop reason, so it is emitted after the last one. */
  end(): readonly HubEvent[] {
    if (this.#reason === undefined || this.isOver) return [];
    this.isOver = true;
    const failure = this.#failure;
    if (failure !== undefined) return this.#fail(failure);
    const usage = this.#usage === undefined ? [] : [{ kind: 'usage', usage: this.#usage } as const];
    const stop = stopOfGemini(this.#reason);
    const text = stop === 'refusal' ? this.#explanation : undefined;
    const refusal = text === undefined ? [] : [{ kind: 'refusal', text } as const];
    return [...refusal, ...usage, { kind: 'finish', stop }];
  }

  #fail(error: UpstreamError): readonly HubEvent[] {
    this.isOver = true;
    this.#reason = undefined;
    return [{ kind: 'error', error }];
  }

  #take(frame: JsonObject): readonly HubEvent[] {
    const candidate = objectsOf(frame, 'candidates').find(({ index }) => (index ?? 0) === 0);
    const parts = objectsOf(objectOf(candidate, 'content'), 'parts');
    const raw = objectOf(frame, 'usageMetadata');
    this.#searches = Math.max(this.#searches, searchesIn(candidate, frame));
    const read = raw === undefined ? undefined : readGeminiUsage(raw);
    const usage = read && { ...read, webSearches: this.#searches };
    // Cumulative while the answer grows; the final value is known at the end.
    this.#usage = usage ?? this.#usage;
    const blocked = textField(objectOf(frame, 'promptFeedback'), 'blockReason');
    this.#reason = textField(candidate, 'finishReason') ?? this.#reason;
    if (candidate === undefined && blocked !== undefined) this.#reason = 'SAFETY';
    this.#explanation =
      textField(candidate, 'finishMessage') ??
      textField(objectOf(frame, 'promptFeedback'), 'blockReasonMessage') ??
      this.#explanation;
    return [
      ...this.#start(frame),
      ...parts.flatMap((part) => this.#part(part)),
      ...(candidate === undefined ? [] : this.#newSources(candidate)),
      ...(usage === undefined ? [] : [{ kind: 'usage', usage, isPartial: true } as const]),
    ];
  }

  /** Each frame may repeat the sources of earlier ones. */
  #newSources(candidate: JsonObject): readonly HubEvent[] {
    return sourcesIn(candidate).flatMap((citation) => {
      if (this.#cited.has(citation.url)) return [];
      this.#cited.add(citation.url);
      return [{ kind: 'citation', citation } as const];
    });
  }

  #start(frame: JsonObject): readonly HubEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [
      {
        kind: 'start',
        id: textField(frame, 'responseId'),
        model: textField(frame, 'modelVersion'),
      },
    ];
  }

  #part(part: JsonObject): readonly HubEvent[] {
    const call = objectOf(part, 'functionCall');
    const events = call === undefined ? partEvents(part) : this.#call(call, part);
    this.#hasContent ||= events.some(isContent);
    return events;
  }

  /** Arguments arrive in one piece. */
  #call(given: JsonObject, part: JsonObject): readonly HubEvent[] {
    const slot = this.#slots;
    const made = generatedCallId(this.#context.id, slot);
    const call = readCall(given, made, partSignature(part));
    if (call === undefined) return [];
    this.#slots += 1;
    const id = this.#callIds.has(call.id) ? made : call.id;
    this.#callIds.add(id);
    const name = this.#names.get(call.name) ?? call.name;
    return [
      { kind: 'tool_start', slot, id, name, signature: call.signature },
      { kind: 'tool_args', slot, json: call.args },
      { kind: 'tool_end', slot },
    ];
  }
}

function partEvents(part: JsonObject): readonly HubEvent[] {
  return readPart(part).flatMap((block): readonly HubEvent[] => {
    switch (block.kind) {
      case 'text':
      case 'thinking': {
        const { kind, text, signature } = block;
        const contentEvents = text === '' ? [] : [{ kind, text } as const];
        return signature === undefined
          ? contentEvents
          : [...contentEvents, { kind: 'signature', signature }];
      }
      case 'image':
      case 'audio':
        return [{ kind: 'media', block }];
      case 'redacted_thinking':
        return [{ kind: 'redacted_thinking', origin: block.origin, data: block.data }];
      case 'foreign':
        return block.text === undefined ? [] : [{ kind: 'text', text: block.text }];
      default:
        return [];
    }
  });
}

function sourcesIn(candidate: JsonObject): readonly Citation[] {
  const chunks = objectsOf(objectOf(candidate, 'groundingMetadata'), 'groundingChunks');
  return chunks.flatMap((chunk) => {
    const web = objectOf(chunk, 'web');
    const url = textField(web, 'uri');
    if (url === undefined) return [];
    return [{ url, title: textField(web, 'title') }];
  });
}

/** Google charges per search, and before Gemini 3 per prompt with any search. */
function searchesIn(candidate: JsonObject | undefined, frame: JsonObject): number {
  const queries = objectOf(candidate, 'groundingMetadata')?.webSearchQueries;
  if (!Array.isArray(queries) || queries.length === 0) return 0;
  const isByPrompt = /gemini-[12][.-]/.test(textField(frame, 'modelVersion') ?? '');
  return isByPrompt ? 1 : queries.length;
}
