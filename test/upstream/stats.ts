/**
 * Statistics of this upstream, exact even with aborts: every received call is open or has ended in
 * one of four ways, so `calls = openCalls + servedInFull + refused + brokenByPlan + aborted` at any
 * time.
 */
import type { Answer } from './answers/answer.ts';
import type { Departure } from './answers/deliver-answer.ts';
import type { Usage } from './content/usage.ts';
import { ENDPOINT_NAMES, type Endpoint } from './route.ts';

/** Sums over responses served in full with usage. */
export interface Reported {
  readonly answers: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface Stats {
  /** Calls whose body was received. */
  readonly calls: number;
  readonly byEndpoint: Readonly<Record<Endpoint, number>>;
  /** Successful responses whose last byte was handed to the operating system. */
  readonly servedInFull: number;
  /** Error responses written in full. */
  readonly refused: number;
  /** Responses broken as planned. */
  readonly brokenByPlan: number;
  /** Calls whose client left before the last byte. */
  readonly aborted: number;
  readonly reported: Reported;
  /** By the client's `x-request-id` or `x-client-request-id`; the last 100,000. */
  readonly reportedByRequest: ReadonlyMap<string, Reported>;
  readonly openConnections: number;
  readonly openCalls: number;
  readonly openStreams: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const REQUEST_LIMIT = 100_000;
const NOTHING: Reported = { answers: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function plus(sum: Reported, usage: Usage): Reported {
  return {
    answers: sum.answers + 1,
    prompt_tokens: sum.prompt_tokens + usage.prompt_tokens,
    completion_tokens: sum.completion_tokens + (usage.completion_tokens ?? 0),
    total_tokens: sum.total_tokens + usage.total_tokens,
  };
}

function zeroes() {
  const names = ENDPOINT_NAMES.map((name) => [name, 0]);
  return {
    calls: 0,
    byEndpoint: Object.fromEntries(names) as Record<Endpoint, number>, // all of them
    servedInFull: 0,
    refused: 0,
    brokenByPlan: 0,
    aborted: 0,
    reported: NOTHING,
  };
}

/** Counts calls. The `stats` object always stays the same, so that a test may keep it. */
export class Counter {
  readonly #byRequest = new Map<string, Reported>();
  readonly #byEndpoint: Record<Endpoint, number>;
  readonly #stats: Mutable<Stats>;
  /** Calls from before the last reset are not counted when they end. */
  #era = 0;
  readonly #watchers = new Set<() => void>();

  constructor() {
    const start = zeroes();
    this.#byEndpoint = start.byEndpoint;
    this.#stats = {
      ...start,
      reportedByRequest: this.#byRequest,
      openConnections: 0,
      openCalls: 0,
      openStreams: 0,
    };
  }

  get stats(): Stats {
    return this.#stats;
  }

  connected(change: 1 | -1): void {
    this.#stats.openConnections += change;
    this.#changed();
  }

  /** Counts a started call; the returned function counts its end, once. */
  began(
    endpoint: Endpoint,
    answer: Answer,
    requestId: string | undefined,
  ): (how: Departure) => void {
    const stats = this.#stats;
    const era = this.#era;
    stats.calls += 1;
    this.#byEndpoint[endpoint] += 1;
    stats.openCalls += 1;
    if (answer.streamed) stats.openStreams += 1;
    this.#changed();
    return (how) => {
      if (era === this.#era) this.#ended(answer, how, requestId);
    };
  }

  #ended(answer: Answer, how: Departure, requestId: string | undefined): void {
    const stats = this.#stats;
    stats.openCalls -= 1;
    if (answer.streamed) stats.openStreams -= 1;
    const outcome = how === 'flushed' ? answer.outcome : how === 'cut' ? 'brokenByPlan' : 'aborted';
    stats[outcome] += 1;
    if (outcome === 'servedInFull' && answer.usage) this.#report(answer.usage, requestId);
    this.#changed();
  }

  #report(usage: Usage, requestId: string | undefined): void {
    this.#stats.reported = plus(this.#stats.reported, usage);
    if (requestId === undefined) return;
    this.#byRequest.set(requestId, plus(this.#byRequest.get(requestId) ?? NOTHING, usage));
    if (this.#byRequest.size <= REQUEST_LIMIT) return;
    const oldest = this.#byRequest.keys().next();
    if (!oldest.done) this.#byRequest.delete(oldest.value);
  }

  /** Resets all counts except connections, which remain open. */
  reset(): void {
    this.#era += 1;
    const { byEndpoint, ...counts } = zeroes();
    Object.assign(this.#byEndpoint, byEndpoint);
    Object.assign(this.#stats, counts, { openCalls: 0, openStreams: 0 });
    this.#byRequest.clear();
    this.#changed();
  }

  /** Resolves as soon as `isTrue` accepts the counts, at once if it already does. */
  until(isTrue: (stats: Stats) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isTrue(this.#stats)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  #changed(): void {
    for (const look of this.#watchers) look();
  }
}
