/** Decodes Anthropic's stream into hub events (platform.claude.com/docs, "Streaming messages"). */
import { isObject, type JsonObject, numberIn, objectIn, textIn } from '../../json/read-json.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { JsonDecoder } from '../hub/answer/json-decoder.ts';
import { stopOfAnthropic } from '../hub/answer/stop.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { unpackSignature } from '../hub/thinking/signature.ts';
import { clientToolNames, uniqueCallId } from '../hub/tools/tool-names.ts';
import { readBlock, readCitation, readRefusal } from './block-to-hub.ts';
import { readAnthropicError } from './errors.ts';
import { ANTHROPIC_TOOL_NAMES } from './tool-names.ts';
import { mergeRawUsage, readAnthropicUsage } from './usage.ts';

export class AnthropicDecoder extends JsonDecoder {
  protected readonly errorOf = (json: unknown) =>
    isObject(json) ? readAnthropicError(json) : undefined;
  readonly #context: AnswerContext;
  readonly #names: ReadonlyMap<string, string>;
  readonly #toolBlocks = new Set<number>();
  readonly #callIds = new Set<string>();
  #usage: JsonObject | undefined;

  constructor(context: AnswerContext) {
    super();
    this.#context = context;
    this.#names = clientToolNames(context.tools, ANTHROPIC_TOOL_NAMES);
  }

  /** Unknown frames and deltas are ignored. */
  protected read(frame: JsonObject): readonly HubEvent[] {
    const index = numberIn(frame, 'index') ?? 0;
    switch (frame.type) {
      case 'message_start':
        return this.#start(objectIn(frame, 'message') ?? {});
      case 'content_block_start':
        return this.#blockStart(objectIn(frame, 'content_block') ?? {}, index);
      case 'content_block_delta':
        return this.#delta(objectIn(frame, 'delta') ?? {}, index);
      case 'content_block_stop':
        return [
          this.#toolBlocks.has(index) ? { kind: 'tool_end', slot: index } : { kind: 'block_end' },
        ];
      case 'message_delta':
        return this.#messageDelta(frame);
      case 'message_stop':
        this.isOver = true;
        this.isComplete = true;
        return [];
      default:
        return [];
    }
  }

  #start(message: JsonObject): readonly HubEvent[] {
    const start = {
      kind: 'start',
      id: textIn(message, 'id'),
      model: textIn(message, 'model'),
    } as const;
    const usage = this.#mergedUsage(message);
    return usage === undefined ? [start] : [start, { kind: 'usage', usage, isPartial: true }];
  }

  #mergedUsage(holder: JsonObject) {
    const raw = objectIn(holder, 'usage');
    if (raw === undefined) return undefined;
    this.#usage = mergeRawUsage(this.#usage, raw);
    return readAnthropicUsage(this.#usage);
  }

  #blockStart(block: JsonObject, index: number): readonly HubEvent[] {
    switch (block.type) {
      case 'tool_use':
        return this.#toolStart(block, index);
      case 'thinking':
        return [{ kind: 'thinking', text: textIn(block, 'thinking') ?? '' }];
      case 'text': {
        const text = textIn(block, 'text');
        return text === undefined ? [] : [{ kind: 'text', text }];
      }
      case 'redacted_thinking':
        return readBlock(block).filter((read) => read.kind === 'redacted_thinking');
      // Results of the vendor's own tools are reflected in the text that follows.
      default:
        return [];
    }
  }

  #toolStart(block: JsonObject, slot: number): readonly HubEvent[] {
    const vendorName = textIn(block, 'name') ?? '';
    const givenId = textIn(block, 'id');
    const id = uniqueCallId(givenId, this.#callIds, this.#context.id, slot);
    this.#toolBlocks.add(slot);
    const start = {
      kind: 'tool_start',
      slot,
      id,
      name: this.#names.get(vendorName) ?? vendorName,
    } as const;
    // Servers that do not stream arguments send them here.
    const input = objectIn(block, 'input') ?? {};
    const isWhole = Object.keys(input).length > 0;
    return isWhole ? [start, { kind: 'tool_args', slot, json: JSON.stringify(input) }] : [start];
  }

  #delta(delta: JsonObject, index: number): readonly HubEvent[] {
    switch (delta.type) {
      case 'text_delta':
        return [{ kind: 'text', text: textIn(delta, 'text') ?? '' }];
      case 'input_json_delta': {
        const json = textIn(delta, 'partial_json');
        return json === undefined || !this.#toolBlocks.has(index)
          ? []
          : [{ kind: 'tool_args', slot: index, json }];
      }
      case 'thinking_delta':
        return [{ kind: 'thinking', text: textIn(delta, 'thinking') ?? '' }];
      case 'signature_delta': {
        const value = textIn(delta, 'signature');
        if (value === undefined) return [];
        return [{ kind: 'signature', signature: unpackSignature(value, 'anthropic') }];
      }
      case 'compaction_delta': {
        const summary = textIn(delta, 'content');
        return summary === undefined ? [] : [{ kind: 'compaction', text: summary }];
      }
      case 'citations_delta':
        return readCitation(objectIn(delta, 'citation') ?? {}).map((citation) => ({
          kind: 'citation',
          citation,
        }));
      default:
        return [];
    }
  }

  #messageDelta(frame: JsonObject): readonly HubEvent[] {
    const usage = this.#mergedUsage(frame);
    const delta = objectIn(frame, 'delta');
    const reason = textIn(delta, 'stop_reason');
    const events: HubEvent[] = usage === undefined ? [] : [{ kind: 'usage', usage }];
    if (reason === undefined || this.isComplete) return events;
    this.isComplete = true;
    const stopSequence = textIn(delta, 'stop_sequence');
    const finish = { kind: 'finish', stop: stopOfAnthropic(reason), stopSequence } as const;
    return [...events, ...readRefusal(delta ?? {}), finish];
  }
}
