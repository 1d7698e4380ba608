/** One minimal call with a token, as a client would make it, to verify key, group and model. */
import { logCalls } from '../../../../../src/api/logs/log.ts';
import { client } from '../../../lib/api/api.ts';

const logs = client({ ofRequest: logCalls.get });

export interface Tried {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Until the response was complete. */
  readonly ms: number;
  /** The gateway's error message. */
  readonly problem: string;
  /** Units; undefined if nothing was recorded. */
  readonly cost: number | undefined;
}

const MOST_TOKENS = 16;

/** Rejects only if aborted. */
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

/** The gateway responds only after the log entry is written, so the entry is found. */
async function costOf(requestId: string | null): Promise<number | undefined> {
  if (requestId === null) return undefined;
  const lines = await logs.ofRequest({ request_id: requestId }).catch(() => []);
  return lines.length === 0 ? undefined : lines.reduce((sum, { quota }) => sum + quota, 0);
}
