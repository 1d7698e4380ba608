/**
 * Handles answers that an upstream generates in the background (`background: true`). The call's
 * hold stays open, and the data for its bill is stored in a row of `background_answers`. Whichever
 * process first learns that the answer ended (from its stream, a client's request or the poll)
 * settles the call with that row, once.
 */
import { nowSec } from '../../../context.ts';
import { storedIdsOf } from '../../../dialects/responses/forward.ts';
import { RESPONSES } from '../../../dialects/responses/responses.ts';
import type { Awaitable } from '../../../domain/awaitable.ts';
import type { GatewayEvent } from '../../../domain/logs/events.ts';
import type { Price } from '../../../domain/pricing/price.ts';
import { storedPrice } from '../../../domain/pricing/ratio-price.ts';
import { emptyUsage, type Usage } from '../../../domain/pricing/usage.ts';
import { estimatePrompt, estimateTokens } from '../../../domain/token-count/token-estimate.ts';
import { isObject, type JsonObject, objectIn, parseJson, textIn } from '../../../json/read-json.ts';
import type { ChannelEntry } from '../../../services/cache/routing-cache.ts';
import { responseIdHash } from '../../../services/channels/stored-responses.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import type { HeldUnits } from '../../../store/ledger/ledger-operations.ts';
import { insertFailedCalls } from '../../../store/logs/failed-calls.ts';
import {
  type BackgroundResponseRow,
  insertBackgroundResponse,
} from '../../../store/tables/background-answers-table.ts';
import type { CountSuccess } from '../../admission/count-success.ts';
import { isPlausibleLater } from '../../billing/plausible-usage.ts';
import { releasePermits } from '../../billing/release-permits.ts';
import { recordOutcomes, type SettlementDeps, settleDetached } from '../../billing/settle.ts';
import { type Admitted, admitted, type Routed } from '../../call/admitted.ts';
import {
  type AttemptRecord,
  type AttemptResult,
  withBrokenLast,
} from '../../call/attempt-record.ts';
import { type Ended, ended, inBackground } from '../../call/call-end.ts';
import { asksForBackground, isStoredUpstream } from '../../call/call-facts.ts';
import { emptyMemo } from '../../call/call-intent.ts';
import type { Caller } from '../../call/caller.ts';
import { NO_UPLOAD, type Outgoing } from '../../call/incoming-call.ts';
import type { Ports } from '../../call/relay-ports.ts';
import { NO_ROUTE } from '../../call/route.ts';
import { failedResponse } from '../../failures/attempt-results.ts';
import { failedCallRow } from '../../failures/failed-call.ts';
import type { Answer, WholeAnswer } from '../../http/answer-types.ts';
import { deliveredBy } from '../../translate/translated-answer.ts';
import type { Continuation } from '../feature.ts';
import { rememberAnswer } from './remember-answer.ts';

const RUNNING: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Whether the upstream is still generating the response. */
export function isResponseRunning(response: JsonObject): boolean {
  return RUNNING.has(response.status);
}

/** The data for the bill and the log of a call after its process is gone. */
interface Facts {
  readonly model: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly effort: string | undefined;
  readonly receivedAtMs: number;
  readonly address: string;
  readonly group: string;
  readonly user: Pick<Caller['user'], 'username' | 'showsAddressInLogs' | 'warnBelow'>;
  readonly token: Pick<Caller['token'], 'id' | 'name' | 'unlimited'>;
  readonly price: Price | undefined;
  readonly groupRatio: number;
  readonly hold: Pick<HeldUnits, 'userUnits' | 'tokenUnits'> | undefined;
  readonly allowedUnits?: number | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly promptTokens: number;
}

/** Defined if the answer continues in the background, which its upstream has to confirm. */
export function openBackground(
  relay: Ports<'ctx'>,
  call: Routed,
  answer: Answer,
): Awaitable<Continuation | undefined> {
  if (!asksForBackground(call) || !isStoredUpstream(call)) return undefined;
  const response = begunBy(answer);
  const id = textIn(response, 'id');
  if (response?.background !== true || !isResponseRunning(response) || id === undefined)
    return undefined;
  return storeFacts(relay, call, id).then(() => ({
    accept: (services, whole, countSuccess) => accept(services, call, whole, countSuccess),
    leave: (services, end, { keptIds = [] }) => leaveToPoll(services, inBackground(end), keptIds),
  }));
}

