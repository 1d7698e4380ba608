/** Tool calls of a running stream, for encoders that can only send one call at a time. */
import { isObject, parseJson } from '../../../json/read-json.ts';
import type { HubEvent } from '../answer/events.ts';
import type { Signature } from '../blocks.ts';

export interface PendingToolCall {
  readonly slot: number;
  readonly id: string;
  readonly name: string;
  readonly signature?: Signature;
  /** All arguments received so far. */
  args: string;
  /** The call is complete. */
  isOver: boolean;
}

/** Keeps calls in the order they started. */
export class PendingToolCalls {
  readonly #tools: PendingToolCall[] = [];

  get first(): PendingToolCall | undefined {
    return this.#tools[0];
  }

  /** Applies the event and returns its call; undefined if the call is no longer kept. */
  take(event: Extract<HubEvent, { slot: number }>): PendingToolCall | undefined {
    if (event.kind === 'tool_start') {
      const { slot, id, name, signature } = event;
      const tool = { slot, id, name, signature, args: '', isOver: false };
      this.#tools.push(tool);
      return tool;
    }
    const tool = this.#tools.find(({ slot }) => slot === event.slot);
    if (tool === undefined) return undefined;
    if (event.kind === 'tool_args') tool.args += event.json;
    else tool.isOver = true;
    return tool;
  }

  /** Removes the first call. */
  shift(): void {
    this.#tools.shift();
  }

  /** Whether the first call ended or, as chat streams mark no end, is whole while others wait. */
  get firstIsDone(): boolean {
    const first = this.#tools[0];
    if (first === undefined) return false;
    return first.isOver || (this.#tools.length > 1 && isWholeObject(first.args));
  }
}

function isWholeObject(args: string): boolean {
  return args.trimEnd().endsWith('}') && isObject(parseJson(args));
}
