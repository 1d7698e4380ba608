/**
 * A bounded queue of spans for the collector: callers never wait for it, and while it does not
 * respond the oldest spans are dropped.
 */
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { SCHEMA_URL } from './gen-ai.ts';
import { type CollectorHealth, OtlpExporter } from './sender.ts';
import type { OtlpSpan } from './spans.ts';
import { resourceOf, SCOPE_NAME } from './wire.ts';

/** The defaults of OpenTelemetry's batch processor. */
const MAX_QUEUED = 2048;
const MAX_BATCH = 512;
const MAX_DELAY_MS = 60_000;

export interface SpanQueue {
  add(spans: readonly OtlpSpan[]): void;
  /** Nothing is sent before the sender's identity is known. */
  start(ctx: Pick<Context, 'version' | 'node'>): void;
  /** Sends the queued spans. */
  stop(): Promise<void>;
}

export function createSpanQueue(
  config: Config,
  url: string,
  complaints: CollectorHealth,
): SpanQueue {
  const sender = new OtlpExporter(config, url, complaints);
  let queue: OtlpSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let delayMs = config.traceDelayMs;
  let sending: Promise<void> = Promise.resolve();
  let resource: object | undefined;
  let version = '';

  const send = async (): Promise<void> => {
    const batch = queue.splice(0, MAX_BATCH);
    if (batch.length === 0 || resource === undefined) return;
    const scope = { name: SCOPE_NAME, version };
    const sent = await sender.post({
      resourceSpans: [{ resource, scopeSpans: [{ scope, spans: batch, schemaUrl: SCHEMA_URL }] }],
    });
    delayMs = sent === 'later' ? Math.min(delayMs * 2, MAX_DELAY_MS) : config.traceDelayMs;
    if (sent === 'later') queue = [...batch, ...queue].slice(-MAX_QUEUED);
    else if (queue.length >= MAX_BATCH) await send();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      sending = send().finally(() => {
        timer = undefined;
        if (queue.length > 0) schedule();
      });
    }, delayMs).unref();
  };

  return {
    add(spans) {
      queue.push(...spans);
      if (queue.length > MAX_QUEUED) queue = queue.slice(-MAX_QUEUED);
      schedule();
    },
    start(ctx) {
      resource = resourceOf(config, ctx);
      version = ctx.version;
    },
    async stop() {
      clearTimeout(timer);
      await sending;
      await send();
    },
  };
}