async function storeFacts(relay: Ports<'ctx'>, call: Routed, id: string): Promise<void> {
  const row = {
    request_id: call.incoming.requestId,
    user_id: call.caller.user.id,
    id_hash: responseIdHash(id),
    response_id: id,
    channel_id: call.route.channel.id,
    key_id: call.route.keyId,
    facts: JSON.stringify(factsOf(call)),
    created_at: nowSec(relay.ctx),
  };
  await inTransaction(relay.ctx, ({ db }) => insertBackgroundResponse(db, row));
}

function begunBy(answer: Answer): JsonObject | undefined {
  if (answer.kind === 'whole') return answer.plain.json;
  if (answer.kind === 'audio') return undefined;
  const [first] = answer.first;
  const frame = first?.kind === 'data' ? parseJson(first.data) : undefined;
  return isObject(frame) ? objectIn(frame, 'response') : undefined;
}

function factsOf(call: Routed): Facts {
  const { caller, incoming, intent } = call;
  const { id, name, unlimited } = caller.token;
  const { username, showsAddressInLogs, warnBelow } = caller.user;
  return {
    model: intent.model,
    upstreamModel: call.route.upstreamModel,
    stream: intent.stream,
    effort: textIn(objectIn(intent.body, 'reasoning'), 'effort'),
    receivedAtMs: incoming.receivedAtMs,
    address: incoming.address,
    group: caller.group,
    user: { username, showsAddressInLogs, warnBelow },
    token: { id, name, unlimited },
    price: call.route.price,
    groupRatio: call.route.groupRatio,
    hold: call.reservation.hold,
    allowedUnits: call.reservation.allowedUnits,
    attempts: call.attempts,
    promptTokens: estimatePrompt(intent.body, 'chat', call.route.upstreamModel),
  };
}

/** Delivers the upstream's acceptance, and stores where the client can fetch the answer later. */
async function accept(
  relay: Ports<'ctx' | 'outcomes' | 'permits'>,
  call: Routed,
  { plain }: WholeAnswer,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  const accepted = inBackground(ended(call, { ending: 'failed' }));
  await leaveToPoll(relay, accepted, storedIdsOf(plain.json));
  await countSuccess();
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: plain.text };
}

/**
 * Leaves the call to the poll after its stream was cut by either side, because the answer
 * continues.
 */
async function leaveToPoll(
  relay: Ports<'ctx' | 'outcomes' | 'permits'>,
  end: Ended,
  ids: readonly string[],
): Promise<void> {
  recordOutcomes(relay, end);
  await rememberAnswer(relay, end.call, { ids });
  await releasePermits(relay, end);
}

/** The upstream's name of the model in use. */
export function modelOf(row: BackgroundResponseRow): string {
  const facts: Facts = JSON.parse(row.facts);
  return facts.upstreamModel;
}

/** How the answer ended can no longer be determined. */
export interface LostAnswer {
  readonly lost: GatewayEvent;
}

/** Settles the call by how its answer ended, at most once even if several processes try. */
export async function finishBackground(
  deps: SettlementDeps,
  row: BackgroundResponseRow,
  channel: ChannelEntry | undefined,
  end: { readonly response: JsonObject } | LostAnswer,
): Promise<void> {
  // Written by `openBackground`.
  const facts: Facts = JSON.parse(row.facts);
  const call = revived(row, facts, channel);
  const answered = inBackground(
    'lost' in end
      ? failed(call, { status: 0, code: 'background_lost', message: '', reason: end.lost })
      : endedBy(deps, call, facts, end.response),
  );
  await settleDetached(deps, answered);
  if (answered.ending === 'failed' && deps.ctx.options().get('FailedCallDays') > 0)
    await insertFailedCalls(deps.ctx.db, [failedCallRow(deps.ctx, answered.call)]);
}

