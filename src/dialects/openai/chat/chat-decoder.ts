/** Decodes the chunks of a chat stream into hub events, for choice 0 only (`hub/answer/multiple-answers.ts`). */

import { readOpenAiUsage, withTier } from '../../../domain/pricing/usage.ts';
import {
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../../json/read-json.ts';
import type { HubEvent } from '../../hub/answer/events.ts';
import { failureOfStop, isContent } from '../../hub/answer/failed-stop.ts';
import type { StreamFrame } from '../../hub/answer/frames.ts';
import { stopOfChat } from '../../hub/answer/stop.ts';
import type { Citation, Signature } from '../../hub/blocks.ts';
import type { AnswerContext, Decoder } from '../../hub/dialect.ts';
import { sourceOfUrl } from '../../hub/request/media.ts';
import { clientToolNames, generatedCallId } from '../../hub/tools/tool-names.ts';
import { frameError } from '../answer/stream-reader.ts';
import { findUsage } from '../answer/usage-reader.ts';
import { argsText, readAssistant } from './chat-message-to-hub.ts';
import { CHAT_TOOL_NAMES } from './chat-tool-names.ts';
import { contentOf, hasReasoningText, reasoningOf } from './message-parts.ts';

interface Call {
  readonly slot: number;
  id: string;
  /** The upstream's id, unchanged. */
  upstreamId: string | undefined;
  /** Arguments received before the name. */
  held: string;
  isStarted: boolean;
  isCustom?: true;
  signature?: Signature;
}

export class ChatDecoder implements Decoder {
  isComplete = false;
  isOver = false;
  readonly #context: AnswerContext;
  readonly #names: ReadonlyMap<string, string>;
  readonly #calls: Call[] = [];
  /** Calls by index, if the upstream sends one. */
  readonly #byIndex = new Map<number, Call>();
  #isStarted = false;
  #tier: string | undefined;
  #hasContent = false;
  /** Sent with every chunk after a search; emitted once, at the end of the text. */
  #sources: readonly Citation[] = [];
  /** Reasoning has a field of its own, so `reasoning_details` only repeats it. */
  #namesThoughts = false;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#names = clientToolNames(context.tools, CHAT_TOOL_NAMES);
  }

  decode({ data }: StreamFrame): readonly HubEvent[] {
    if (this.isOver) return [];
    if (data.startsWith('[DONE]')) {
      this.isOver = true;
      this.isComplete = true;
      return [];
    }
    const chunk = parseJson(data);
    const error = frameError(chunk);
    if (error !== undefined) {
      this.isOver = true;
      this.isComplete = false;
      return [{ kind: 'error', error }];
    }
    return isObject(chunk) ? this.#read(chunk) : [];
  }

  end(): readonly HubEvent[] {
    return [];
  }

  #read(chunk: JsonObject): readonly HubEvent[] {
    if (this.#sources.length === 0) this.#sources = readSources(chunk);
    const choice = objectsIn(chunk, 'choices').find(({ index }) => (index ?? 0) === 0);
    const raw = findUsage(chunk);
    this.#tier = textIn(chunk, 'service_tier') ?? this.#tier;
    const usage = raw && withTier(readOpenAiUsage(raw), this.#tier);
    return [
      ...(choice === undefined ? [] : this.#start(chunk)),
      ...(choice === undefined ? [] : this.#choice(choice)),
      ...(usage === undefined ? [] : [{ kind: 'usage', usage } as const]),
    ];
  }

  #start(chunk: JsonObject): readonly HubEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ kind: 'start', id: textIn(chunk, 'id'), model: textIn(chunk, 'model') }];
  }

  #choice(choice: JsonObject): readonly HubEvent[] {
    const delta = objectIn(choice, 'delta') ?? objectIn(choice, 'message') ?? {};
    this.#namesThoughts ||= hasReasoningText(delta);
    const events = [...contentEvents(delta, this.#namesThoughts), ...this.#toolPieces(delta)];
    const reason = textIn(choice, 'finish_reason');
    this.#hasContent ||= events.some(isContent);
    if (reason === undefined || this.isComplete) return events;
    const failure = this.#hasContent ? undefined : failureOfStop(reason);
    if (failure !== undefined) {
      this.isOver = true;
      return [...events, { kind: 'error', error: failure }];
    }
    this.isComplete = true;
    const sources = this.#sources.map((citation) => ({ kind: 'citation', citation }) as const);
    return [
      ...events,
      ...sources,
      ...this.#toolEnds(),
      { kind: 'finish', stop: stopOfChat(reason) },
    ];
  }

  #toolPieces(delta: JsonObject): readonly HubEvent[] {
    const legacy = objectIn(delta, 'function_call');
    const pieces = objectsIn(delta, 'tool_calls');
    const all = legacy === undefined ? pieces : [...pieces, { index: -1, function: legacy }];
    const isAlone = all.length === 1;
    return all.flatMap((piece, index) =>
      this.#toolPiece(piece, this.#callOf(piece, isAlone ? undefined : index)),
    );
  }

  #toolPiece(piece: JsonObject, call: Call): readonly HubEvent[] {
    const custom = objectIn(piece, 'custom');
    const body = objectIn(piece, 'function') ?? custom ?? {};
    if (custom !== undefined) call.isCustom = true;
    call.signature ??= signatureIn(piece);
    const { slot } = call;
    const json = argsText(body.arguments ?? body.input);
    if (call.isStarted) return json === '' ? [] : [{ kind: 'tool_args', slot, json }];
    call.held += json;
    const vendorName = textIn(body, 'name');
    if (vendorName === undefined) return [];
    call.isStarted = true;
    const { id, isCustom, signature, held } = call;
    const name = this.#names.get(vendorName) ?? vendorName;
    const start = { kind: 'tool_start', slot, id, name, custom: isCustom, signature } as const;
    return held === '' ? [start] : [start, { kind: 'tool_args', slot, json: held }];
  }

  /** The index identifies the call; the id does if the index is missing or shared by two calls. */
  #callOf(piece: JsonObject, position: number | undefined): Call {
    const id = textIn(piece, 'id');
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const known =
      index === undefined && id === undefined
        ? this.#nameless(piece, position)
        : this.#known(index, id);
    const isOther = id !== undefined && known?.upstreamId !== undefined && known.upstreamId !== id;
    if (known !== undefined && !(isOther && known.isStarted)) {
      if (known.upstreamId === undefined && id !== undefined && !known.isStarted) known.id = id;
      known.upstreamId ??= id;
      return known;
    }
    const slot = this.#calls.length;
    const isTaken = this.#calls.some((call) => call.id === id);
    const ownId = id === undefined || isTaken ? generatedCallId(this.#context.id, slot) : id;
    const call: Call = { slot, id: ownId, upstreamId: id, held: '', isStarted: false };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  #known(index: number | undefined, id: string | undefined): Call | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    return this.#calls.find(({ upstreamId }) => upstreamId === id);
  }

  /** Without index and id, a name starts a call; pieces of one chunk are matched by position. */
  #nameless(piece: JsonObject, position: number | undefined): Call | undefined {
    const known = position === undefined ? this.#calls.at(-1) : this.#calls[position];
    const isNamed = textIn(objectIn(piece, 'function'), 'name') !== undefined;
    return known?.isStarted && isNamed ? undefined : known;
  }

  #toolEnds(): readonly HubEvent[] {
    return this.#calls
      .filter((call) => call.isStarted)
      .map(({ slot }) => ({ kind: 'tool_end', slot }));
  }
}

