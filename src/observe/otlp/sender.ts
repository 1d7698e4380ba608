/**
 * Posts to a collector. Data that cannot be sent only occupies a bounded queue; an unreachable
 * collector is logged once, and once more when it is back.
 */
import { request } from 'undici';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import { parsePairs } from './wire.ts';

/** `gone`: retrying would not help. */
export type ExportResult = 'taken' | 'later' | 'gone';

/** Statuses that the specification declares retryable. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Logs once that a collector is unreachable and once that it is back, however often it is used. */
export class CollectorHealth {
  #log: Logger | undefined;
  readonly unreachable = new Set<string>();

  logTo(log: Logger): void {
    this.#log = log;
  }

  failed(address: string, reason: unknown): void {
    if (this.#log === undefined || this.unreachable.has(address)) return;
    this.unreachable.add(address);
    this.#log.warn({ err: reason, collector: address }, 'telemetry cannot be sent');
  }

  reached(address: string): void {
    if (this.unreachable.delete(address))
      this.#log?.info({ collector: address }, 'telemetry is accepted again');
  }
}

export class OtlpExporter {
  readonly #url: string;
  /** Origin and path only, because the rest of a URL may contain a key. */
  readonly loggedUrl: string;
  readonly #host: string;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly health: CollectorHealth;

  constructor(config: Config, url: string, complaints: CollectorHealth) {
    const { origin, pathname } = new URL(url);
    this.#url = url;
    this.loggedUrl = origin + pathname;
    this.#host = origin;
    this.#timeoutMs = config.otlpTimeoutMs;
    this.#headers = {
      ...parsePairs(config.otlpHeaders.open()),
      'content-type': 'application/json',
    };
    this.health = complaints;
  }

  /** Never rejects. */
  async post(payload: object): Promise<ExportResult> {
    try {
      const { statusCode, body } = await request(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify(payload),
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      await body.dump();
      this.health.reached(this.#host);
      if (statusCode >= 200 && statusCode < 300) {
        this.health.reached(this.loggedUrl);
        return 'taken';
      }
      this.health.failed(this.loggedUrl, `status ${statusCode}`);
      return RETRYABLE.has(statusCode) ? 'later' : 'gone';
    } catch (error) {
      this.health.failed(this.#host, error);
      return 'later';
    }
  }
}
