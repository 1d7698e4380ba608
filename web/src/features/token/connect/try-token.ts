/** One tiny call with a token, as a program would make it: shows that key, group and model work. */
import { logCalls } from '../../../../../src/api/log.ts';
import { client } from '../../../lib/api.ts';

const logs = client({ ofRequest: logCalls.get });

export interface Tried {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Until the answer was whole. */
  readonly ms: number;
  /** The gateway's sentence when it refused. */
  readonly problem: string;
  /** Units; undefined when nothing was recorded. */
  readonly cost: number | undefined;
}

const MOST_TOKENS = 16;

/** Rejects for nothing but an abort. */
export async function tryToken(key: string, model: string, signal: AbortSignal): Promise<Tried> {
  const startedMs = performance.now();
  const since = () => Math.round(performance.now() - startedMs);
  try {
    const answer = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        max_tokens: MOST_TOKENS,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
      signal,
    });
    const body: unknown = await answer.json().catch(() => undefined);
    const [ms, { status }] = [since(), answer];
    if (!answer.ok) return { status, ms, problem: sentenceOf(body), cost: undefined };
    return { status, ms, problem: '', cost: await costOf(answer.headers.get('x-request-id')) };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 0, ms: since(), problem: String(error), cost: undefined };
  }
}

function sentenceOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('error' in body)) return '';
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('message' in error)) return '';
  return typeof error.message === 'string' ? error.message : '';
}

/** The answer goes out when its log line is in the books. */
async function costOf(requestId: string | null): Promise<number | undefined> {
  if (requestId === null) return undefined;
  const lines = await logs.ofRequest({ request_id: requestId }).catch(() => []);
  return lines.length === 0 ? undefined : lines.reduce((sum, { quota }) => sum + quota, 0);
}
