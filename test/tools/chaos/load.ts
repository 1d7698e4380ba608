/**
 * Clients that know the expected cost of each of their calls. Calls start at a steady pace
 * regardless of earlier ones; each carries a unique marker.
 */
import { Agent, request } from 'undici';
import { expectedUsage } from '../../upstream/content/usage.ts';
import { MODELS, type Model, type SiteSetup } from './site/site-setup.ts';

/**
 * What the client saw: a complete response, a refusal by the gateway, a partial or missing
 * response, or its own disconnect.
 */
export type Seen = 'answered' | 'refused' | 'broken' | 'left';

export interface ClientCall {
  /** The owner of the token; only the last two have limits. */
  readonly of: 'people' | 'rated' | 'capped';
  readonly marker: string;
  readonly model: Model;
  /** Cost of a complete response in units. */
  readonly units: number;
  readonly seen: Seen;
  /** Status and code, or how the connection broke. */
  readonly how: string;
  /** Epoch ms. */
  readonly sentAtMs: number;
  readonly tookMs: number;
  /**
   * For long responses: epoch ms between which the response was certainly still being generated.
   */
  readonly running?: { readonly fromMs: number; readonly toMs: number };
}

export interface Load {
  readonly calls: readonly ClientCall[];
  /**
   * Sends one more call directly to a node; returns whether it was answered within a few seconds.
   */
  probe(nodeUrl: string): Promise<boolean>;
  /** Starts no more calls and waits for those in progress. */
  stop(): Promise<void>;
}

interface LoadOptions {
  readonly url: string;
  readonly setup: Pick<SiteSetup, 'keys' | 'rated' | 'capped'>;
  readonly callsPerSec: number;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
}

/** A settlement is retried for 30 seconds while the database is away. */
const TIMEOUT_MS = 45_000;
const MOST_UNDER_WAY = 400;
/**
 * Exceeds both limits: five calls per window of the rate-limited token, three at a time of the
 * capped one.
 */
const RATED_EVERY_MS = 400;
const CAPPED_EVERY_MS = 700;
/** A call that has sent this many of its twenty pieces is not near its end yet. */
const PIECES_AMID = 14;
/** Makes a call reserve more than one percent of the poorer account. */
const MAX_TOKENS = 200_000;

export function startLoad({ url, setup, callsPerSec, random }: LoadOptions): Load {
  const agent = new Agent({ connections: MOST_UNDER_WAY, connectTimeout: 2_000 });
  const calls: ClientCall[] = [];
  const underWay = new Set<Promise<void>>();
  let made = 0;
  const begin = (plain: Omit<CallOptions, 'agent' | 'key' | 'marker'>) => {
    made += 1;
    const { keys, rated, capped } = setup;
    const people = keys[made % keys.length] ?? '';
    const key = { people, rated: rated.key, capped: capped.key }[plain.of];
    const call = send({ agent, key, marker: `marker-${made}`, ...plain });
    const noted = call
      .then((seen) => {
        calls.push(seen);
      })
      .finally(() => underWay.delete(noted));
    underWay.add(noted);
    return call;
  };
  const next = (): void => {
    if (underWay.size >= MOST_UNDER_WAY) return;
    const [model, leaves] = [modelBy(random()), random() < 0.08];
    void begin({ of: 'people', url, model, leaves, timeoutMs: TIMEOUT_MS });
  };
  const limited = (of: 'rated' | 'capped', model: Model) => () => {
    if (underWay.size >= MOST_UNDER_WAY) return;
    void begin({ of, url, model, leaves: false, timeoutMs: TIMEOUT_MS });
  };
  const timers = [
    setInterval(next, 1_000 / callsPerSec),
    setInterval(limited('rated', 'whole'), RATED_EVERY_MS),
    setInterval(limited('capped', 'long'), CAPPED_EVERY_MS),
  ];
  return {
    calls,
    async probe(nodeUrl) {
      const plain = { url: nodeUrl, model: 'whole', leaves: false, timeoutMs: 3_000 } as const;
      return (await begin({ of: 'people', ...plain })).seen === 'answered';
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      while (underWay.size > 0) await Promise.all(underWay);
      await agent.destroy();
    },
  };
}

function modelBy(roll: number): Model {
  if (roll < 0.5) return 'whole';
  return roll < 0.95 ? 'streamed' : 'breaking';
}

interface CallOptions {
  readonly of: ClientCall['of'];
  readonly agent: Agent;
  readonly url: string;
  readonly key: string;
  readonly marker: string;
  readonly model: Model;
  /** The client disconnects in the middle of a stream. */
  readonly leaves: boolean;
  readonly timeoutMs: number;
}

async function send(options: CallOptions): Promise<ClientCall> {
  const { of, agent, url, key, marker, model, leaves, timeoutMs } = options;
  const stream = model !== 'whole';
  const body = {
    model,
    stream,
    max_tokens: MAX_TOKENS,
    messages: [{ role: 'user' as const, content: `${marker} ${'word '.repeat(marker.length)}` }],
  };
  const { prompt_tokens, completion_tokens = 0 } = expectedUsage({ ...body, model: MODELS[model] });
  const startedAtMs = performance.now();
  const sentAtMs = Date.now();
  let running: ClientCall['running'];
  const seen = (what: Seen, how: string): ClientCall => ({
    of,
    marker,
    model,
    units: prompt_tokens + completion_tokens,
    seen: what,
    how,
    sentAtMs,
    tookMs: Math.round(performance.now() - startedAtMs),
    ...(running !== undefined && { running }),
  });
  try {
    const answer = await request(`${url}/v1/chat/completions`, {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    if (leaves && stream && answer.statusCode === 200)
      return seen('left', await leave(answer.body));
    const text =
      model === 'long'
        ? await longText(answer.body, (span) => {
            running = span;
          })
        : await answer.body.text();
    if (answer.statusCode !== 200)
      return seen(
        ...refusal(answer.statusCode, text, answer.headers['x-request-id'] !== undefined),
      );
    const isWhole = stream
      ? text.includes('data: [DONE]') && !text.includes('"error"')
      : text.includes('"finish_reason":"stop"');
    return isWhole ? seen('answered', '200') : seen('broken', `200 ${endOf(text)}`);
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }; // from undici
    return seen('broken', code === '' ? message : code);
  }
}

/** Reports with each piece, until the middle of the response, since when the call runs. */
async function longText(
  body: AsyncIterable<Uint8Array>,
  onRunning: (span: { readonly fromMs: number; readonly toMs: number }) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let fromMs: number | undefined;
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.split('data: ').length - 1 > PIECES_AMID) continue;
    fromMs ??= Date.now();
    onRunning({ fromMs, toMs: Date.now() });
  }
  return text;
}

async function leave(body: AsyncIterable<unknown> & { destroy(): unknown }): Promise<string> {
  let pieces = 0;
  for await (const _piece of body) {
    pieces += 1;
    if (pieces === 3) break; // destroys the body and with it the connection
  }
  return `after ${pieces} pieces`;
}

/** An error from nginx itself leaves the outcome of the call unknown. */
function refusal(status: number, text: string, isGateway: boolean): [Seen, string] {
  const code = /"code":"?([\w-]*)/.exec(text)?.[1] ?? '';
  return isGateway ? ['refused', `${status} ${code}`] : ['broken', `${status} by nginx`];
}

function endOf(text: string): string {
  return /"code":"([\w-]+)"/.exec(text)?.[1] ?? 'cut off';
}
