/**
 * Handles answers that an upstream generates in the background (`background: true`). The call's
 * hold stays open, and the data for its bill is stored in a row of `background_answers`. Whichever
 * process first learns that the answer ended (from its stream, a client's request or the poll)
 * settles the call with that row, once.
 */
import { nowSec } from '../../context.ts';
import { storedIdsOf } from '../../dialects/responses/forward.ts';
import { RESPONSES } from '../../dialects/responses/responses.ts';
import type { Price } from '../../domain/pricing/price.ts';
import { storedPrice } from '../../domain/pricing/ratio-price.ts';
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import { estimatePrompt, estimateTokens } from '../../domain/token-count/token-estimate.ts';
import { isObject, type JsonObject, objectIn, parseJson, textIn } from '../../json/read-json.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { responseIdHash } from '../../services/channels/stored-responses.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import { insertFailedCalls } from '../../store/logs/failed-calls.ts';
import {
  type BackgroundResponseRow,
  insertBackgroundResponse,
} from '../../store/tables/background-answers-table.ts';
import { releasePermits } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { recordOutcomes, type SettlementDeps, settleDetached } from '../billing/settle.ts';
import {
  type AttemptRecord,
  asksForBackground,
  CallRecord,
  isStoredUpstream,
  markBroken,
} from '../call/call-record.ts';
import type { Caller } from '../call/caller.ts';
import { NO_UPLOAD, type Outgoing } from '../call/incoming-call.ts';
import { failedCallRow } from '../failures/failed-call.ts';
import type { Answer, WholeAnswer } from '../pipeline/answer-types.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { deliveredBy } from '../translate/translated-answer.ts';
import { rememberAnswer } from './pinned-channel.ts';

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

/** Marks the call as continuing in the background, if its upstream confirmed that. */
export async function openBackground(
  relay: Relay,
  record: CallRecord,
  answer: Answer,
): Promise<void> {
  if (!asksForBackground(record) || !isStoredUpstream(record)) return;
  const response = begunBy(answer);
  const id = textIn(response, 'id');
  if (response?.background !== true || !isResponseRunning(response) || id === undefined) return;
  const row = {
    request_id: record.incoming.requestId,
    user_id: record.caller.user.id,
    id_hash: responseIdHash(id),
    response_id: id,
    channel_id: record.channel?.id ?? 0,
    key_id: record.keyId,
    facts: JSON.stringify(factsOf(record)),
    created_at: nowSec(relay.ctx),
  };
  await inTransaction(relay.ctx, ({ db }) => insertBackgroundResponse(db, row));
  record.inBackground = true;
}

function begunBy(answer: Answer): JsonObject | undefined {
  if (answer.kind === 'whole') return answer.plain.json;
  if (answer.kind === 'audio') return undefined;
  const [first] = answer.first;
  const frame = first?.kind === 'data' ? parseJson(first.data) : undefined;
  return isObject(frame) ? objectIn(frame, 'response') : undefined;
}

function factsOf(record: CallRecord): Facts {
  const { caller, incoming, intent } = record;
  const { id, name, unlimited } = caller.token;
  const { username, showsAddressInLogs, warnBelow } = caller.user;
  return {
    model: intent.model,
    upstreamModel: record.upstreamModel,
    stream: intent.stream,
    effort: textIn(objectIn(intent.body, 'reasoning'), 'effort'),
    receivedAtMs: incoming.receivedAtMs,
    address: incoming.address,
    group: caller.group,
    user: { username, showsAddressInLogs, warnBelow },
    token: { id, name, unlimited },
    price: record.price,
    groupRatio: record.groupRatio,
    hold: record.hold,
    allowedUnits: record.allowedUnits,
    attempts: record.attempts,
    promptTokens: estimatePrompt(intent.body, 'chat', record.upstreamModel),
  };
}

