/**
 * Opens a stream to the client while its call still waits for an upstream, so that proxies do not
 * close the silent connection. Only with keep-alive pings switched on.
 */
import type { Writable } from 'node:stream';
import { clientDialect } from '../../dialects/all.ts';
import type { Encoder } from '../../dialects/hub/dialect.ts';
import type { Admitted } from '../call/admitted.ts';
import { asksForBackground } from '../call/call-facts.ts';
import { callerLanguage, type Outgoing, type StreamedBody } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { openAiErrorOf } from '../translate/error-response.ts';
import { pingMsOf, STREAM_HEADERS } from './deliver.ts';

const STREAMED = new Set(['chat', 'completions']);

/**
 * The answer itself if it comes within the ping interval. Otherwise the start of a stream, in which
 * a failure becomes an error event of the client's dialect. Attempts, retries and billing are the
 * same in both cases.
 */
export async function startedEarly(
  relay: Ports<'ctx'>,
  call: Admitted,
  answering: Promise<Outgoing>,
): Promise<Outgoing> {
  const encoder = pingingEncoder(relay, call);
  if (encoder === undefined) return answering;
  const pingMs = pingMsOf(relay);
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), pingMs);
  });
  try {
    const first = await Promise.race([answering, waiting]);
    if (first !== undefined) return first;
  } finally {
    clearTimeout(timer);
  }
  const framesOf = (error: unknown) => encoder.fail(shownIn(relay, call, error));
  const body = new EarlyStart(answering, { pingMs, ping: encoder.ping(), framesOf });
  return { status: 200, headers: STREAM_HEADERS, body };
}

/** Undefined if the call needs no ping, or its dialect has none. */
function pingingEncoder({ ctx }: Ports<'ctx'>, call: Admitted): Encoder | undefined {
  const { incoming, intent } = call;
  if (!intent.stream || pingMsOf({ ctx }) === 0) return undefined;
  if (!STREAMED.has(incoming.endpoint) || asksForBackground(call)) return undefined;
  const encoder = clientDialect(incoming).encoder({
    id: incoming.requestId,
    createdSec: Math.floor(ctx.now() / 1000),
    model: intent.model,
    tools: [],
    requestBody: intent.body,
  });
  return encoder.ping() === '' ? undefined : encoder;
}

function shownIn({ ctx }: Ports<'ctx'>, { incoming }: Admitted, thrown: unknown) {
  const { log, observer } = ctx;
  const language = callerLanguage(incoming);
  const answer = openAiErrorOf(thrown, {
    requestId: incoming.requestId,
    language,
    log,
    observer,
  });
  const { errorStatus = 'status' } = clientDialect(incoming);
  return { ...answer.body.error, status: answer[errorStatus] ?? answer.status };
}

interface EarlyStartOptions {
  readonly pingMs: number;
  readonly ping: string;
  readonly framesOf: (error: unknown) => string;
}

type Outcome = { readonly outgoing: Outgoing } | { readonly error: unknown };

/** Pings until the answer takes the response over. */
class EarlyStart implements StreamedBody {
  readonly #options: EarlyStartOptions;
  readonly #outcome: Promise<Outcome>;

  constructor(answering: Promise<Outgoing>, options: EarlyStartOptions) {
    this.#options = options;
    this.#outcome = answering.then(
      (outgoing) => ({ outgoing }),
      (error: unknown) => ({ error }),
    );
  }

  writeTo(client: Writable): void {
    const { ping, pingMs } = this.#options;
    client.on('error', () => undefined); // the call learns of it by 'close'
    client.write(ping);
    const timer = setInterval(() => {
      if (!client.writableNeedDrain) client.write(ping);
    }, pingMs);
    client.once('close', () => clearInterval(timer));
    void this.#outcome.then((outcome) => {
      clearInterval(timer);
      this.#finish(client, outcome);
    });
  }

  #finish(client: Writable, outcome: Outcome): void {
    if ('error' in outcome) {
      if (!client.closed) client.end(this.#options.framesOf(outcome.error));
      return;
    }
    const { body } = outcome.outgoing;
    if (typeof body === 'string' || Buffer.isBuffer(body)) client.end(body);
    else if ('writeTo' in body) body.writeTo(client);
    else body.pipe(client);
  }
}
