/** Lists music and other tasks: administrators see all, others their own without the channel. */

import type * as z from 'zod/mini';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { Task, taskCalls } from '../../api/logs/task.ts';
import type { Context } from '../../context.ts';
import type { EventAudience } from '../../locales/event-text.ts';
import { pageOfTasks, type TaskFilter, type TaskRow } from '../../store/tables/tasks-table.ts';
import { eventAudience, ownerAudience, ownId } from '../logs/audit.ts';
import { wordedTask } from './task-reasons.ts';
import { refundedTaskIds } from './task-refunds.ts';

type Calls = Service<typeof taskCalls, Context>;

export const list: Calls['list'] = (ctx, _actor, input, visit) =>
  pageOf(ctx, input, eventAudience(ctx, visit.language));

export const listOwn: Calls['listOwn'] = async (ctx, actor, input, visit) => {
  const reader = ownerAudience(ctx, visit.language);
  const page = await pageOf(ctx, { ...input, user_id: ownId(actor) }, reader);
  const items = page.items.map((task) => ({
    ...task,
    channel_id: 0,
    ...(reader.hidesUpstream && task.fail_reason !== '' && { data: null }),
  }));
  return { ...page, items };
};

async function pageOf(
  ctx: Context,
  input: TaskFilter & Parameters<typeof pageWindow>[0],
  reader: EventAudience,
) {
  const window = pageWindow(input);
  const { rows, total } = await pageOfTasks(ctx.reads, input, window);
  const refunded = await refundedTaskIds(ctx, 'tasks', rows);
  const items = rows.map((row) => shown(wordedTask(row, reader), refunded));
  return toPage(window, items, total);
}

function shown(
  { request_id: _requestId, ...row }: TaskRow,
  refunded: ReadonlySet<number>,
): z.input<typeof Task> {
  return {
    ...row,
    refunded: refunded.has(row.id),
    properties: parsed(row.properties),
    data: parsed(row.data),
  };
}

/** An upstream's data may not be JSON: then it is shown as text. */
function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
