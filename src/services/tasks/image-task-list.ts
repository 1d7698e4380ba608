/** Lists image tasks: administrators see all, others their own without the channel. */

import type * as z from 'zod/mini';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { MjTask, mjTaskCalls } from '../../api/logs/task.ts';
import type { Context } from '../../context.ts';
import { type ImageSite, visibleImageUrl } from '../../domain/task-image.ts';
import type { EventAudience } from '../../locales/event-text.ts';
import {
  type ImageTaskFilter,
  type ImageTaskRow,
  pageOfImageTasks,
} from '../../store/tables/image-tasks-table.ts';
import { eventAudience, ownerAudience, ownId } from '../logs/audit.ts';
import { wordedTask } from './task-reasons.ts';
import { refundedTaskIds } from './task-refunds.ts';

type Calls = Service<typeof mjTaskCalls, Context>;

export const list: Calls['list'] = (ctx, _actor, input, visit) =>
  pageOf(ctx, input, eventAudience(ctx, visit.language));

export const listOwn: Calls['listOwn'] = async (ctx, actor, input, visit) => {
  const reader = ownerAudience(ctx, visit.language);
  const page = await pageOf(ctx, { ...input, user_id: ownId(actor) }, reader);
  return { ...page, items: page.items.map((task) => ({ ...task, channel_id: 0 })) };
};

async function pageOf(
  ctx: Context,
  input: ImageTaskFilter & Parameters<typeof pageWindow>[0],
  reader: EventAudience,
) {
  const window = pageWindow(input);
  const { rows, total } = await pageOfImageTasks(ctx.reads, input, window);
  const refunded = await refundedTaskIds(ctx, 'midjourneys', rows);
  const site = imageSite(ctx);
  const items = rows.map((row) => shown(wordedTask(row, reader), site, refunded));
  return toPage(window, items, total);
}

function shown(
  { request_id: _requestId, ...row }: ImageTaskRow,
  site: ImageSite,
  refunded: ReadonlySet<number>,
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
