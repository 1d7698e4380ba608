/** A dialect-neutral whole answer, and conversions between it and stream events. */
import type { Usage } from '../../../domain/pricing/usage.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import {
  type Block,
  type Citation,
  type Signature,
  summaryBlock,
  summaryIn,
  type ToolCallBlock,
} from '../blocks.ts';
import type { HubEvent } from './events.ts';
import { effectiveStop, type Stop } from './stop.ts';

export interface HubAnswer {
  readonly blocks: readonly Block[];
  readonly stop: Stop;
  readonly stopSequence?: string;
  /** The further answers, if the request asked for several. */
  readonly others?: readonly HubAnswer[];
  /** As reported by the upstream; absent if it reported none. */
  readonly usage?: Usage;
  readonly id?: string;
  /** The upstream's model name. */
  readonly model?: string;
  /** The upstream failed without content; the other fields mean nothing then. */
  readonly error?: UpstreamError;
}

/** The events of a stream that would produce this answer. */
export function eventsOf(answer: HubAnswer): readonly HubEvent[] {
  const { id, model, stop, stopSequence, usage, others = [] } = answer;
  return [
    { kind: 'start', id, model },
    ...answer.blocks.flatMap((block, slot) => eventsOfBlock(block, slot)),
    ...(usage === undefined ? [] : [{ kind: 'usage', usage } as const]),
    { kind: 'finish', stop, stopSequence },
    ...others.flatMap((other, index) => [
      { kind: 'choice', index: index + 1 } as const,
      ...eventsOf({ ...other, usage: undefined }),
    ]),
  ];
}

function eventsOfBlock(block: Block, slot: number): readonly HubEvent[] {
  switch (block.kind) {
    case 'text':
      return closed([
        { kind: 'text', text: block.text },
        ...(block.citations ?? []).map((citation) => ({ kind: 'citation', citation }) as const),
        ...signed(block.signature),
      ]);
    case 'thinking':
      return closed([{ kind: 'thinking', text: block.text }, ...signed(block.signature)]);
    case 'redacted_thinking':
      return [{ kind: 'redacted_thinking', origin: block.origin, data: block.data }];
    case 'refusal':
      return closed([{ kind: 'refusal', text: block.text }]);
    case 'image':
    case 'audio':
      return [{ kind: 'media', block }];
    case 'tool_call': {
      const { id, name, custom, signature } = block;
      return [
        { kind: 'tool_start', slot, id, name, custom, signature },
        { kind: 'tool_args', slot, json: block.args },
        { kind: 'tool_end', slot },
      ];
    }
    case 'foreign': {
      const summary = summaryIn(block);
      if (summary !== undefined) return [{ kind: 'compaction', text: summary }];
      return block.text === undefined ? [] : closed([{ kind: 'text', text: block.text }]);
    }
    // Models never return these in an answer.
    case 'file':
    case 'tool_result':
      return [];
    default:
      return block satisfies never;
  }
}

function closed(events: readonly HubEvent[]): readonly HubEvent[] {
  return [...events, { kind: 'block_end' }];
}

function signed(signature: Signature | undefined): readonly HubEvent[] {
  return signature === undefined ? [] : [{ kind: 'signature', signature }];
}

type Growing =
  | { kind: 'text'; text: string; signature?: Signature; citations: Citation[] }
  | { kind: 'refusal'; text: string }
  | { kind: 'thinking'; text: string; signature?: Signature };

/** Collects the events of a stream into a whole answer. */
export class AnswerCollector {
  readonly #blocks: (Block | { readonly slot: number })[] = [];
  readonly #calls = new Map<number, { call: ToolCallBlock; args: string[] }>();
  #open: Growing | undefined;
  #head: { id?: string; model?: string } = {};
  #usage: Usage | undefined;
  #stop: Stop | undefined;
  #stopSequence: string | undefined;
  #error: UpstreamError | undefined;
  /** The further answers by index; the first is held by this object. */
  readonly #others = new Map<number, AnswerCollector>();
  #index = 0;

