/**
 * Load generator: sends calls to a gateway as clients do and summarizes the results. Independent of
 * flags and terminal.
 */
import { isObject, parseJson } from '../../../json/read-json.ts';

export interface Load {
  /** URL of the gateway, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly isStream: boolean;
  /** Number of concurrent calls. */
  readonly width: number;
  /** No call starts later than this after the first one. */
  readonly durationMs: number;
  /** Aborts running calls, which are then not counted. */
  readonly signal: AbortSignal;
}

export interface BenchCall {
  readonly tookMs: number;
  /** For streams: time to the first content. */
  readonly firstTokenMs: number | undefined;
  readonly outputTokens: number;
  /** The error; undefined for a successful call. */
  readonly problem: string | undefined;
}

const PROMPT = 'Say in one short sentence what a gateway is.';
const MAX_OUTPUT_TOKENS = 64;

/** Keeps `width` calls running until the duration is over. */
export async function generateLoad(load: Load): Promise<{ calls: BenchCall[]; tookMs: number }> {
  const startedAt = performance.now();
  const calls: BenchCall[] = [];
  const worker = async () => {
    while (!load.signal.aborted && performance.now() - startedAt < load.durationMs) {
      const call = await makeCall(load);
      if (call !== undefined) calls.push(call);
    }
  };
  await Promise.all(Array.from({ length: load.width }, worker));
  return { calls, tookMs: performance.now() - startedAt };
}

async function makeCall(load: Load): Promise<BenchCall | undefined> {
  const startedAt = performance.now();
  const failed = (problem: string) => ({
    tookMs: performance.now() - startedAt,
    firstTokenMs: undefined,
    outputTokens: 0,
    problem,
  });
  try {
    const response = await fetch(`${load.url}/v1/chat/completions`, requestOf(load));
    if (!response.ok) return failed(`${response.status} ${codeIn(await response.text())}`.trim());
    const answer = load.isStream ? await streamed(response, startedAt) : await whole(response);
    if (answer === undefined) return failed('no answer in it');
    return { ...answer, tookMs: performance.now() - startedAt, problem: undefined };
  } catch (error) {
    if (load.signal.aborted) return undefined;
    return failed(error instanceof Error ? causeOf(error) : String(error));
  }
}

function requestOf({ key, model, isStream, signal }: Load): RequestInit {
  const body = {
    model,
    messages: [{ role: 'user', content: PROMPT }],
    max_tokens: MAX_OUTPUT_TOKENS,
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body), signal };
}

type Answer = Pick<BenchCall, 'firstTokenMs' | 'outputTokens'>;

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly usage?: { readonly completion_tokens?: number } | null;
  readonly error?: unknown;
}

async function whole(response: Response): Promise<Answer | undefined> {
  const body = read(await response.text());
  if (body?.choices === undefined) return undefined;
  return { firstTokenMs: undefined, outputTokens: body.usage?.completion_tokens ?? 0 };
}

/** Complete only with its end marker and without an error event. */
async function streamed(response: Response, startedAt: number): Promise<Answer | undefined> {
  let firstTokenMs: number | undefined;
  let outputTokens = 0;
  for await (const data of dataOf(response)) {
    if (data === '[DONE]') return { firstTokenMs, outputTokens };
    const chunk = read(data);
    if (chunk?.error !== undefined) return undefined;
    if (chunk?.choices?.[0]?.delta?.content) firstTokenMs ??= performance.now() - startedAt;
    outputTokens = chunk?.usage?.completion_tokens ?? outputTokens;
  }
  return undefined;
}

async function* dataOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
  }
}

function read(text: string): Chunk | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** The code of an OpenAI-style error, to distinguish failures. */
function codeIn(text: string): string {
  const error = read(text)?.error;
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}

/** `fetch` hides the cause behind "fetch failed". */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  return 'code' in cause ? String(cause.code) : cause.message;
}

/** Durations in milliseconds, of successful calls; null when there were none. */
export interface BenchResult {
  readonly calls: number;
  readonly errors: number;
  /** Percent. */
  readonly error_rate: number;
  readonly duration_ms: number;
  /** Successful calls per minute. */
  readonly rpm: number;
  readonly output_tokens: number;
  readonly tokens_per_second: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly first_token_p50_ms: number | null;
  readonly first_token_p95_ms: number | null;
  /** Errors by frequency, the most frequent first. */
  readonly problems: readonly { readonly problem: string; readonly count: number }[];
}

export function summarize(calls: readonly BenchCall[], tookMs: number): BenchResult {
  const answered = calls.filter(({ problem }) => problem === undefined);
  const took = sorted(answered.map((call) => call.tookMs));
  const first = sorted(answered.flatMap(({ firstTokenMs }) => firstTokenMs ?? []));
  const outputTokens = answered.reduce((sum, call) => sum + call.outputTokens, 0);
  const errors = calls.length - answered.length;
  return {
    calls: calls.length,
    errors,
    error_rate: calls.length === 0 ? 0 : rounded((errors / calls.length) * 100),
    duration_ms: Math.round(tookMs),
    rpm: rounded((answered.length / tookMs) * 60_000),
    output_tokens: outputTokens,
    tokens_per_second: rounded((outputTokens / tookMs) * 1000),
    p50_ms: percentile(took, 50),
    p95_ms: percentile(took, 95),
    p99_ms: percentile(took, 99),
    first_token_p50_ms: percentile(first, 50),
    first_token_p95_ms: percentile(first, 95),
    problems: countedProblems(calls),
  };
}

function countedProblems(calls: readonly BenchCall[]) {
  const counts = new Map<string, number>();
  for (const { problem } of calls)
    if (problem !== undefined) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  return [...counts]
    .map(([problem, count]) => ({ problem, count }))
    .sort((a, b) => b.count - a.count);
}

/** Nearest-rank percentile: the smallest value that at least this percentage does not exceed. */
function percentile(sortedMs: readonly number[], percent: number): number | null {
  const rank = Math.max(1, Math.ceil((percent / 100) * sortedMs.length));
  const value = sortedMs[rank - 1];
  return value === undefined ? null : rounded(value);
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
