/**
 * What upstreams counted in earlier prompts. It bounds a later prompt of the same conversation
 * better than the gateway's own count: what both contain takes at most what the upstream counted.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonPart } from '../../domain/token-count/json-parts.ts';

/** The request whose prompt is counted. */
export interface CountedRequest {
  readonly requestId: string;
  /** Of one user, and one model at one channel, as each counts in its own way. */
  readonly conversation: string;
}

/** Names of the parts, and how often each occurs. */
type Parts = ReadonlyMap<string, number>;

interface Prompt {
  readonly conversation: string;
  readonly parts: Parts;
  /** The most tokens by the gateway's own count. */
  readonly mostTokens: number;
}

interface KnownPrompt {
  readonly parts: Parts;
  /** As the upstream counted it. */
  readonly tokens: number;
}

/** Parts of all prompts in memory; each takes about 100 bytes. */
const MOST_PARTS = 100_000;

/** What an upstream may read in one prompt and leave out of another: always counted. */
const NOT_ALWAYS_READ =
  /"(thinking|redacted_thinking|thought|reasoning|encrypted_content|defer_loading)"/;
/** With these the upstream leaves out other parts of the prompt. */
const LEAVES_OUT = [
  /^"(context_management|truncation|transforms)"/,
  /"type"\s*:\s*"\w*compaction\w*"/,
  // Some vendors leave out tools that may not be used.
  /^"(tool_choice|tool_?config)".*"none"/is,
];
/** Clearing of thinking alone, which is always counted. */
const CLEARS_THINKING =
  /^"context_management"\s*:\s*\{\s*"edits"\s*:\s*\[\s*\{\s*"type"\s*:\s*"clear_thinking_[^{}]*\}\s*\]\s*\}$/;
/** A smaller part of the own count was not the whole prompt. */
const LEAST_SHARE = 0.4;
/**
 * Where a cache begins, which is no part of what the model reads and moves from call to call. Spaces
 * are not repeated before it, because a long run of them would be searched again from each.
 */
const CACHE_CONTROL = /(?:, ?)?"cache_control"\s*:\s*\{[^{}]*\}/g;

/** How a prompt differs from those before it. */
export interface Comparison {
  /** What the upstream counted in the parts that are not new, and in others. */
  readonly tokens: number;
  readonly isNew: (index: number) => boolean;
}

export class KnownPrompts {
  readonly #counted = byParts<Prompt>();
  readonly #known = byParts<KnownPrompt>();

  /**
   * Notes the prompt of a request, whose own count is `mostTokens`, and compares it with the last one
   * of the conversation that the upstream counted; undefined if there is none.
   */
  add(
    { requestId, conversation }: CountedRequest,
    parts: readonly JsonPart[],
    mostTokens: number,
  ): Comparison | undefined {
    const names = parts.map(nameOf);
    if (!parts.some(leavesOut))
      this.#counted.set(requestId, { conversation, parts: countsOf(names), mostTokens });
    const known = this.#known.get(conversation);
    return known && { tokens: known.tokens, isNew: newNames(names, known.parts) };
  }

  /** The upstream counted so many tokens in the prompt of a request; ignored for other requests. */
  reported(requestId: string, tokens: number): void {
    const prompt = this.#counted.get(requestId);
    if (prompt === undefined) return;
    this.#counted.delete(requestId);
    const { conversation, parts, mostTokens } = prompt;
    if (tokens >= mostTokens * LEAST_SHARE) this.#known.set(conversation, { parts, tokens });
  }
}

type Names = readonly (string | undefined)[];

function countsOf(names: Names): Parts {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A part is new where it occurs more often than before. */
function newNames(names: Names, known: Parts): (index: number) => boolean {
  const left = new Map(known);
  const isNew = names.map((name) => {
    const count = name === undefined ? 0 : (left.get(name) ?? 0);
    if (name !== undefined) left.set(name, count - 1);
    return count <= 0;
  });
  return (index) => isNew[index] ?? true;
}

function leavesOut({ value }: JsonPart): boolean {
  return LEAVES_OUT.some((pattern) => pattern.test(value)) && !CLEARS_THINKING.test(value);
}

function byParts<Value extends { readonly parts: Parts }>(): LRUCache<string, Value> {
  return new LRUCache({ maxSize: MOST_PARTS, sizeCalculation: ({ parts }) => parts.size + 1 });
}

/** Only digests are kept, so that prompts stay private. Undefined for what may not be read. */
function nameOf({ value }: JsonPart): string | undefined {
  if (NOT_ALWAYS_READ.test(value)) return undefined;
  return hash('sha256', value.replace(CACHE_CONTROL, ''), 'base64url').slice(0, 22);
}
