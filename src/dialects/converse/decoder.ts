/** Decodes ConverseStream into hub events (docs.aws.amazon.com/bedrock, "ConverseStreamOutput"). */
import { isObject, type JsonObject, numberIn, objectIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { failureOfStop, isContent } from '../hub/answer/failed-stop.ts';
import type { StreamFrame } from '../hub/answer/frames.ts';
import { JsonDecoder } from '../hub/answer/json-decoder.ts';
import { stopOfConverse } from '../hub/answer/stop.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { clientToolNames, uniqueCallId } from '../hub/tools/tool-names.ts';
import { CONVERSE_TOOL_NAMES } from './tool-names.ts';
import { readConverseUsage } from './usage.ts';

export class ConverseDecoder extends JsonDecoder {
  protected readonly errorOf = (json: unknown) =>
    isObject(json) ? errorInSuccess(json) : undefined;
  readonly #context: AnswerContext;
  readonly #names: ReadonlyMap<string, string>;
  readonly #toolBlocks = new Set<number>();
  readonly #callIds = new Set<string>();
  #hasContent = false;

  constructor(context: AnswerContext) {
    super();
    this.#context = context;
    this.#names = clientToolNames(context.tools, CONVERSE_TOOL_NAMES);
  }

  /** Unknown events are ignored. */
  protected read(frame: JsonObject, { event }: StreamFrame): readonly HubEvent[] {
    const events = this.#eventsOf(event, frame);
    this.#hasContent ||= events.some(isContent);
    return events;
  }

  #eventsOf(event: string, frame: JsonObject): readonly HubEvent[] {
    const index = numberIn(frame, 'contentBlockIndex') ?? 0;
    switch (event) {
      case 'messageStart':
        return [{ kind: 'start' }];
      case 'contentBlockStart':
        return this.#blockStart(objectIn(objectIn(frame, 'start'), 'toolUse'), index);
      case 'contentBlockDelta':
        return this.#delta(objectIn(frame, 'delta'), index);
      case 'contentBlockStop':
        return [
          this.#toolBlocks.has(index) ? { kind: 'tool_end', slot: index } : { kind: 'block_end' },
        ];
      case 'messageStop':
        return this.#stop(textIn(frame, 'stopReason') ?? '');
      case 'metadata':
        return this.#metadata(frame);
      default:
        return [];
    }
  }

  #stop(reason: string): readonly HubEvent[] {
    const failure = this.#hasContent ? undefined : failureOfStop(reason);
    this.isComplete = failure === undefined;
    this.isOver = failure !== undefined;
    if (failure !== undefined) return [{ kind: 'error', error: failure }];
    return [{ kind: 'finish', stop: stopOfConverse(reason) }];
  }

  /** Only tool blocks have a start event; texts start with their first piece. */
  #blockStart(call: JsonObject | undefined, slot: number): readonly HubEvent[] {
    const vendorName = textIn(call, 'name');
    if (vendorName === undefined) return [];
    const givenId = textIn(call, 'toolUseId');
    const id = uniqueCallId(givenId, this.#callIds, this.#context.id, slot);
    this.#toolBlocks.add(slot);
    return [{ kind: 'tool_start', slot, id, name: this.#names.get(vendorName) ?? vendorName }];
  }

  #delta(delta: JsonObject | undefined, slot: number): readonly HubEvent[] {
    const text = textIn(delta, 'text');
    if (text !== undefined) return [{ kind: 'text', text }];
    const thought = textIn(objectIn(delta, 'reasoningContent'), 'text');
    if (thought !== undefined) return [{ kind: 'thinking', text: thought }];
    const json = textIn(objectIn(delta, 'toolUse'), 'input');
    return json === undefined || !this.#toolBlocks.has(slot)
      ? []
      : [{ kind: 'tool_args', slot, json }];
  }

  /** Usage is sent last, after the stop reason. */
  #metadata(frame: JsonObject): readonly HubEvent[] {
    this.isOver = this.isComplete;
    const raw = objectIn(frame, 'usage');
    const usage = raw === undefined ? undefined : readConverseUsage(raw);
    return usage === undefined ? [] : [{ kind: 'usage', usage }];
  }
}
