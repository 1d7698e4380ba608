/** Queries upstreams for the balances of channels. */
import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod/mini';
import type { Service } from '../api/call.ts';
import type { channelBalanceCalls } from '../api/channels/channel-probe.ts';
import { type Context, nowSec } from '../context.ts';
import { AppError } from '../domain/errors/errors.ts';
import { storedError, storedText } from '../locales/event-text.ts';
import { type Balance, balanceRequests, balanceRowsOf, readBalance } from '../providers/balance.ts';
import type { BalanceRow } from '../providers/rows/provider-row.ts';
import { providerOf } from '../providers/rows/provider-rows.ts';
import { providerFor } from '../relay/call/channel-provider.ts';
import { asUpstreamFailure, fetchJson } from '../relay/http/channel-exchange.ts';
import { type ChannelEntry, requireChannelEntry } from '../services/cache/routing-cache.ts';
import { disableChannel } from '../services/channels/channel-health.ts';
import { limitUpstreamQueries } from '../services/channels/upstream-query-limit.ts';
import { type Turn, takeTurn } from '../services/cluster/exclusive-work.ts';
import { inParallel } from '../services/cluster/in-parallel.ts';
import { eventAudience } from '../services/logs/audit.ts';
import { enabledChannels, recordBalance } from '../store/tables/channels-table.ts';

type Calls = Service<typeof channelBalanceCalls, Context>;
export type BalanceResult = z.output<typeof channelBalanceCalls.update.reply>;

const LEASE = 'channel-balances';
const PARALLEL_REQUESTS = 6;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long the response waits; the remaining updates run in the background. */
const RESPONSE_WAIT_MS = 20_000;
const NEVER_ABORTED = new AbortController().signal;

/**
 * @throws AppError channel_missing, balance_unsupported, upstream_status, upstream_failed,
 * upstream_timeout, upstream_garbled.
 */
export const update: Calls['update'] = async (ctx, actor, { id }) => {
  await limitUpstreamQueries(ctx, actor);
  const channel = await requireChannelEntry(ctx, id);
  const balance = await fetchBalance(ctx, channel).catch((error: unknown) => {
    throw asUpstreamFailure(error);
  });
  return { ...resultOf(channel, balance), disabled: false };
};

/** @throws AppError `already_running` while another update of all balances runs. */
export const updateAll: Calls['updateAll'] = async (ctx, actor, _input, visit) => {
  await limitUpstreamQueries(ctx, actor);
  const turn = await takeTurn(ctx, LEASE);
  const results: BalanceResult[] = [];
  const done = new Promise<boolean>((resolve, reject) => {
    const isStarted = ctx.background.run('channel balances', async (stopped) => {
      const work = updateChannels(turn, stopped, (result) => results.push(result));
      await work.then(() => resolve(true), reject);
    });
    if (!isStarted) turn.giveBack().then(() => reject(new AppError('shutting_down')), reject);
  });
  const finished = await Promise.race([done, pause(RESPONSE_WAIT_MS, false, { ref: false })]);
  const reader = eventAudience(ctx, visit.language);
  const worded = results.map((result) => ({
    ...result,
    message: storedText(result.message, reader),
  }));
  return { finished, results: worded };
};

/**
 * Updates all balances and waits for them; used by timers. Ends early when `signal` fires.
 * @throws AppError `already_running`.
 */
export async function updateAllBalances(
  ctx: Context,
  signal: AbortSignal = NEVER_ABORTED,
): Promise<BalanceResult[]> {
  return updateChannels(await takeTurn(ctx, LEASE), signal, () => undefined);
}

function updateChannels(
  turn: Turn,
  stopped: AbortSignal,
  onResult: (result: BalanceResult) => void,
): Promise<BalanceResult[]> {
  return turn.run(async (ctx, lost) => {
    const signal = AbortSignal.any([lost, stopped]);
    const channels: ChannelEntry[] = [];
    for (const { id, type, base_url } of await enabledChannels(ctx.reads))
      if (balanceRowsOf(providerOf(type), base_url).length > 0)
        channels.push(await requireChannelEntry(ctx, id));
    return inParallel(channels, { width: PARALLEL_REQUESTS, signal }, async (channel) => {
      const result = await updateOne(ctx, channel);
      onResult(result);
      return result;
    });
  });
}

/** Never throws for upstream errors. Disables a channel whose account has no balance left. */
async function updateOne(ctx: Context, channel: ChannelEntry): Promise<BalanceResult> {
  try {
    const balance = await fetchBalance(ctx, channel);
    const isUsedUp = balance.amount <= 0 && channel.autoBan;
    const { amount, currency } = balance;
    const reason = { event: 'channel_balance_empty', params: { amount, currency } } as const;
    const disabled = isUsedUp && (await disableChannel(ctx, { channelId: channel.id, reason }));
    return { ...resultOf(channel, balance), disabled };
  } catch (thrown) {
    const error = asUpstreamFailure(thrown);
    ctx.log.debug(
      { err: error.cause ?? error, channelId: channel.id },
      'a balance could not be read',
    );
    return {
      channel_id: channel.id,
      channel_name: channel.name,
      success: false,
      message: storedError(error),
      balance: 0,
      currency: '',
      disabled: false,
    };
  }
}

function resultOf(channel: ChannelEntry, { amount, currency }: Balance) {
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    success: true,
    message: '',
    balance: amount,
    currency,
  };
}

/** Tries the provider's balance requests until one succeeds, and stores the result. */
async function fetchBalance(ctx: Context, channel: ChannelEntry): Promise<Balance> {
  const provider = providerFor(channel);
  const rows = balanceRowsOf(provider, channel.baseUrl);
  if (rows.length === 0) throw new AppError('balance_unsupported', { type: provider.name });
  const balance = await firstBalance(ctx, channel, rows);
  const datedBalance = { ...balance, atSec: nowSec(ctx) };
  await recordBalance(ctx.db, channel.id, datedBalance);
  return balance;
}

async function firstBalance(
  ctx: Context,
  channel: ChannelEntry,
  rows: readonly BalanceRow[],
): Promise<Balance> {
  let missing: unknown;
  for (const row of rows) {
    try {
      return await requestBalance(ctx, channel, row);
    } catch (error) {
      if (!isMissingPage(error)) throw error;
      missing ??= error;
    }
  }
  throw missing;
}

/** The first reply may determine the next request. */
async function requestBalance(
  ctx: Context,
  channel: ChannelEntry,
  row: BalanceRow,
): Promise<Balance> {
  const replies: unknown[] = [];
  for (const question of balanceRequests(row, {
    provider: providerFor(channel),
    baseUrl: channel.baseUrl,
    key: channel.keys[0]?.key ?? '',
    other: channel.other,
  }))
    replies.push(
      await fetchJson(ctx, channel, {
        ...question(replies, ctx.now()),
        timeoutMs: REQUEST_TIMEOUT_MS,
      }),
    );
  return readBalance(row, replies, channel.baseUrl);
}

function isMissingPage(error: unknown): boolean {
  return error instanceof AppError && error.params.status === 404;
}
