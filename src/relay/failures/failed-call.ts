/** Records calls that ended without an answer (docs/logs.md), without their content. */
import { type Context, nowSec } from '../../context.ts';
import { type AppError, asAppError } from '../../domain/errors/errors.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import type { FailedCallRow } from '../../store/logs/failed-calls.ts';
import type { AttemptRecord } from '../call/attempt-record.ts';
import type { Caller } from '../call/caller.ts';
import { endpointName, type Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft, UpstreamFailure } from './failed-attempt.ts';

/** What is known of the call; less if it was refused early. */
export interface FailedCallFacts {
  readonly incoming: Pick<Incoming, 'requestId' | 'receivedAtMs' | 'dialect'> & {
    readonly endpoint: string;
  };
  readonly caller?: Caller | undefined;
  readonly intent?: { readonly model: string; readonly stream?: boolean } | undefined;
  readonly attempts?: readonly AttemptRecord[];
}

/** What is known so far of a call that is being admitted. */
export type KnownCall = { -readonly [K in keyof FailedCallFacts]: FailedCallFacts[K] };

const MOST_ATTEMPTS = 20;
const MESSAGE_LENGTH = 300;
const NAME_LENGTH = 255;
const PARAMS_LENGTH = 1_000;

/** Runs `work` and records the call, with what is known by then, if it throws. */
export async function recordingFailure<T>(
  relay: Ports<'ctx' | 'failedCalls'>,
  known: KnownCall,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    recordFailedCall(relay, known, error);
    throw error;
  }
}

/** Without `thrown`: the answer started and its last attempt broke off before any content. */
export function recordFailedCall(
  relay: Ports<'ctx' | 'failedCalls'>,
  call: FailedCallFacts,
  thrown?: unknown,
): void {
  relay.failedCalls.add(failedCallRow(relay.ctx, call, thrown));
}

export function failedCallRow(
  ctx: Pick<Context, 'now'>,
  call: FailedCallFacts,
  thrown?: unknown,
): FailedCallRow {
  const { incoming, caller, intent, attempts = [] } = call;
  return {
    request_id: incoming.requestId,
    created_at: nowSec(ctx),
    user_id: caller?.user.id ?? 0,
    token_id: caller?.token.id ?? 0,
    token_name: caller?.token.name ?? '',
    group: caller?.group ?? '',
    model: named(intent?.model ?? ''),
    endpoint: endpointName(incoming),
    is_stream: intent?.stream ?? false,
    duration_ms: Math.max(0, ctx.now() - incoming.receivedAtMs),
    ...(thrown === undefined ? lastAnswer(attempts) : answerTo(thrown)),
    attempts: JSON.stringify(attempts.slice(-MOST_ATTEMPTS).map(stored)),
  };
}

type Answer = Pick<FailedCallRow, 'status' | 'source' | 'code' | 'params'>;

function answerTo(thrown: unknown): Answer {
  if (thrown instanceof ClientLeft)
    return { status: 0, source: 'client', code: 'client_left', params: '' };
  if (thrown instanceof UpstreamFailure) {
    const { status, code, type } = thrown.shown;
    return { status, source: 'upstream', code: named(code ?? type), params: '' };
  }
  const error = asAppError(thrown);
  return { status: error.status, source: 'gateway', code: error.code, params: paramsOf(error) };
}

function lastAnswer(attempts: readonly AttemptRecord[]): Answer {
  const { status = 0, code = '' } = attempts.at(-1) ?? {};
  return { status, source: 'upstream', code: named(code), params: '' };
}

/** Parameters from a client may be of any length; above the limit they are omitted. */
function paramsOf({ params }: AppError): string {
  const text = storableText(JSON.stringify(params));
  return text.length > PARAMS_LENGTH ? '' : text;
}

function stored(attempt: AttemptRecord): AttemptRecord {
  return {
    ...attempt,
    code: named(attempt.code),
    message: storableText(attempt.message).slice(0, MESSAGE_LENGTH),
  };
}

function named(text: string): string {
  return storableText(text).slice(0, NAME_LENGTH);
}
