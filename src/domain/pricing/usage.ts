/**
 * The consumption of a call, in one form for every dialect. The buckets are disjoint, so that
 * prices per bucket can be summed without knowing how a provider counts its cache.
 */
import { isFields, type JsonFields } from '../json-fields.ts';

export interface Usage {
  /** Uncached text input. */
  readonly input: number;
  readonly cacheRead: number;
  /** Cache writes of unknown lifetime. */
  readonly cacheWrite: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly audioInput: number;
  readonly imageInput: number;
  /** Text output, including reasoning, without audio and images. */
  readonly output: number;
  readonly audioOutput: number;
  readonly imageOutput: number;
  /** Part of `output`, for information only. */
  readonly reasoning: number;
  /** Web searches made by the vendor for the answer: calls, not tokens. */
  readonly webSearches: number;
  /** Searches in the client's files: calls, not tokens. */
  readonly fileSearches: number;
  /** Containers in which the vendor ran code. */
  readonly codeSessions: number;
  /** The service tier that was used, if not the standard one. */
  readonly tier?: string;
  /** Passes that the counts above do not include: compactions, and answers of other models. */
  readonly further?: readonly FurtherPass[];
  /** The gateway's own estimate; the usage sent to the client is marked `estimated: true`. */
  readonly isEstimated?: true;
}

export interface FurtherPass {
  /** Absent: the model of the call. */
  readonly model?: string;
  readonly usage: Usage;
}

/** Names of the tier that is billed at the model's own price. */
const ORDINARY: ReadonlySet<string> = new Set([
  'default',
  'standard',
  'standard_only',
  'auto',
  'on_demand',
]);

export function isStandardTier(name: string): boolean {
  return ORDINARY.has(name);
}

/** Adds the tier reported by an answer (`service_tier`) to the usage, unless it is standard. */
export function withTier<U extends Usage | undefined>(usage: U, reported: unknown): U {
  const tier = tierOf(reported);
  return usage === undefined || tier === undefined ? usage : { ...usage, tier };
}

/** Normalises a client's or vendor's tier name; undefined for the standard tier or if invalid. */
export function tierOf(tier: unknown): string | undefined {
  if (typeof tier !== 'string' || isStandardTier(tier)) return undefined;
  return /^[a-z][a-z_]{0,31}$/.test(tier) ? tier : undefined;
}

export function emptyUsage(): Usage {
  return {
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    imageInput: 0,
    output: 0,
    audioOutput: 0,
    imageOutput: 0,
    reasoning: 0,
    webSearches: 0,
    fileSearches: 0,
    codeSessions: 0,
  };
}

/** All passes as one usage, as clients see it. */
export function summed({ further, ...own }: Usage): Usage {
  if (further === undefined) return own;
  const sum: Record<string, unknown> = { ...own };
  for (const { usage } of further)
    for (const [kind, count] of Object.entries(usage))
      if (typeof count === 'number') sum[kind] = Number(sum[kind]) + count;
  return sum as typeof own; // the same counts, each with more added
}

export function totalCacheWrite(usage: Usage): number {
  return usage.cacheWrite + usage.cacheWrite5m + usage.cacheWrite1h;
}

/** Of all passes. */
export function totalInput(usage: Usage): number {
  return furtherTotal(usage, totalInput, firstPrompt(usage));
}

/** Of the first pass: the prompt whose length decides the rates. */
export function firstPrompt(usage: Usage): number {
  return (
    usage.input + usage.cacheRead + totalCacheWrite(usage) + usage.audioInput + usage.imageInput
  );
}

/** Of all passes. */
export function totalOutput(usage: Usage): number {
  const own = usage.output + usage.audioOutput + usage.imageOutput;
  return furtherTotal(usage, totalOutput, own);
}

function furtherTotal({ further }: Usage, of: (usage: Usage) => number, own: number): number {
  return further === undefined ? own : further.reduce((sum, { usage }) => sum + of(usage), own);
}

/** Far above any context: a larger count is an upstream error and must not be billed. */
const MAX_TOKENS = 1_000_000_000;

/**
 * Reads the `usage` object of OpenAI-shaped answers: chat, completions, embeddings, and the
 * `input_tokens` form of images, transcriptions and responses. Counts may be strings, missing or
 * negative. Undefined if there is no usable count; the caller then estimates the usage.
 *
 * Provider differences: DeepSeek reports cache hits and misses, Moonshot puts `cached_tokens` at
 * the top level, xAI may exclude reasoning from the completion (detected from the totals), and some
 * proxies in front of Claude report a prompt without its cache (detected when the cache is larger
 * than the prompt, and the total does not exclude it).
 */
export function readOpenAiUsage(raw: unknown): Usage | undefined {
  const usage = fieldsOf(raw);
  if (!usage) return undefined;
  const input = readInput(usage);
  const output = readOutput(usage, input);
  // Every field by name: spreads cost microseconds (docs/performance.md).
  const read = {
    input: input.buckets.input,
    cacheRead: input.buckets.cacheRead,
    cacheWrite: input.buckets.cacheWrite,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: input.buckets.audioInput,
    imageInput: input.buckets.imageInput,
    output: output.output,
    audioOutput: output.audioOutput,
    imageOutput: output.imageOutput,
    reasoning: output.reasoning,
    webSearches: searchesIn(usage),
    fileSearches: 0,
    codeSessions: 0,
  } satisfies Usage;
  return totalInput(read) + totalOutput(read) === 0 ? undefined : read;
}

