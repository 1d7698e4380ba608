/**
 * Observer interface through which the gateway reports its work as it happens. `NO_OP_OBSERVER` is a
 * no-op; metrics, traces and the access log are observers. An observer must not throw or block:
 * observing a call must never slow it down or break it.
 */
import type { DialectName } from '../dialects/hub/dialect.ts';
import type { Usage } from '../domain/pricing/usage.ts';

export interface ObservedAttempt {
  readonly channel_id: number;
  /** HTTP status of the upstream; 0 when there was no response. */
  readonly status: number;
  /** Error code; '' on success. */
  readonly code: string;
  readonly duration_ms: number;
}

/** The channel of a call, as in the routing cache. */
export interface ObservedChannel {
  readonly id: number;
  readonly type: number;
  readonly baseUrl: string;
}

/** The part of a call (`relay/call/admitted.ts`) that observers read. */
export interface ObservedCall {
  readonly incoming: {
    readonly requestId: string;
    readonly endpoint: string;
    readonly dialect?: DialectName;
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly receivedAtMs: number;
    /** The request that opened the Realtime session to which this response belongs. */
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
  /** Of the last attempt. */
  readonly route: {
    readonly channel: ObservedChannel | undefined;
    readonly upstreamModel: string;
  };
  /** The maximum cost in quota units; undefined when unlimited. */
  readonly reservation: { readonly allowedUnits: number | undefined };
  readonly trace: CallTrace | undefined;
}

/** The part of the end of a call that observers read. */
export interface ObservedEnd {
  readonly call: ObservedCall;
  readonly ending: 'answered' | 'upstream_broke' | 'client_left' | 'failed';
  readonly usage: Usage | undefined;
  /** Epoch ms; 0 when no content arrived. */
  readonly firstContentAtMs: number;
  readonly inBackground: boolean;
}

/** Facts about a call that was refused before a channel was chosen. */
export interface RefusedCall {
  readonly endpoint: string;
  readonly dialect?: string;
}

/** A call that starts an upstream task: images, music, video. */
export interface ObservedTask {
  readonly incoming: Pick<
    ObservedCall['incoming'],
    'requestId' | 'method' | 'headers' | 'receivedAtMs'
  >;
  readonly attempts: readonly ObservedAttempt[];
  readonly channel: ObservedChannel | undefined;
  readonly plan: { readonly model: string; readonly action: string };
}

/** The outcomes of a call, as in docs/billing.md. */
export const CALL_OUTCOMES = [
  'answered',
  'upstream_broke',
  'client_left',
  'failed',
  'refused',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** The trace of one call; exists only when tracing is enabled and the call was sampled. */
export interface CallTrace {
  /** A request to an upstream is about to start. */
  startAttempt(channel: ObservedChannel, upstreamModel: string, atMs: number): void;
  /** Headers that propagate the trace to the upstream. */
  propagationHeaders(): Readonly<Record<string, string>>;
  /** Details from the upstream's response. */
  recordResponse(answer: ResponseDetails): void;
}

export interface ResponseDetails {
  readonly finishReasons?: readonly string[];
  /** Undefined when it equals the client's name for the model. */
  readonly model?: string | undefined;
}

export interface Observer {
  /** Undefined when the call is not traced. */
  traceOf(call: Pick<ObservedCall, 'incoming'>): CallTrace | undefined;
  /** All attempts of a call for which `hasOutcome` holds are over: once per call. */
  attemptsEnded(end: ObservedEnd): void;
  /** A call that reached a channel has ended and been settled. `units` of quota were charged. */
  callEnded(end: ObservedEnd, units: number, atMs: number): void;
  callRefused(call: RefusedCall): void;
  /** The log entry of a failed call was dropped: there were too many, or the database was down. */
  failedCallDropped(): void;
  taskEnded(task: ObservedTask, isAccepted: boolean, units: number): void;
  /** An error was returned; `code` is a row of `domain/errors/errors.ts`. */
  errorReturned(api: ObservedApi, code: string): void;
  streamStarted(): void;
  streamEnded(): void;
  /** One group commit of the ledger. */
  commitEnded(operations: number, tookMs: number, isDone: boolean): void;
  /** A commit could not use the fast script; see `store/ledger/settlement-batch.ts`. */
  batchFellBack(reason: string): void;
  jobEnded(job: string, outcome: string, tookMs: number): void;
  /** A request of the management API. `route` is the route's pattern, not the requested path. */
  managementRequestEnded(method: string, route: string, status: number, tookMs: number): void;
}

export type ObservedApi = 'model' | 'management';

export const NO_OP_OBSERVER: Observer = {
  traceOf: () => undefined,
  attemptsEnded() {},
  callEnded() {},
  callRefused() {},
  failedCallDropped() {},
  taskEnded() {},
  errorReturned() {},
  streamStarted() {},
  streamEnded() {},
  commitEnded() {},
  batchFellBack() {},
  jobEnded() {},
  managementRequestEnded() {},
};

/** Combines observers; the first one that traces provides the trace. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const [first, ...rest] = observers;
  if (first === undefined) return NO_OP_OBSERVER;
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
    attemptsEnded: (end) => all.forEach((one) => void one.attemptsEnded(end)),
    callEnded: (end, units, atMs) => all.forEach((one) => void one.callEnded(end, units, atMs)),
    callRefused: (call) => all.forEach((one) => void one.callRefused(call)),
    failedCallDropped: () => all.forEach((one) => void one.failedCallDropped()),
    taskEnded: (task, isAccepted, units) =>
      all.forEach((one) => void one.taskEnded(task, isAccepted, units)),
    errorReturned: (api, code) => all.forEach((one) => void one.errorReturned(api, code)),
    streamStarted: () => all.forEach((one) => void one.streamStarted()),
    streamEnded: () => all.forEach((one) => void one.streamEnded()),
    commitEnded: (size, tookMs, isDone) =>
      all.forEach((one) => void one.commitEnded(size, tookMs, isDone)),
    batchFellBack: (reason) => all.forEach((one) => void one.batchFellBack(reason)),
    jobEnded: (job, outcome, tookMs) =>
      all.forEach((one) => void one.jobEnded(job, outcome, tookMs)),
    managementRequestEnded: (method, route, status, tookMs) =>
      all.forEach((one) => void one.managementRequestEnded(method, route, status, tookMs)),
  };
}

/** False when there is nothing to count, as when an idle session returns its hold. */
export function hasOutcome(end: ObservedEnd): boolean {
  return end.inBackground || callOutcomeOf(end) !== undefined;
}

/** Undefined when there is nothing to count, as when an idle session returns its hold. */
export function callOutcomeOf({
  ending,
  call: { attempts, incoming },
}: ObservedEnd): CallOutcome | undefined {
  if (ending !== 'failed') return ending;
  const last = attempts.at(-1);
  if (last === undefined) return incoming.client.leftAtMs === undefined ? 'refused' : 'client_left';
  return last.code === '' && incoming.endpoint === 'realtime' ? undefined : 'failed';
}