/** Delivers the upstream's acceptance, and stores where the client can fetch the answer later. */
export async function deliverAccepted(
  relay: Relay,
  record: CallRecord,
  { plain }: WholeAnswer,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  recordOutcomes(relay, record);
  await rememberAnswer(relay, record, storedIdsOf(plain.json));
  await countSuccess();
  await releasePermits(relay, record);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: plain.text };
}

/**
 * Leaves the call to the poll after its stream was cut by either side, because the answer
 * continues.
 */
export async function settleByPoll(
  relay: Relay,
  record: CallRecord,
  ids: readonly string[],
): Promise<void> {
  recordOutcomes(relay, record);
  await rememberAnswer(relay, record, ids);
}

/** The upstream's name of the model in use. */
export function modelOf(row: BackgroundResponseRow): string {
  const facts: Facts = JSON.parse(row.facts);
  return facts.upstreamModel;
}

/** How the answer ended can no longer be determined. */
export interface LostAnswer {
  readonly lost: string;
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
  const record = revived(row, facts, channel);
  if ('lost' in end) markBroken(record, { status: 0, code: 'background_lost', message: end.lost });
  else applyEnd(deps, record, facts, end.response);
  await settleDetached(deps, record);
  if (record.ending === 'failed' && deps.ctx.options().get('FailedCallDays') > 0)
    await insertFailedCalls(deps.ctx.db, [failedCallRow(deps.ctx, record)]);
}

function applyEnd(
  deps: SettlementDeps,
  record: CallRecord,
  facts: Facts,
  response: JsonObject,
): void {
  const context = { id: record.incoming.requestId, createdSec: 0, model: facts.model, tools: [] };
  const answer = RESPONSES.readAnswer(response, context);
  const delivered = deliveredBy(answer);
  const isAnswered = response.status !== 'failed' && response.status !== 'cancelled';
  const reported = answer.usage;
  if (response.status === 'failed') markBroken(record, failureIn(response));
  if (deps.ctx.options().get('LogChatContentEnabled')) record.answerText = delivered.text;
  if (reported === undefined && !isAnswered && delivered.isEmpty) return;
  const broken = response.status === 'cancelled' ? 'client_left' : 'upstream_broke';
  record.ending = isAnswered ? 'answered' : broken;
  record.usage = reported ?? countedHere(facts, delivered.text, delivered.isEmpty);
  record.usageSource = reported === undefined ? 'estimated' : 'upstream';
}

function failureIn(response: JsonObject) {
  const error = objectIn(response, 'error');
  return {
    status: 200,
    code: textIn(error, 'code') ?? 'server_error',
    message: textIn(error, 'message') ?? 'The response failed.',
  };
}

/** An answer without content is free, as everywhere. */
function countedHere(facts: Facts, text: string, isEmpty: boolean): Usage {
  if (isEmpty) return emptyUsage();
  return { ...emptyUsage(), input: facts.promptTokens, output: estimateTokens(text) };
}

/** Restores the record of a call, which another process may have created. */
function revived(
  row: BackgroundResponseRow,
  facts: Facts,
  channel: ChannelEntry | undefined,
): CallRecord {
  const { model, stream, effort, address, receivedAtMs } = facts;
  const body = effort === undefined ? {} : { reasoning_effort: effort };
  const nothing = { sent: {}, source: '', raw: NO_BYTES, wantsUsage: true, maxTokens: undefined };
  const incoming = { ...ASKED, requestId: row.request_id, address, receivedAtMs };
  const intent = { ...nothing, body, model, stream };
  const caller = callerOf(row, facts);
  const record = new CallRecord(incoming, caller, intent);
  record.attempts.push(...facts.attempts);
  record.price = facts.price === undefined ? undefined : storedPrice(facts.price);
  record.groupRatio = facts.groupRatio;
  if (facts.hold !== undefined)
    record.hold = { userId: caller.user.id, tokenId: caller.token.id, ...facts.hold };
  record.allowedUnits = facts.allowedUnits;
  record.channel = channel;
  record.upstreamModel = facts.upstreamModel;
  record.inBackground = true;
  return record;
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
    },
  };
}
