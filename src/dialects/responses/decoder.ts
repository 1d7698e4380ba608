/**
 * Decodes the stream of a response into hub events (developers.openai.com/api/reference, "Streaming
 * events").
 */
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { eventsOf } from '../hub/answer/answer.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { namedFrame, type StreamFrame, type WireError } from '../hub/answer/frames.ts';
import { textOfBlocks } from '../hub/blocks.ts';
import type { AnswerContext, Decoder } from '../hub/dialect.ts';
import { clientToolNames, uniqueCallId } from '../hub/tools/tool-names.ts';
import { isAnswerItem, isCall, isCommentary, readResponsesAnswer, stopOf } from './answer.ts';
import { COMMENTARY } from './encrypted-reasoning.ts';
import { readResponsesError, responseFailure, typeOfFrame } from './errors.ts';
import { readItem, reasoningText, typeOfItem } from './item-to-hub.ts';
import { readAnnotation } from './part-to-hub.ts';
import { RESPONSES_TOOL_NAMES } from './tool-names.ts';
import { readResponsesUsage } from './usage.ts';

/** The state of the item at one index of the output. */
interface ItemState {
  readonly slot: number;
  readonly isCommentary: boolean;
  readonly isAnswer: boolean;
  isCall: boolean;
  /** Parts of the item were streamed; the complete item at the end repeats them. */
  isReported: boolean;
}

/** Maximum number of ids per answer that a client may refer to later. */
const MAX_KEPT_IDS = 64;

