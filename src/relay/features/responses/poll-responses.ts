/** Polls the upstreams for background answers that their clients have not fetched. */

import type { Context } from '../../../context.ts';
import { nowSec } from '../../../context.ts';
import { isObject, parseJson } from '../../../json/read-json.ts';
import { priceTables } from '../../../services/cache/effective-prices.ts';
import { inParallel } from '../../../services/cluster/in-parallel.ts';
import { LeaseLost } from '../../../services/cluster/lease-work.ts';
import { HOLD_LIFETIME_SEC } from '../../../store/ledger/ledger-operations.ts';
import {
  type BackgroundResponseRow,
  pageOfBackgroundResponses,
} from '../../../store/tables/background-answers-table.ts';
import type { SettlementDeps } from '../../billing/settle.ts';
import { type Reply, sendRequest } from '../../http/channel-exchange.ts';
import { type RecordedChannel, recordedChannel } from '../../routing/recorded-channel.ts';
import { finishBackground, isResponseRunning, modelOf } from './background-responses.ts';
import { storedResponseRequest } from './remember-response.ts';

const PAGE = 500;
const WIDTH = 4;
const TIMEOUT_MS = 15_000;
/** An upstream may take a moment until it finds a response that just started. */
const BEGINNING_SEC = 60;

/** Stops early, by throwing, when `signal` fires. */
export async function pollBackground(ctx: Context, signal: AbortSignal): Promise<void> {
  const deps = { ctx, prices: () => priceTables(ctx.options()) };
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const rows = await pageOfBackgroundResponses(ctx.reads, { after, limit: PAGE });
    await inParallel(rows, { width: WIDTH, signal }, async (row) => {
      try {
        await follow(deps, row);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        const facts = { err: error, channelId: row.channel_id, request_id: row.request_id };
        ctx.log.error(facts, 'a background response could not be polled');
      }
    });
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.request_id ?? after;
  }
  signal.throwIfAborted();
}

async function follow(deps: SettlementDeps, row: BackgroundResponseRow): Promise<void> {
  const { ctx } = deps;
  const ageSec = nowSec(ctx) - row.created_at;
  const target = await recordedChannel(ctx, { channelId: row.channel_id, keyId: row.key_id });
  if (target === undefined) return finishBackground(deps, row, undefined, { lost: NO_CHANNEL });
  const reply = await replyOf(ctx, target, row);
  const response = reply?.status === 200 ? parseJson(reply.text) : undefined;
  if (isObject(response) && response.object === 'response' && !isResponseRunning(response))
    return finishBackground(deps, row, target.channel, { response });
  const isGone = reply?.status === 404 && ageSec > BEGINNING_SEC;
  if (isGone) await finishBackground(deps, row, target.channel, { lost: NOT_KEPT });
  else if (ageSec > HOLD_LIFETIME_SEC)
    await finishBackground(deps, row, target.channel, { lost: UNFINISHED });
}

const NO_CHANNEL = { event: 'response_without_channel' } as const;
const NOT_KEPT = { event: 'response_not_kept' } as const;
const UNFINISHED = {
  event: 'response_unfinished',
  params: { count: HOLD_LIFETIME_SEC / 3600 },
} as const;

/** Undefined when the upstream does not answer; the next poll queries it again. */
async function replyOf(
  ctx: Context,
  { channel, key }: RecordedChannel,
  row: BackgroundResponseRow,
): Promise<Reply | undefined> {
  const about = { id: row.response_id, method: 'GET' } as const;
  try {
    const request = storedResponseRequest(ctx, { channel, key, model: modelOf(row) }, about);
    return await sendRequest(ctx, channel, { ...request, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    ctx.log.warn(
      { err: error, channelId: channel.id },
      'background responses could not be read from an upstream',
    );
    return undefined;
  }
}
