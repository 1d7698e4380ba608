/**
 * Posts to a collector. Data that cannot be sent only occupies a bounded queue; an unreachable
 * collector is logged once, and once more when it is back.
 */
import { request } from 'undici';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import { pairs } from './wire.ts';

/** `gone`: retrying would not help. */
export type Sent = 'taken' | 'later' | 'gone';

/** Statuses that the specification declares retryable. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Logs once that a collector is unreachable and once that it is back, however often it is used. */
export class Complaints {
  #log: Logger | undefined;
  readonly #about = new Set<string>();

  sayTo(log: Logger): void {
    this.#log = log;
  }

  failed(address: string, reason: unknown): void {
    if (this.#log === undefined || this.#about.has(address)) return;
    this.#about.add(address);
    this.#log.warn({ err: reason, collector: address }, 'telemetry cannot be sent');
  }

  reached(address: string): void {
    if (this.#about.delete(address))
      this.#log?.info({ collector: address }, 'telemetry is accepted again');
  }
}

export class Sender {
  readonly #url: string;
  /** Origin and path only, because the rest of a URL may contain a key. */
  readonly #place: string;
  readonly #host: string;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #complaints: Complaints;

  constructor(config: Config, url: string, complaints: Complaints) {
    const { origin, pathname } = new URL(url);
    this.#url = url;
    this.#place = origin + pathname;
    this.#host = origin;
    this.#timeoutMs = config.otlpTimeoutMs;
    this.#headers = { ...pairs(config.otlpHeaders.open()), 'content-type': 'application/json' };
    this.#complaints = complaints;
  }

  /** Never rejects. */
  async post(payload: object): Promise<Sent> {
    try {
      const { statusCode, body } = await request(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify(payload),
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      await body.dump();
      this.#complaints.reached(this.#host);
      if (statusCode >= 200 && statusCode < 300) {
        this.#complaints.reached(this.#place);
        return 'taken';
      }
      this.#complaints.failed(this.#place, `status ${statusCode}`);
      return RETRYABLE.has(statusCode) ? 'later' : 'gone';
    } catch (error) {
      this.#complaints.failed(this.#host, error);
      return 'later';
    }
  }
}
