/**
 * What the gateway tells of its work while it does it. `NOTHING` listens to nothing and costs
 * nothing; figures, traces and the access log are listeners. None of them may throw or wait: a call
 * is never slower or worse for being watched.
 */
import type { DialectName } from '../dialects/hub/dialect.ts';
import type { Usage } from '../domain/pricing/usage.ts';

export interface ObservedAttempt {
  readonly channel_id: number;
  /** Status the upstream answered; 0 when there was no answer. */
  readonly status: number;
  /** '' for a good one. */
  readonly code: string;
  readonly duration_ms: number;
}

/** The channel of a call, as the routing view has it. */
export interface ObservedChannel {
  readonly id: number;
  readonly type: number;
  readonly baseUrl: string;
}

/** The record of a call (`relay/call/call-record.ts`), as far as listeners read it. */
export interface ObservedCall {
  readonly incoming: {
    readonly requestId: string;
    readonly endpoint: string;
    readonly dialect?: DialectName;
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly receivedAtMs: number;
    /** The request that opened the Realtime session this call is a response of. */
    readonly sessionId?: string;
    readonly client: { readonly leftAtMs: number | undefined };
  };
  readonly intent: {
    readonly model: string;
    readonly stream: boolean;
    readonly maxTokens: number | undefined;
    readonly body: Readonly<Record<string, unknown>>;
  };
  readonly attempts: readonly ObservedAttempt[];
  readonly channel: ObservedChannel | undefined;
  readonly upstreamModel: string;
  readonly ending: 'answered' | 'upstream_broke' | 'client_left' | 'failed';
  readonly usage: Usage | undefined;
  /** Quota units that it was allowed to cost; undefined where nothing bounded it. */
  readonly allowedUnits?: number | undefined;
  /** Epoch ms; 0 when no content came. */
  readonly firstContentAtMs: number;
  readonly trace: CallTrace | undefined;
  readonly inBackground?: true;
}

/** What is known of a call that was refused before anybody looked for a channel. */
export interface RefusedCall {
  readonly endpoint: string;
  readonly dialect?: string;
}

/** A call that starts a task at an upstream: pictures, music, video. */
export interface ObservedTask {
  readonly incoming: Pick<
    ObservedCall['incoming'],
    'requestId' | 'method' | 'headers' | 'receivedAtMs'
  >;
  readonly attempts: readonly ObservedAttempt[];
  readonly channel: ObservedChannel | undefined;
  readonly plan: { readonly model: string; readonly action: string };
}

/** How a call ended: the outcomes of docs/billing.md. */
export const OUTCOMES = ['answered', 'upstream_broke', 'client_left', 'failed', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The trace of one call; only where the operator traces and the call was drawn. */
export interface CallTrace {
  /** An upstream is about to be asked. */
  asked(channel: ObservedChannel, upstreamModel: string, atMs: number): void;
  /** Headers that let the upstream go on with the trace. */
  headers(): Readonly<Record<string, string>>;
  /** What the upstream said of its answer. */
  said(answer: SaidOfAnswer): void;
}

export interface SaidOfAnswer {
  readonly finishReasons?: readonly string[];
  /** Undefined where it goes by the client's name for it. */
  readonly model?: string | undefined;
}

export interface Observer {
  /** Undefined while nothing is traced. */
  traceOf(call: ObservedCall): CallTrace | undefined;
  /** The attempts of a call that `hasHappened` are over: once per call. */
  attempted(call: ObservedCall): void;
  /** The end of a call that got as far as a channel, after its settlement. `units` of quota were charged. */
  callEnded(call: ObservedCall, units: number, atMs: number): void;
  callRefused(call: RefusedCall): void;
  /** The record of a failed call was not written: there were too many, or the database was away. */
  failedCallDropped(): void;
  taskEnded(task: ObservedTask, isTaken: boolean, units: number): void;
  /** An error was answered; `code` is a row of `domain/errors/errors.ts`. */
  refused(api: Api, code: string): void;
  streamBegan(): void;
  streamEnded(): void;
  /** One group commit of the books. */
  committed(operations: number, tookMs: number, isDone: boolean): void;
  /** A commit was not done by the fast script, for a reason of `store/ledger/settlement-batch.ts`. */
  scriptFailed(reason: string): void;
  jobEnded(job: string, outcome: string, tookMs: number): void;
  /** A request of the management API. `route` is the row's path, not the request's. */
  answered(method: string, route: string, status: number, tookMs: number): void;
}

export type Api = 'model' | 'management';

export const NOTHING: Observer = {
  traceOf: () => undefined,
  attempted() {},
  callEnded() {},
  callRefused() {},
  failedCallDropped() {},
  taskEnded() {},
  refused() {},
  streamBegan() {},
  streamEnded() {},
  committed() {},
  scriptFailed() {},
  jobEnded() {},
  answered() {},
};

/** One that tells them all; the first that traces does so. */
export function together(observers: readonly Observer[]): Observer {
  const [first, ...rest] = observers;
  if (first === undefined) return NOTHING;
  if (rest.length === 0) return first;
  const all = observers;
  return {
    traceOf(call) {
      for (const one of all) {
        const trace = one.traceOf(call);
        if (trace !== undefined) return trace;
      }
      return undefined;
    },
    attempted: (call) => all.forEach((one) => void one.attempted(call)),
    callEnded: (call, units, atMs) => all.forEach((one) => void one.callEnded(call, units, atMs)),
    callRefused: (call) => all.forEach((one) => void one.callRefused(call)),
    failedCallDropped: () => all.forEach((one) => void one.failedCallDropped()),
    taskEnded: (task, isTaken, units) =>
      all.forEach((one) => void one.taskEnded(task, isTaken, units)),
    refused: (api, code) => all.forEach((one) => void one.refused(api, code)),
    streamBegan: () => all.forEach((one) => void one.streamBegan()),
    streamEnded: () => all.forEach((one) => void one.streamEnded()),
    committed: (size, tookMs, isDone) =>
      all.forEach((one) => void one.committed(size, tookMs, isDone)),
    scriptFailed: (reason) => all.forEach((one) => void one.scriptFailed(reason)),
    jobEnded: (job, outcome, tookMs) =>
      all.forEach((one) => void one.jobEnded(job, outcome, tookMs)),
    answered: (method, route, status, tookMs) =>
      all.forEach((one) => void one.answered(method, route, status, tookMs)),
  };
}

/** Whether there is anything to count: an idle session that gives back its reservation is no call. */
export function hasHappened(call: ObservedCall): boolean {
  return call.inBackground === true || outcomeOf(call) !== undefined;
}

/** Undefined: nothing happened that counts, as when an idle session gives back its reservation. */
export function outcomeOf({ ending, attempts, incoming }: ObservedCall): Outcome | undefined {
  if (ending !== 'failed') return ending;
  const last = attempts.at(-1);
  if (last === undefined) return incoming.client.leftAtMs === undefined ? 'refused' : 'client_left';
  return last.code === '' && incoming.endpoint === 'realtime' ? undefined : 'failed';
}
