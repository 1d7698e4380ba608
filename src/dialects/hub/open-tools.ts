/** Tool calls of a running stream, for encoders that cannot tell two of them at the same time. */
import { isObject, parseJson } from '../../json/read-json.ts';
import type { Signature } from './blocks.ts';
import type { HubEvent } from './events.ts';

export interface OpenTool {
  readonly slot: number;
  readonly id: string;
  readonly name: string;
  readonly signature?: Signature;
  /** All arguments so far. */
  args: string;
  /** Nothing can be added to it. */
  isOver: boolean;
}

/** Keeps calls in the order they began. */
export class OpenTools {
  readonly #tools: OpenTool[] = [];

  get first(): OpenTool | undefined {
    return this.#tools[0];
  }

  /** The call an event speaks of, with the event taken in; undefined for one that is closed. */
  take(event: Extract<HubEvent, { slot: number }>): OpenTool | undefined {
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

  /** Takes out the first call. */
  shift(): void {
    this.#tools.shift();
  }

  /** Others wait and this one has all its arguments: chat streams do not say when a call is over. */
  get firstIsDone(): boolean {
    const first = this.#tools[0];
    if (first === undefined) return false;
    return first.isOver || (this.#tools.length > 1 && isWholeObject(first.args));
  }
}

function isWholeObject(args: string): boolean {
  return args.trimEnd().endsWith('}') && isObject(parseJson(args));
}