function failed(call: Admitted, failure: AttemptResult): Ended {
  const attempts = withBrokenLast(call.attempts, failure);
  return ended({ ...call, attempts }, { ending: 'failed' });
}

function endedBy(deps: SettlementDeps, call: Admitted, facts: Facts, response: JsonObject): Ended {
  const context = { id: call.incoming.requestId, createdSec: 0, model: facts.model, tools: [] };
  const answer = RESPONSES.readAnswer(response, context);
  const delivered = deliveredBy(answer);
  const isAnswered = response.status !== 'failed' && response.status !== 'cancelled';
  const told = answer.usage;
  const isBelieved = told === undefined || isPlausibleLater(told, facts.promptTokens);
  const reported = isBelieved ? told : undefined;
  const answerText = deps.ctx.options().get('LogChatContentEnabled') ? delivered.text : '';
  const attempts =
    response.status === 'failed'
      ? withBrokenLast(call.attempts, failedResponse(objectIn(response, 'error')))
      : call.attempts;
  const over = { ...call, attempts };
  if (reported === undefined && !isAnswered && delivered.isEmpty)
    return ended(over, { ending: 'failed', answerText });
  const broken = response.status === 'cancelled' ? 'client_left' : 'upstream_broke';
  return ended(over, {
    ending: isAnswered ? 'answered' : broken,
    answerText,
    usage: reported ?? countedHere(facts, delivered.text, delivered.isEmpty),
    usageSource: reported === undefined ? 'estimated' : 'upstream',
    ...(isBelieved ? {} : { disbelieved: told }),
  });
}

/** An answer without content is free, as everywhere. */
function countedHere(facts: Facts, text: string, isEmpty: boolean): Usage {
  if (isEmpty) return emptyUsage();
  return { ...emptyUsage(), input: facts.promptTokens, output: estimateTokens(text) };
}

/** Restores a call, which another process may have made. */
function revived(
  row: BackgroundResponseRow,
  facts: Facts,
  channel: ChannelEntry | undefined,
): Admitted {
  const { model, stream, effort, address, receivedAtMs, price, hold, allowedUnits } = facts;
  const body = effort === undefined ? {} : { reasoning_effort: effort };
  const nothing = { sent: {}, source: '', raw: NO_BYTES, wantsUsage: true, maxTokens: undefined };
  const caller = callerOf(row, facts);
  const held = hold && { userId: caller.user.id, tokenId: caller.token.id, ...hold };
  return admitted({
    incoming: { ...ASKED, requestId: row.request_id, address, receivedAtMs },
    caller,
    intent: { ...nothing, memo: emptyMemo(), body, model, stream },
    attempts: facts.attempts,
    reservation: { hold: held, trusted: undefined, allowedUnits },
    route: {
      ...NO_ROUTE,
      channel,
      upstreamModel: facts.upstreamModel,
      price: price && storedPrice(price),
      groupRatio: facts.groupRatio,
    },
  });
}

const NO_BYTES = Buffer.alloc(0);

const ASKED = {
  endpoint: 'chat',
  dialect: 'responses',
  method: 'POST',
  path: '/v1/responses',
  query: {},
  headers: {},
  upload: NO_UPLOAD,
  client: { leftAtMs: undefined, onLeave: () => undefined },
} as const;

/** The fields of a caller that settlement needs; the others are not used. */
function callerOf(row: BackgroundResponseRow, { user, token, group }: Facts): Caller {
  const caps = { calls: 0, tokens: 0 };
  const unused = { status: 1, rate: undefined, caps, models: undefined, allowed: [] };
  return {
    group,
    pinned: '',
    token: {
      ...unused,
      ...token,
      userId: row.user_id,
      group,
      expiredTimeSec: -1,
      isWholeKey: false,
      remainView: 0,
      usedViewSec: 0,
    },
    user: {
      ...user,
      warnBelow: user.warnBelow ?? undefined,
      id: row.user_id,
      status: 1,
      role: 1,
      group,
      isDeleted: false,
      acceptsUnsetPrice: false,
      caps,
      freeView: 0,
      short: undefined,
    },
  };
}
