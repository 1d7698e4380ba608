/** Answers an admitted call: finds a channel that answers, delivers the answer and settles it. */
import type { Awaitable } from '../../domain/awaitable.ts';
import { tightestTokenCap } from '../admission/caps.ts';
import { standingHeaders } from '../admission/limit-headers.ts';
import type { Admission } from '../admission/rate-limits.ts';
import { budgetHeaders, downgraded } from '../billing/counted-budgets.ts';
import { dropPermits } from '../billing/release-permits.ts';
import { settle, settleWithin } from '../billing/settle.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import { ended } from '../call/call-end.ts';
import type { Outgoing } from '../call/incoming-call.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { recordFailedCall } from '../failures/failed-call.ts';
import type { Continuation } from '../features/feature.ts';
import type { Answer } from '../http/answer-types.ts';
import { deliverStream, deliverWhole } from './deliver.ts';
import { deliverAudio } from './deliver-audio.ts';
import { firstGoodAttempt, type RetryOutcome } from './retry-loop.ts';
import { attempt } from './send.ts';

/** What the gateway set because of the balance: the output token limit, and uses of tools. */
const CAP_HEADER = 'x-gateway-max-tokens';
const USES_HEADER = 'x-gateway-max-tool-uses';
/** The model that answers because a budget is full. */
const DOWNGRADE_HEADER = 'x-gateway-downgraded-model';

/** The model that answers instead may have a full budget too. */
const MAX_DOWNGRADES = 3;

/**
 * Shutdown waits for the call, including a stream that it returns.
 * @throws AppError, UpstreamFailure, ClientLeft: the call is settled and recorded as failed.
 */
export function answerCall(relay: Relay, call: Admitted, admission: Admission): Promise<Outgoing> {
  return relay.inFlight.track(answerAndSettle(relay, call, admission));
}

async function answerAndSettle(
  relay: Relay,
  admitted: Admitted,
  admission: Admission,
): Promise<Outgoing> {
  const outcome = await answerOf(relay, admitted);
  if (!('answer' in outcome)) return fail(relay, outcome.call, outcome.error);
  const { call, answer } = outcome;
  let continuation: Continuation | undefined;
  try {
    // For a stream only the start is known to be good; its end reports to the breaker
    // (`deliver.ts`).
    if (answer.kind === 'whole') relay.breakers.succeeded(call.route.channel.id, call.intent.model);
    continuation = await continuationOf(relay, call, answer);
  } catch (error) {
    return fail(relay, call, error);
  }
  try {
    const outgoing = await deliver(relay, { call, answer, admission, continuation });
    return withNotices(relay, call, admission, outgoing);
  } catch (error) {
    recordFailedCall(relay, call, error);
    await dropPermits(relay, call);
    throw error;
  }
}

/** Of a cheaper model where a full budget names one. */
async function answerOf(relay: Relay, admitted: Admitted): Promise<RetryOutcome<Answer>> {
  let call = admitted;
  for (let changes = 0; ; changes += 1) {
    const outcome = await firstGoodAttempt(relay, call, (routed, choice) =>
      attempt(relay, routed, choice),
    );
    if ('answer' in outcome) return outcome;
    const cheaper = downgraded(outcome.call, outcome.error);
    if (cheaper === undefined || changes === MAX_DOWNGRADES) return outcome;
    call = cheaper;
  }
}

/** Defined if the upstream continues the answer without a connection. */
function continuationOf(
  relay: Ports<'ctx' | 'features'>,
  call: Routed,
  answer: Answer,
): Awaitable<Continuation | undefined> {
  for (const onAnswer of relay.features.ofClient(call.incoming).onAnswer) {
    const continuation = onAnswer(relay, call, answer);
    if (continuation !== undefined) return continuation;
  }
}

async function fail(relay: Relay, call: Admitted, error: unknown): Promise<never> {
  await settleWithin(relay, settle(relay, ended(call, { ending: 'failed' })));
  recordFailedCall(relay, call, error);
  throw error;
}

interface Delivery {
  readonly call: Routed;
  readonly answer: Answer;
  readonly admission: Admission;
  readonly continuation: Continuation | undefined;
}

function deliver(
  relay: Relay,
  { call, answer, admission: { countSuccess }, continuation }: Delivery,
): Outgoing | Promise<Outgoing> {
  if (answer.kind === 'stream')
    return deliverStream(relay, call, answer, { countSuccess, continuation });
  if (answer.kind === 'audio') return deliverAudio(relay, call, answer, countSuccess);
  return continuation === undefined
    ? deliverWhole(relay, call, answer, countSuccess)
    : continuation.accept(relay, answer, countSuccess);
}

/** Tells the client the state of its limits, and a limit that the gateway set. */
function withNotices(
  relay: Ports<'budgets' | 'credit' | 'ctx'>,
  { incoming, intent, callerPermit, cappedAt, cappedUses, downgradedFrom, reservation }: Admitted,
  { requests }: Admission,
  outgoing: Outgoing,
): Outgoing {
  const tokens = callerPermit && tightestTokenCap(callerPermit);
  const budget = budgetHeaders(relay, reservation);
  const isChanged =
    cappedAt !== undefined || cappedUses !== undefined || downgradedFrom !== undefined;
  const isLimited = requests !== undefined || tokens !== undefined || budget !== undefined;
  if (!isLimited && !isChanged) return outgoing;
  const notice = standingHeaders(incoming, [requests, tokens], relay.ctx.now());
  const headers = { ...notice, ...budget, ...outgoing.headers };
  if (downgradedFrom !== undefined) headers[DOWNGRADE_HEADER] = intent.model;
  if (cappedAt !== undefined) headers[CAP_HEADER] = String(cappedAt);
  if (cappedUses !== undefined) headers[USES_HEADER] = String(cappedUses);
  return { ...outgoing, headers };
}
