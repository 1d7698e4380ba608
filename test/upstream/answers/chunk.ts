/** A stream before framing: chunk objects and where vendors put usage. */

import { type Usage, usageSoFar } from '../content/usage.ts';
import type { UsageMode } from '../plans/plan.ts';

/** The fields that every chunk of a stream repeats. */
export interface ChunkHead {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
}

export interface Chunk {
  readonly body: Readonly<Record<string, unknown>>;
  /** Completion tokens that this chunk delivers. */
  readonly tokens: number;
  /** Carries a finish_reason. */
  readonly finishes: boolean;
}

export interface Stream {
  readonly head: ChunkHead;
  readonly chunks: readonly Chunk[];
  readonly usage: Usage;
}

type Placement = (stream: Stream) => readonly Chunk[];

function trailer(head: ChunkHead, extra: Readonly<Record<string, unknown>>): Chunk {
  return { body: { ...head, choices: [], ...extra }, tokens: 0, finishes: false };
}

function withField(chunk: Chunk, field: string, value: unknown): Chunk {
  return { ...chunk, body: { ...chunk.body, [field]: value } };
}

/** Adds a field to the last chunk that carries a finish_reason. */
function onFinish(chunks: readonly Chunk[], field: string, value: unknown): readonly Chunk[] {
  const index = chunks.findLastIndex((chunk) => chunk.finishes);
  return chunks.map((chunk, at) => (at === index ? withField(chunk, field, value) : chunk));
}

function nullOnEach(chunks: readonly Chunk[]): readonly Chunk[] {
  return chunks.map((chunk) => withField(chunk, 'usage', null));
}

/** OpenAI's format: null on every chunk, then one chunk without choices. */
const onRequest: Placement = ({ head, chunks, usage }) => [
  ...nullOnEach(chunks),
  trailer(head, { usage }),
];

const PLACEMENTS = {
  none: ({ chunks }) => chunks,
  null: ({ head, chunks }) => [...nullOnEach(chunks), trailer(head, { usage: null })],
  'on-choice': ({ chunks, usage }) => onFinish(chunks, 'usage', usage),
  'every-chunk': ({ chunks, usage }) => {
    let tokens = 0;
    return chunks.map((chunk) => {
      tokens += chunk.tokens;
      return withField(chunk, 'usage', usageSoFar(usage, tokens));
    });
  },
  'before-last': ({ head, chunks, usage }) => [
    ...chunks,
    trailer(head, { usage }),
    trailer(head, {}),
  ],
  'x-groq': ({ head, chunks, usage }) => onFinish(chunks, 'x_groq', { id: head.id, usage }),
  double: (stream) => [...onRequest(stream), trailer(stream.head, { usage: stream.usage })],
} as const satisfies Record<UsageMode, Placement>;

/** Whether a response in this mode contains usage. */
export function reportsUsage(mode: UsageMode | undefined, isRequested: boolean): boolean {
  return mode === undefined ? isRequested : mode !== 'none' && mode !== 'null';
}

/**
 * Adds usage to the chunks as the mode requires; without a mode, only if the client requested it.
 */
export function placeUsage(
  stream: Stream,
  mode: UsageMode | undefined,
  isRequested: boolean,
): readonly Chunk[] {
  if (mode !== undefined) return PLACEMENTS[mode](stream);
  return isRequested ? onRequest(stream) : stream.chunks;
}

/** Takes one chunk from each list in turn, because choices of one call arrive interleaved. */
export function interleave(lists: readonly (readonly Chunk[])[]): Chunk[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}