/** The contents of a delta except tool calls, in the order a model generates them. */
function contentEvents(delta: JsonObject, namesThoughts: boolean): readonly HubEvent[] {
  const events: HubEvent[] = [];
  const isRepeated = namesThoughts && delta.reasoning_details !== undefined;
  const thinking = reasoningOf(isRepeated ? { ...delta, reasoning_details: undefined } : delta);
  if (thinking !== '') events.push({ kind: 'thinking', text: thinking });
  events.push(...detailsIn(delta));
  const text = contentOf(delta);
  if (text !== '') events.push({ kind: 'text', text });
  const signature = signatureIn(delta);
  if (signature !== undefined) events.push({ kind: 'signature', signature });
  const refusal = textIn(delta, 'refusal');
  if (refusal !== undefined) events.push({ kind: 'refusal', text: refusal });
  const transcript = textIn(objectIn(delta, 'audio'), 'transcript');
  if (transcript !== undefined) events.push({ kind: 'text', text: transcript });
  return [...events, ...imagesIn(delta), ...citationsIn(delta)];
}

function imagesIn(delta: JsonObject): readonly HubEvent[] {
  return objectsIn(delta, 'images').flatMap((image) => {
    const url = textIn(objectIn(image, 'image_url'), 'url');
    if (url === undefined) return [];
    return [{ kind: 'media', block: { kind: 'image', source: sourceOfUrl(url) } } as const];
  });
}

function citationsIn(delta: JsonObject): readonly HubEvent[] {
  return readCitations(delta).map((citation) => ({ kind: 'citation', citation }));
}

/** Search results next to the choices: pages with titles, else plain URLs (Perplexity). */
export function readSources(holder: JsonObject): readonly Citation[] {
  const pages = objectsIn(holder, 'search_results').flatMap((page) => {
    const url = textIn(page, 'url');
    return url === undefined ? [] : [{ url, title: textIn(page, 'title') }];
  });
  if (pages.length > 0 || !Array.isArray(holder.citations)) return pages;
  return holder.citations.flatMap((url: unknown) => (typeof url === 'string' ? [{ url }] : []));
}

/** Reads `annotations` of a message or a delta. */
export function readCitations(message: JsonObject): readonly Citation[] {
  return objectsIn(message, 'annotations').flatMap((annotation) => {
    const cited = objectIn(annotation, 'url_citation');
    const url = textIn(cited, 'url');
    if (url === undefined) return [];
    return [
      {
        url,
        title: textIn(cited, 'title'),
        ...(typeof cited?.start_index === 'number' ? { start: cited.start_index } : {}),
        ...(typeof cited?.end_index === 'number' ? { end: cited.end_index } : {}),
      },
    ];
  });
}

/** Signatures and redacted thinking in `reasoning_details` (OpenRouter), without its texts. */
function detailsIn(delta: JsonObject): readonly HubEvent[] {
  if (delta.reasoning_details === undefined) return [];
  const details = objectsIn(delta, 'reasoning_details').map((detail) => ({ ...detail, text: '' }));
  return readAssistant({ reasoning_details: details }).flatMap((block): readonly HubEvent[] => {
    if (block.kind === 'redacted_thinking') return [block];
    if (block.kind !== 'thinking' || block.signature === undefined) return [];
    return [{ kind: 'signature', signature: block.signature }, { kind: 'block_end' }];
  });
}

function signatureIn(holder: JsonObject): Signature | undefined {
  const google = objectIn(objectIn(holder, 'extra_content'), 'google');
  const value = textIn(google, 'thought_signature');
  return value === undefined ? undefined : { origin: 'gemini', value };
}
