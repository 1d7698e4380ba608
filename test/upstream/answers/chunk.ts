/** A stream before framing: chunk objects and where vendors put usage. */

import { type Usage, usageSoFar } from '../content/usage.ts';
import type { UsageMode } from '../plans/plan.ts';

export interface Chunk {
  readonly body: Readonly<Record<string, unknown>>;
  /** Completion tokens that this chunk delivers. */
  readonly tokens: number;
  /** Carries a finish_reason. */
  readonly finishes: boolean;
}

interface Stream {
  readonly chunks: readonly Chunk[];
  readonly usage: Usage;
}

type Placement = (stream: Stream) => readonly Chunk[];

/** A chunk without completion tokens. */
export function bareChunk(body: Chunk['body'], finishes: boolean): Chunk {
  return { body, tokens: 0, finishes };
}

/** A chunk without choices; the other fields are those of every chunk. */
function trailer(chunks: readonly Chunk[], extra: Chunk['body']): Chunk {
  return bareChunk({ ...chunks.at(-1)?.body, choices: [], ...extra }, false);
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
const onRequest: Placement = ({ chunks, usage }) => [
  ...nullOnEach(chunks),
  trailer(chunks, { usage }),
];

const PLACEMENTS = {
  none: ({ chunks }) => chunks,
  null: ({ chunks }) => [...nullOnEach(chunks), trailer(chunks, { usage: null })],
  'on-choice': ({ chunks, usage }) => onFinish(chunks, 'usage', usage),
  'every-chunk': ({ chunks, usage }) => {
    let tokens = 0;
    return chunks.map((chunk) => {
      tokens += chunk.tokens;
      return withField(chunk, 'usage', usageSoFar(usage, tokens));
    });
  },
  'before-last': ({ chunks, usage }) => [
    ...chunks,
    trailer(chunks, { usage }),
    trailer(chunks, {}),
  ],
  'x-groq': ({ chunks, usage }) =>
    onFinish(chunks, 'x_groq', { id: chunks.at(-1)?.body.id, usage }),
  double: (stream) => [...onRequest(stream), trailer(stream.chunks, { usage: stream.usage })],
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