export class ResponsesDecoder implements Decoder {
  isComplete = false;
  isOver = false;
  readonly #context: AnswerContext;
  readonly #names: ReadonlyMap<string, string>;
  readonly #states = new Map<number, ItemState>();
  readonly #callIds = new Set<string>();
  /** As last sent by the upstream. */
  #response: JsonObject | undefined;
  readonly #commentary: string[] = [];
  #number = -1;
  #isStarted = false;
  readonly keptIds: string[] = [];

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#names = clientToolNames(context.tools, RESPONSES_TOOL_NAMES);
  }

  decode({ data }: StreamFrame): readonly HubEvent[] {
    const frame = this.isOver ? undefined : parseJson(data);
    if (!isObject(frame)) return [];
    const error = readResponsesError(frame);
    if (error === undefined) {
      this.#note(frame);
      return this.#read(frame);
    }
    this.isOver = true;
    return [...usageIn(objectIn(frame, 'response')), { kind: 'error', error }];
  }

  end(): readonly HubEvent[] {
    return [];
  }

  failure(error: WireError): string {
    const type = 'response.failed';
    const response = { ...this.#response, status: 'failed', error: responseFailure(error) };
    const frame = { type, sequence_number: this.#number + 1, response };
    return namedFrame(type, JSON.stringify(frame));
  }

  #note(frame: JsonObject): void {
    this.#number = numberIn(frame, 'sequence_number') ?? this.#number + 1;
    this.#response = objectIn(frame, 'response') ?? this.#response;
    const isItem = frame.type === 'response.output_item.done';
    const id = textIn(isItem ? objectIn(frame, 'item') : objectIn(frame, 'response'), 'id');
    const isNew = id !== undefined && !this.keptIds.includes(id);
    if (isNew && this.keptIds.length < MAX_KEPT_IDS) this.keptIds.push(id);
  }

  /** Unknown events are ignored; the complete item at the end contains everything. */
  #read(frame: JsonObject): readonly HubEvent[] {
    const type = typeOfFrame(frame);
    const index = numberIn(frame, 'output_index') ?? 0;
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return this.#start(objectIn(frame, 'response'));
      case 'response.output_item.added':
        return this.#added(index, objectIn(frame, 'item') ?? {});
      case 'response.output_text.delta':
        return this.#text(index, textIn(frame, 'delta'));
      case 'response.refusal.delta':
        return this.#piece(index, 'refusal', textIn(frame, 'delta'));
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#piece(index, 'thinking', textIn(frame, 'delta'));
      case 'response.reasoning_summary_part.added':
        return (numberIn(frame, 'summary_index') ?? 0) > 0
          ? this.#piece(index, 'thinking', '\n\n')
          : [];
      case 'response.output_text.annotation.added':
        return readAnnotation(objectIn(frame, 'annotation') ?? {}).map((citation) => ({
          kind: 'citation',
          citation,
        }));
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#args(index, textIn(frame, 'delta'));
      case 'response.content_part.done':
        return this.#stateOf(index).isCommentary ? [] : [{ kind: 'block_end' }];
      case 'response.output_item.done':
        return this.#done(index, objectIn(frame, 'item') ?? {});
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(objectIn(frame, 'response') ?? {});
      default:
        return [];
    }
  }

  #start(response: JsonObject | undefined): readonly HubEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ kind: 'start', id: textIn(response, 'id'), model: textIn(response, 'model') }];
  }

  #stateOf(index: number, item: JsonObject = {}): ItemState {
    const known = this.#states.get(index);
    if (known !== undefined) return known;
    const state = {
      slot: index,
      isCommentary: isCommentary(item),
      isAnswer: isAnswerItem(item),
      isCall: false,
      isReported: false,
    };
    this.#states.set(index, state);
    return state;
  }

  #added(index: number, item: JsonObject): readonly HubEvent[] {
    const state = this.#stateOf(index, item);
    return isCall(item) ? this.#call(state, item) : [];
  }

  #call(state: ItemState, item: JsonObject): readonly HubEvent[] {
    state.isCall = true;
    const givenId = textIn(item, 'call_id') ?? textIn(item, 'id');
    const id = uniqueCallId(givenId, this.#callIds, this.#context.id, state.slot);
    const vendorName = textIn(item, 'name') ?? '';
    const name = this.#names.get(vendorName) ?? vendorName;
    const custom = item.type === 'custom_tool_call' ? true : undefined;
    return [{ kind: 'tool_start', slot: state.slot, id, name, custom }];
  }

  #text(index: number, text: string | undefined): readonly HubEvent[] {
    const kind = this.#stateOf(index).isCommentary ? 'thinking' : 'text';
    return this.#piece(index, kind, text);
  }

  #piece(
    index: number,
    kind: 'text' | 'refusal' | 'thinking',
    text: string | undefined,
  ): readonly HubEvent[] {
    if (text === undefined) return [];
    this.#stateOf(index).isReported = true;
    return [{ kind, text }];
  }

  #args(index: number, json: string | undefined): readonly HubEvent[] {
    const state = this.#stateOf(index);
    if (json === undefined || !state.isCall) return [];
    state.isReported = true;
    return [{ kind: 'tool_args', slot: state.slot, json }];
  }

  #done(index: number, item: JsonObject): readonly HubEvent[] {
    const state = this.#stateOf(index, item);
    if (isCall(item)) return this.#callDone(state, item);
    if (typeOfItem(item) === 'reasoning') return reasoningDone(state, item);
    if (state.isCommentary) return this.#commentaryDone(state, item);
    if (state.isReported) return [{ kind: 'block_end' }];
    return this.#whole([item]);
  }

  /** Shown as thinking at once; if nothing else follows, also as the answer. */
  #commentaryDone(state: ItemState, item: JsonObject): readonly HubEvent[] {
    const text = textOfBlocks(readItem(item).blocks, '');
    this.#commentary.push(text);
    const unsaid = state.isReported || text === '' ? [] : [{ kind: 'thinking', text } as const];
    return [...unsaid, { kind: 'signature', signature: COMMENTARY }, { kind: 'block_end' }];
  }

  /** The commentary of an answer that consists of nothing else. */
  #onlyCommentary(): readonly HubEvent[] {
    const isAside = [...this.#states.values()].some(({ isAnswer }) => isAnswer);
    const text = this.#commentary.join('\n\n');
    return isAside || text === '' ? [] : [{ kind: 'text', text }, { kind: 'block_end' }];
  }

  #callDone(state: ItemState, item: JsonObject): readonly HubEvent[] {
    const start = state.isCall ? [] : this.#call(state, item);
    const [call] = readItem(item).blocks;
    const json = call?.kind === 'tool_call' && !state.isReported ? call.args : '';
    const { slot } = state;
    const args: readonly HubEvent[] = json === '' ? [] : [{ kind: 'tool_args', slot, json }];
    return [...start, ...args, { kind: 'tool_end', slot }];
  }

  /** Items that were not streamed, or a whole answer that came only in the last event. */
  #whole(output: readonly JsonObject[]): readonly HubEvent[] {
    const answer = readResponsesAnswer({ output }, this.#context);
    return eventsOf(answer).filter(({ kind }) => kind !== 'start' && kind !== 'finish');
  }

  #finish(response: JsonObject): readonly HubEvent[] {
    this.isComplete = true;
    this.isOver = true;
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
    return [
      ...this.#start(response),
      ...(this.#states.size === 0 ? this.#whole(output) : this.#onlyCommentary()),
      ...usageIn(response),
      { kind: 'finish', stop: stopOf(response) ?? 'end' },
    ];
  }
}

function reasoningDone(state: ItemState, item: JsonObject): readonly HubEvent[] {
  const text = state.isReported ? '' : reasoningText(item);
  const thoughts: readonly HubEvent[] = text === '' ? [] : [{ kind: 'thinking', text }];
  const [block] = readItem(item).blocks;
  if (block?.kind === 'redacted_thinking') return [block];
  const signature = block?.kind === 'thinking' ? block.signature : undefined;
  const signed: readonly HubEvent[] =
    signature === undefined ? [] : [{ kind: 'signature', signature }];
  const events = [...thoughts, ...signed];
  return state.isReported || events.length > 0 ? [...events, { kind: 'block_end' }] : [];
}

/** Any event that ends a response may contain the usage. */
function usageIn(response: JsonObject | undefined): readonly HubEvent[] {
  const usage = response && readResponsesUsage(response);
  return usage === undefined ? [] : [{ kind: 'usage', usage }];
}
