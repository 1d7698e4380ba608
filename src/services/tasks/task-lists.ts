/** Lists tasks: administrators see all, others their own without the channel. */

import type * as z from 'zod/mini';
import { type Actor, type PageOf, pageWindow, toPage, type Visit } from '../../api/call.ts';
import type { MjTask, Task } from '../../api/logs/task.ts';
import type { Context } from '../../context.ts';
import type { TaskTable } from '../../domain/task.ts';
import { visibleImageUrl } from '../../domain/task-image.ts';
import type { EventAudience } from '../../locales/event-text.ts';
import { pageOfImageTasks, pageOfTasks, type TaskFilter } from '../../store/tables/listed-tasks.ts';
import { eventAudience, ownerAudience, ownId } from '../logs/audit.ts';
import { wordedTask } from './task-reasons.ts';
import { type ListedTask, refundedTaskIds } from './task-refunds.ts';

type ListedRow = ListedTask & { readonly fail_reason: string };

interface TaskList<Row extends ListedRow, Shown extends { readonly channel_id: number }> {
  readonly table: TaskTable;
  readonly pageOf: (
    ...given: Parameters<typeof pageOfTasks>
  ) => Promise<{ readonly rows: readonly Row[]; readonly total: number }>;
  readonly shown: (ctx: Context, row: Row, refunded: boolean) => Shown;
  /** What its owner sees of a task beside the channel. */
  readonly ofOwner?: (task: Shown, reader: EventAudience) => Shown;
}

type Input = TaskFilter & Parameters<typeof pageWindow>[0];

function listsOf<Row extends ListedRow, Shown extends { readonly channel_id: number }>({
  table,
  pageOf,
  shown,
  ofOwner = (task) => task,
}: TaskList<Row, Shown>) {
  const read = async (
    ctx: Context,
    input: Input,
    reader: EventAudience,
  ): Promise<PageOf<Shown>> => {
    const window = pageWindow(input);
    const { rows, total } = await pageOf(ctx.reads, input, window);
    const refunded = await refundedTaskIds(ctx, table, rows);
    const items = rows.map((row) => shown(ctx, wordedTask(row, reader), refunded.has(row.id)));
    return toPage(window, items, total);
  };
  return {
    list: (ctx: Context, _actor: Actor, input: Input, { language }: Visit) =>
      read(ctx, input, eventAudience(ctx, language)),
    async listOwn(ctx: Context, actor: Actor, input: Input, { language }: Visit) {
      const reader = ownerAudience(ctx, language);
      const page = await read(ctx, { ...input, user_id: ownId(actor) }, reader);
      const items = page.items.map((task) => ({ ...ofOwner(task, reader), channel_id: 0 }));
      return { ...page, items };
    },
  };
}

/** Image tasks. */
export const mjTask = listsOf({
  table: 'midjourneys',
  pageOf: pageOfImageTasks,
  shown(ctx, { request_id: _, ...row }, refunded): z.input<typeof MjTask> {
    const options = ctx.options();
    const site = {
      isForwarded: options.get('MjForwardUrlEnabled'),
      serverAddress: options.get('ServerAddress'),
      nowMs: ctx.now(),
    };
    const drawing = { id: row.mj_id, imageUrl: row.image_url, status: row.status };
    const image_url = visibleImageUrl(drawing, site);
    return { ...row, created_at: row.submit_time, image_url, refunded };
  },
});

/** Music and other tasks. */
export const task = listsOf({
  table: 'tasks',
  pageOf: pageOfTasks,
  shown(_ctx, { request_id: _, properties, data, ...row }, refunded): z.input<typeof Task> {
    return { ...row, refunded, properties: parsed(properties), data: parsed(data) };
  },
  ofOwner: (shown, { hidesUpstream }) =>
    hidesUpstream && shown.fail_reason !== '' ? { ...shown, data: null } : shown,
});

/** An upstream's data may not be JSON: then it is shown as text. */
function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
