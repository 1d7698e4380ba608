/**
 * A bounded queue of spans for the collector: callers never wait for it, and while it does not
 * respond the oldest spans are dropped.
 */
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { SCHEMA_URL } from './gen-ai.ts';
import { type Complaints, Sender } from './sender.ts';
import type { Span } from './spans.ts';
import { resourceOf, SCOPE_NAME } from './wire.ts';

/** The defaults of OpenTelemetry's batch processor. */
const MAX_WAITING = 2048;
const MAX_BATCH = 512;
const LONGEST_PAUSE_MS = 60_000;

export interface SpanQueue {
  add(spans: readonly Span[]): void;
  /** Nothing is sent before the sender's identity is known. */
  begin(ctx: Pick<Context, 'version' | 'node'>): void;
  /** Sends the queued spans. */
  stop(): Promise<void>;
}

export function createSpanQueue(config: Config, url: string, complaints: Complaints): SpanQueue {
  const sender = new Sender(config, url, complaints);
  let queue: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = config.traceDelayMs;
  let sending: Promise<void> = Promise.resolve();
  let about: object | undefined;
  let version = '';

  const send = async (): Promise<void> => {
    const batch = queue.splice(0, MAX_BATCH);
    if (batch.length === 0 || about === undefined) return;
    const scope = { name: SCOPE_NAME, version };
    const sent = await sender.post({
      resourceSpans: [
        { resource: about, scopeSpans: [{ scope, spans: batch, schemaUrl: SCHEMA_URL }] },
      ],
    });
    pauseMs = sent === 'later' ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : config.traceDelayMs;
    if (sent === 'later') queue = [...batch, ...queue].slice(-MAX_WAITING);
    else if (queue.length >= MAX_BATCH) await send();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      sending = send().finally(() => {
        timer = undefined;
        if (queue.length > 0) schedule();
      });
    }, pauseMs).unref();
  };

  return {
    add(spans) {
      queue.push(...spans);
      if (queue.length > MAX_WAITING) queue = queue.slice(-MAX_WAITING);
      schedule();
    },
    begin(ctx) {
      about = resourceOf(config, ctx);
      version = ctx.version;
    },
    async stop() {
      clearTimeout(timer);
      await sending;
      await send();
    },
  };
}
