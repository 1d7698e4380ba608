/** Polls the upstreams for background answers that their clients have not fetched. */

import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { isObject, parseJson } from '../../json/read-json.ts';
import { HOLD_LIFETIME_SEC } from '../../services/billing/ledger-writer.ts';
import { priceTables } from '../../services/billing/prices.ts';
import { inParallel } from '../../services/cluster/in-parallel.ts';
import { LeaseLost } from '../../services/cluster/lease-work.ts';
import { type BackgroundRow, openBackground } from '../../store/tables/background-answers-table.ts';
import type { Desk } from '../billing/settle.ts';
import { ask, type Reply } from '../http/channel-exchange.ts';
import { channelOfTask, type TaskChannel } from '../tasks/task-channel.ts';
import { finishBackground, isRunning, modelOf } from './background-responses.ts';
import { questionAbout } from './remember-response.ts';

const PAGE = 500;
const WIDTH = 4;
const PATIENCE_MS = 15_000;
/** An upstream may take a moment until it finds a response that just started. */
const BEGINNING_SEC = 60;

/** Stops early, by throwing, when `signal` fires. */
export async function pollBackground(ctx: Context, signal: AbortSignal): Promise<void> {
  const desk = { ctx, prices: () => priceTables(ctx.options()) };
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const rows = await openBackground(ctx.reads, { after, limit: PAGE });
    await inParallel(rows, { width: WIDTH, signal }, async (row) => {
      try {
        await follow(desk, row);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        const facts = { err: error, channelId: row.channel_id, request_id: row.request_id };
        ctx.log.error(facts, 'an answer made in the background could not be followed');
      }
    });
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.request_id ?? after;
  }
  signal.throwIfAborted();
}

async function follow(desk: Desk, row: BackgroundRow): Promise<void> {
  const { ctx } = desk;
  const ageSec = nowSec(ctx) - row.created_at;
  const way = await channelOfTask(ctx, { channelId: row.channel_id, keyId: row.key_id });
  if (way === undefined)
    return finishBackground(desk, row, undefined, { lost: 'its channel is gone' });
  const reply = await replyOf(ctx, way, row);
  const response = reply?.status === 200 ? parseJson(reply.text) : undefined;
  if (isObject(response) && response.object === 'response' && !isRunning(response))
    return finishBackground(desk, row, way.channel, { response });
  const isGone = reply?.status === 404 && ageSec > BEGINNING_SEC;
  if (isGone)
    await finishBackground(desk, row, way.channel, { lost: 'its upstream knows it no more' });
  else if (ageSec > HOLD_LIFETIME_SEC) await finishBackground(desk, row, way.channel, OVERDUE);
}

const OVERDUE = { lost: `not finished within ${HOLD_LIFETIME_SEC / 3600} hours` };

/** Undefined when the upstream does not answer; the next poll queries it again. */
async function replyOf(
  ctx: Context,
  { channel, key }: TaskChannel,
  row: BackgroundRow,
): Promise<Reply | undefined> {
  const about = { id: row.response_id, method: 'GET' } as const;
  try {
    const question = questionAbout(ctx, { channel, key, model: modelOf(row) }, about);
    return await ask(ctx, channel, { ...question, patienceMs: PATIENCE_MS });
  } catch (error) {
    ctx.log.warn({ err: error, channelId: channel.id }, 'an upstream tells nothing of its answers');
    return undefined;
  }
}
