/** Creates a temporary API token for one command, with a budget, an expiry and a final bill. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BudgetPeriod } from '../../../domain/budgets/budget.ts';
import { ROLES } from '../../../domain/roles.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { findUser } from '../../lookup/find-by-name.ts';
import { liveAddress } from '../../servers/server-address.ts';

export interface TemporaryTokenRequest {
  /** The token's name; a random suffix distinguishes concurrent ones. */
  readonly purpose: string;
  /** `--usd` or `--quota`. */
  readonly budget: Parameters<Cli['values']['units']>[0];
  /** The budget is of each such period; undefined if it is all there is. */
  readonly per?: BudgetPeriod | undefined;
  readonly lastsMs: number;
  readonly group: string | undefined;
  /** The owner: by default the caller, or on this machine the first super admin. */
  readonly user: string | undefined;
}

/** Where the token is used. */
export interface TokenTarget {
  readonly url: string;
  readonly key: string;
}

export interface Bill {
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly quota: number;
}

/** Names are limited to 30 characters: the longest purpose, a dash and this suffix. */
const SUFFIX_BYTES = 4;

/**
 * Creates the token, passes it to `work`, and deletes it however `work` ends. With `--dry-run`, only
 * prints the planned token. @throws AppError `server_unreachable`.
 */
export async function withTemporaryToken<T>(
  cli: Cli,
  { purpose, budget, per, lastsMs, group, user }: TemporaryTokenRequest,
  work: (target: TokenTarget) => Promise<T>,
): Promise<{ readonly answer: T; readonly bill: Bill } | undefined> {
  const { api, quotaPerUnit } = await cli.session();
  const units = cli.values.units(budget, quotaPerUnit) ?? 0;
  if (cli.globals.dryRun) {
    const own = per === undefined ? { remain_quota: units } : { limit_amount: units, period: per };
    cli.showPlan({ action: 'create', noun: 'token', name: purpose }, { ...own, group, user });
    return undefined;
  }
  const url = await liveAddress(cli);
  const startedSec = Math.floor(Date.now() / 1000);
  const name = `${purpose}-${randomBytes(SUFFIX_BYTES).toString('hex')}`;
  const token = await api.token.create({
    name,
    user: await ownerOf(cli, api, user),
    ...(per === undefined ? { remain_quota: units } : { unlimited_quota: true }),
    expired_time: startedSec + Math.ceil(lastsMs / 1000),
    ...(group !== undefined && { group }),
  });
  try {
    if (per !== undefined) {
      const subject = { subject: 'token', subject_id: token.id } as const;
      await api.budget.create({ ...subject, limit_amount: units, period: per });
    }
    const answer = await work({ url, key: token.key });
    const last = await cleanupApi(cli, api);
    await settled(last, token.id);
    return { answer, bill: await readBill(cli, last, name, startedSec) };
  } finally {
    await (await cleanupApi(cli, api)).token.remove({ id: token.id });
  }
}

const CLEANUP_TIMEOUT_MS = 10_000;

/** A signal aborts the session's requests, so the final ones need a client with its own signal. */
async function cleanupApi(cli: Cli, api: LocalApi): Promise<LocalApi> {
  const server = await cli.server();
  if (server === undefined || !cli.io.signal.aborted) return api;
  const [{ httpSend }, { remoteApi }] = await Promise.all([
    import('../../../session/http.ts'),
    import('../../../session/remote-session.ts'),
  ]);
  const signal = AbortSignal.timeout(CLEANUP_TIMEOUT_MS);
  return remoteApi(httpSend(server, { ...cli.http(), signal }));
}

/** Owner of a new token: the named user, else the caller, else locally the first super admin. */
export async function ownerOf(
  cli: Cli,
  api: LocalApi,
  user: string | undefined,
): Promise<number | undefined> {
  if (user !== undefined) return (await findUser(cli, user)).id;
  if ((await cli.server()) !== undefined) return undefined;
  return (await firstSuperAdmin(cli, api)).id;
}

/** On a new site this is the only account. @throws an error about `--user` when there is none. */
async function firstSuperAdmin(cli: Cli, api: LocalApi): Promise<{ readonly id: number }> {
  const { items } = await api.user.list({ role: ROLES.super_admin, status: 1, page_size: 100 });
  const oldest = items.reduce((id, user) => Math.min(id, user.id), Number.POSITIVE_INFINITY);
  if (!Number.isFinite(oldest)) throw cli.values.refuse('--user', 'no_owner');
  return { id: oldest };
}

const MAX_POLLS = 40;
const POLL_INTERVAL_MS = 50;

/** Waits until the last call is settled. */
async function settled(api: LocalApi, id: number): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    if ((await api.token.get({ id })).held === 0) return;
    await pause(POLL_INTERVAL_MS);
  }
}

async function readBill(cli: Cli, api: LocalApi, name: string, sinceSec: number): Promise<Bill> {
  const filters = { token_name: name, start_timestamp: sinceSec };
  const isHere = (await cli.server()) === undefined;
  const sums = await (isHere ? api.log.stat(filters) : api.log.statOwn(filters));
  return {
    calls: sums.count,
    input_tokens: sums.token_input,
    output_tokens: sums.token_output,
    quota: sums.quota,
  };
}
