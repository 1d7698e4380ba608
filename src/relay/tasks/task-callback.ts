/** Handles callbacks in which an upstream reports the state of a task. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { TaskProvider } from '../../providers/tasks/task-provider.ts';
import { unfinishedTasksOfChannel } from '../../store/tables/task-rows.ts';
import { readAll } from '../body/read-fields.ts';
import { readSent } from '../call/call-intent.ts';
import type { Incoming } from '../call/incoming-call.ts';
import { applyReport } from './report-task.ts';
import type { TaskAnswer } from './submit-task.ts';
import { taskScopeOf } from './task-call.ts';
import { channelOfCallback } from './task-upstream.ts';

const MAX_NOTICE_BYTES = 1024 * 1024;
/** Account that the body is counted for: upstreams have none. */
const NO_USER_ID = 0;

/**
 * Applies the report to tasks of the channel that the secret belongs to, and to no others. A report
 * on a finished or unknown task changes nothing.
 * @throws AppError permission_denied, body_*.
 */
export async function receiveCallback(
  ctx: Context,
  provider: TaskProvider,
  { upload }: Pick<Incoming, 'upload'>,
  secret: string,
): Promise<TaskAnswer> {
  const { callbacks } = provider;
  const channelId = channelOfCallback(ctx, secret);
  if (callbacks === undefined || channelId === undefined) throw new AppError('permission_denied');
  const report = callbacks.read(await noticeOf(upload));
  const ids = report === undefined ? [] : [report.upstreamId];
  if (report !== undefined)
    for (const task of await unfinishedTasksOfChannel(
      ctx.db,
      taskScopeOf(provider),
      channelId,
      ids,
    ))
      await applyReport(ctx, provider, task, report);
  return { status: 200, body: callbacks.answer };
}

async function noticeOf(upload: Incoming['upload']) {
  try {
    const body = await upload.read(NO_USER_ID, MAX_NOTICE_BYTES);
    return (await readSent({ account: NO_USER_ID, body, upload }, readAll)).sent;
  } finally {
    upload.free();
  }
}
