/** Lists image tasks: administrators see all, others their own without the channel. */
import type * as z from 'zod/mini';
import { pageWindow, type Service, terminalVisit, toPage } from '../../api/call.ts';
import type { MjTask, mjTaskCalls } from '../../api/logs/task.ts';
import type { Context } from '../../context.ts';
import { type ImageSite, visibleImageUrl } from '../../domain/task-image.ts';
import { type ImageTaskRow, pageOfImageTasks } from '../../store/tables/image-tasks-table.ts';
import { eventAudience, ownerAudience, ownId } from '../logs/audit.ts';
import { wordedTask } from './task-reasons.ts';
import { refundedTaskIds } from './task-refunds.ts';

type Calls = Service<typeof mjTaskCalls, Context>;

export const list: Calls['list'] = async (ctx, _actor, input, visit = terminalVisit()) => {
  const window = pageWindow(input);
  const { rows, total } = await pageOfImageTasks(ctx.reads, input, window);
  const facts = await factsOf(ctx, rows);
  const reader = eventAudience(ctx, visit.language);
  const items = rows.map((row) => shown(wordedTask(row, reader), facts));
  return toPage(window, items, total);
};

export const listOwn: Calls['listOwn'] = async (ctx, actor, input, visit = terminalVisit()) => {
  const window = pageWindow(input);
  const filter = { ...input, user_id: ownId(actor) };
  const { rows, total } = await pageOfImageTasks(ctx.reads, filter, window);
  const facts = await factsOf(ctx, rows);
  const reader = ownerAudience(ctx, visit.language);
  const items = rows.map((row) => ({
    ...shown(wordedTask(row, reader), facts),
    channel_id: 0,
  }));
  return toPage(window, items, total);
};

interface PageFacts {
  readonly site: ImageSite;
  readonly refunded: ReadonlySet<number>;
}

async function factsOf(ctx: Context, rows: readonly ImageTaskRow[]): Promise<PageFacts> {
  return { site: imageSite(ctx), refunded: await refundedTaskIds(ctx, 'midjourneys', rows) };
}

function shown(
  { request_id: _requestId, ...row }: ImageTaskRow,
  { site, refunded }: PageFacts,
): z.input<typeof MjTask> {
  const drawing = { id: row.mj_id, imageUrl: row.image_url, status: row.status };
  return {
    ...row,
    created_at: row.submit_time,
    image_url: visibleImageUrl(drawing, site),
    refunded: refunded.has(row.id),
  };
}

function imageSite(ctx: Context): ImageSite {
  const options = ctx.options();
  return {
    isForwarded: options.get('MjForwardUrlEnabled'),
    serverAddress: options.get('ServerAddress'),
    nowMs: ctx.now(),
  };
}