  add(events: readonly HubEvent[]): void {
    for (const event of events) {
      if (event.kind === 'choice') this.#index = event.index;
      else if (this.#index === 0 || event.kind === 'usage') this.#take(event);
      else this.#other(this.#index).add([event]);
    }
  }

  #other(index: number): AnswerCollector {
    const known = this.#others.get(index) ?? new AnswerCollector();
    this.#others.set(index, known);
    return known;
  }

  answer(): HubAnswer {
    this.#close();
    const blocks = this.#blocks.map((block) => ('slot' in block ? this.#call(block.slot) : block));
    return {
      ...this.#head,
      blocks: blocks.filter((block) => block !== undefined),
      stop: effectiveStop(this.#stop, this.#calls.size > 0),
      ...(this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.#others.size === 0 ? {} : { others: this.#otherAnswers() }),
    };
  }

  #otherAnswers(): readonly HubAnswer[] {
    const inOrder = [...this.#others].sort(([one], [other]) => one - other);
    return inOrder.map(([, collector]) => collector.answer());
  }

  #take(event: HubEvent): void {
    switch (event.kind) {
      case 'start':
        this.#head = {
          ...(event.id === undefined ? {} : { id: event.id }),
          ...(event.model === undefined ? {} : { model: event.model }),
        };
        return;
      case 'text':
      case 'refusal':
      case 'thinking':
        this.#opened(event.kind).text += event.text;
        return;
      case 'signature':
        this.#sign(event.signature);
        return;
      case 'citation':
        if (this.#open?.kind === 'text') this.#open.citations.push(event.citation);
        return;
      case 'redacted_thinking':
        this.#put({ kind: 'redacted_thinking', origin: event.origin, data: event.data });
        return;
      case 'media':
        this.#put(event.block);
        return;
      case 'compaction':
        this.#put(summaryBlock(event.text));
        return;
      case 'block_end':
        this.#close();
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'finish':
        this.#stop = event.stop;
        this.#stopSequence = event.stopSequence;
        return;
      case 'tool_start':
      case 'tool_args':
      case 'tool_end':
        this.#takeTool(event);
        return;
      case 'error':
        this.#error = event.error;
        return;
      // `add` handles it.
      case 'choice':
        return;
      default:
        event satisfies never;
    }
  }

  #takeTool(event: Extract<HubEvent, { slot: number }>): void {
    if (event.kind === 'tool_start') {
      const { slot, id, name, custom, signature } = event;
      const rest = { ...(custom && { custom }), ...(signature && { signature }) };
      const call = { kind: 'tool_call', id, name, args: '', ...rest } as const;
      this.#calls.set(slot, { call, args: [] });
      this.#close();
      this.#blocks.push({ slot });
    } else if (event.kind === 'tool_args') this.#calls.get(event.slot)?.args.push(event.json);
  }

  #call(slot: number): ToolCallBlock | undefined {
    const known = this.#calls.get(slot);
    if (known === undefined) return undefined;
    const args = known.args.join('') || (known.call.custom ? '' : '{}');
    return { ...known.call, args };
  }

  #opened(kind: Growing['kind']): Growing {
    if (this.#open?.kind !== kind) {
      this.#close();
      this.#open = kind === 'text' ? { kind, text: '', citations: [] } : { kind, text: '' };
    }
    return this.#open as Growing; // set just above
  }

  #sign(signature: Signature): void {
    const open = this.#open?.kind === 'text' ? this.#open : this.#opened('thinking');
    if (open.kind !== 'refusal') open.signature = signature;
    // A signature ends its thinking block; later thinking gets its own signature.
    if (open.kind === 'thinking') this.#close();
  }

  #put(block: Block): void {
    this.#close();
    this.#blocks.push(block);
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    if (open.kind !== 'text') {
      if (open.text !== '' || open.kind === 'thinking') this.#blocks.push(open);
      return;
    }
    const { citations, ...text } = open;
    if (open.text === '' && open.signature === undefined) return;
    this.#blocks.push(citations.length > 0 ? { ...text, citations } : text);
  }
}
