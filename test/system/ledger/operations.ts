/** Short forms of the operations that the relay submits to the ledger writer. */
import type {
  CloseOperation,
  Entry,
  HoldOperation,
} from '../../../src/store/ledger/ledger-operations.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import type { LocalSite } from '../../support/local-site.ts';

export interface Account {
  readonly userId: number;
  readonly tokenId: number;
}

let made = 0;

/** A request id unique to this test. */
export function aRequestId(): string {
  made += 1;
  return `request-${process.pid}-${made}`;
}

/** Creates a user with that balance and a token; without `tokenQuota` the token is unlimited. */
export async function anAccount(
  site: LocalSite,
  quota: number,
  tokenQuota?: number,
): Promise<Account> {
  const user = await site.aUser({ quota });
  const token = await site.aToken(user, {
    remain_quota: tokenQuota ?? 0,
    unlimited_quota: tokenQuota === undefined,
  });
  return { userId: user.id, tokenId: token.id };
}

export function hold(
  account: Account,
  units: number,
  fields: Partial<HoldOperation> = {},
): HoldOperation {
  return {
    kind: 'hold',
    requestId: aRequestId(),
    ...account,
    userUnits: units,
    tokenUnits: 0,
    node: 'test-node',
    createdAtSec: 1_000,
    lifetimeSec: 3_600,
    ...fields,
  };
}

/** The settlement of a call, of one with a hold if that is given; without `units` it costs nothing. */
export function close(
  call: (Account & { readonly requestId: string }) | HoldOperation,
  units?: number,
  fields: Partial<CloseOperation> = {},
): CloseOperation {
  const { requestId } = call;
  const hold = isHold(call) ? { hold: call } : {};
  const charge = units === undefined ? {} : { charge: aCharge(requestId, call, units) };
  return { kind: 'close', requestId, ...hold, ...charge, logs: [], ...fields };
}

function isHold(call: Account | HoldOperation): call is HoldOperation {
  return 'kind' in call && call.kind === 'hold';
}

export function aCharge(
  requestId: string,
  { userId, tokenId }: Account,
  units: number,
  channelId = 0,
): Entry {
  return {
    key: `call:${requestId}`,
    cause: 'charge',
    userId,
    tokenId,
    channelId,
    userUnits: -units,
    tokenUnits: -units,
    channelUnits: units,
    createdAtSec: 1_000,
  };
}

export function aLog(requestId: string, account: Account, fields: Partial<LogRow> = {}): LogRow {
  return {
    request_id: requestId,
    user_id: account.userId,
    token_id: account.tokenId,
    created_at: 1_000,
    type: 2,
    content: '',
    username: '',
    token_name: '',
    model_name: 'gpt-4o',
    quota: 0,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    use_time_ms: 0,
    first_token_ms: 0,
    is_stream: false,
    channel_id: 0,
    group: 'default',
    client_ip: '',
    usage_source: 'upstream',
    other: '{}',
    ...fields,
  };
}

export interface Balance {
  readonly quota: number;
  readonly held: number;
}

export async function userBalance(site: LocalSite, { userId }: Account): Promise<Balance> {
  const row = await site.ctx.db('users').where({ id: userId }).first('quota', 'held');
  return { quota: Number(row.quota), held: Number(row.held) };
}

export async function tokenBalance(site: LocalSite, { tokenId }: Account): Promise<Balance> {
  const row = await site.ctx.db('tokens').where({ id: tokenId }).first('remain_quota', 'held');
  return { quota: Number(row.remain_quota), held: Number(row.held) };
}