interface InputSide {
  /** As reported, before it is split into buckets. */
  readonly prompt: number;
  readonly cached: number;
  readonly buckets: Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite' | 'audioInput' | 'imageInput'>;
}

function readInput(usage: JsonFields): InputSide {
  const details = detailsOf(
    usage,
    'prompt_tokens_details',
    'input_tokens_details',
    'input_token_details',
  );
  const cachedDetails = detailsOf(details, 'cached_tokens_details');
  const hit = countOf(usage.prompt_cache_hit_tokens);
  const miss = countOf(usage.prompt_cache_miss_tokens);
  const prompt =
    first(usage.prompt_tokens, usage.input_tokens) ?? (hit + miss || promptOfTotal(usage));
  const read = first(details.cached_tokens, usage.cached_tokens) ?? hit;
  const written =
    first(
      details.cache_write_tokens,
      details.cache_creation_tokens,
      usage.cache_creation_input_tokens,
    ) ?? 0;
  // A total that is the sum without the cache says that the cache is part of the prompt.
  const total = countOf(usage.total_tokens);
  const completion = first(usage.completion_tokens, usage.output_tokens) ?? 0;
  const isOutside = read + written > prompt && total !== prompt + completion;
  const cacheRead = isOutside ? read : Math.min(read, prompt);
  const cacheWrite = isOutside ? written : Math.min(written, prompt - cacheRead);
  const cached = cacheRead + cacheWrite;
  const uncached = isOutside ? prompt : prompt - cached;
  // Audio and image counts include their cached part, which `cacheRead` already contains.
  const audioInput = Math.min(minus(details.audio_tokens, cachedDetails.audio_tokens), uncached);
  const imageInput = Math.min(
    minus(details.image_tokens, cachedDetails.image_tokens),
    uncached - audioInput,
  );
  const input = uncached - audioInput - imageInput;
  return { prompt, cached, buckets: { input, cacheRead, cacheWrite, audioInput, imageInput } };
}

function readOutput(
  usage: JsonFields,
  { prompt, cached }: InputSide,
): Pick<Usage, 'output' | 'audioOutput' | 'imageOutput' | 'reasoning'> {
  const details = detailsOf(
    usage,
    'completion_tokens_details',
    'output_tokens_details',
    'output_token_details',
  );
  const total = countOf(usage.total_tokens);
  const reported =
    first(usage.completion_tokens, usage.output_tokens) ?? Math.max(0, total - prompt);
  const reasoning = first(details.reasoning_tokens, usage.reasoning_tokens) ?? 0;
  const sumsWithout = total === prompt + reported || total === prompt + cached + reported;
  const isOutside =
    !sumsWithout && (reasoning > reported || total === prompt + reported + reasoning);
  const completion = isOutside ? reported + reasoning : reported;
  const audioOutput = Math.min(countOf(details.audio_tokens), completion);
  const imageOutput = Math.min(countOf(details.image_tokens), completion - audioOutput);
  const output = completion - audioOutput - imageOutput;
  return { output, audioOutput, imageOutput, reasoning: Math.min(reasoning, output) };
}

/** Of OpenRouter, Perplexity, xAI (sources) and Alibaba. */
function searchesIn(usage: JsonFields): number {
  return (
    first(
      detailsOf(usage, 'server_tool_use').web_search_requests,
      usage.num_search_queries,
      usage.num_sources_used,
      detailsOf(detailsOf(usage, 'plugins'), 'search').count,
    ) ?? 0
  );
}

/** Embeddings and rerank often report only a total. */
function promptOfTotal(usage: JsonFields): number {
  const completion = first(usage.completion_tokens, usage.output_tokens) ?? 0;
  return Math.max(0, countOf(usage.total_tokens) - completion);
}

export interface OpenAiUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly audio_tokens: number;
    readonly image_tokens?: number;
  };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: number;
    readonly image_tokens?: number;
  };
  readonly estimated?: true;
}

/** The usage object of chat responses: the prompt includes cache reads and writes. */
export function toOpenAiUsage(passes: Usage): OpenAiUsage {
  const usage = summed(passes);
  const promptTokens = totalInput(usage);
  const completionTokens = totalOutput(usage);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: totalCacheWrite(usage),
      audio_tokens: usage.audioInput,
      ...(usage.imageInput > 0 && { image_tokens: usage.imageInput }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput > 0 && { image_tokens: usage.imageOutput }),
    },
    ...estimatedField(usage),
  };
}

/** For usage objects whose readers ignore unknown fields. */
export function estimatedField({ isEstimated }: Usage): { readonly estimated?: true } {
  return isEstimated ? { estimated: true } : {};
}

function fieldsOf(value: unknown): JsonFields | undefined {
  return isFields(value) ? value : undefined;
}

/** The first of the named fields that is an object; an empty object if there is none. */
function detailsOf(parent: JsonFields, ...names: readonly string[]): JsonFields {
  for (const name of names) {
    const details = fieldsOf(parent[name]);
    if (details) return details;
  }
  return {};
}

/** A token count from a number or a numeric string; 0 for anything else and for negative values. */
function countOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0)) return 0;
  return Math.min(Math.round(number), MAX_TOKENS);
}

/** The first value that is present: null and missing values do not count as zero. */
function first(...values: readonly unknown[]): number | undefined {
  const found = values.find((value) => value !== undefined && value !== null);
  return found === undefined ? undefined : countOf(found);
}

function minus(value: unknown, part: unknown): number {
  return Math.max(0, countOf(value) - countOf(part));
}
