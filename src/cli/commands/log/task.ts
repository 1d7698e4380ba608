/** `gateway task` and `gateway drawing`: asynchronous tasks at upstreams. */
import { DRAWING_STATUSES, TASK_STATUSES } from '../../../domain/statuses.ts';
import type { Cli } from '../../cli.ts';
import type { FlagsOf, Noun } from '../../command.ts';
import { listedAllOrOwn } from '../../lookup/all-or-own.ts';
import { findChannel, missing } from '../../lookup/find-by-name.ts';
import type { View } from '../../output/render-reply.ts';
import { listCommand, replyCommand } from '../common-verbs.ts';

const TASKS: View = {
  columns: ['task_id', 'platform', 'action', 'status', 'progress', 'submit_time', 'quota'],
  wide: ['id', 'user_id', 'channel_id', 'start_time', 'finish_time', 'fail_reason'],
  id: 'task_id',
};
const DRAWINGS: View = {
  columns: ['mj_id', 'action', 'status', 'progress', 'submit_time', 'quota', 'prompt'],
  wide: ['id', 'user_id', 'channel_id', 'start_time', 'finish_time', 'image_url', 'fail_reason'],
  id: 'mj_id',
};

const FILTER_FLAGS = [
  '--status <status>',
  '--action <action>',
  '--channel <channel>',
  '--since <time>',
  '--until <time>',
] as const;

type FilterFlags = FlagsOf<(typeof FILTER_FLAGS)[number]>;

async function filtersOf(cli: Cli, flags: FilterFlags, statuses: readonly string[], perSec = 1) {
  const { values } = cli;
  const status = flags.status?.toUpperCase();
  const momentOf = (name: string, text: string | undefined) =>
    text === undefined ? undefined : values.since(name, text) * perSec;
  return {
    status: status === undefined ? undefined : values.choice('--status', status, statuses),
    action: flags.action?.toUpperCase(),
    channel_id: flags.channel && (await findChannel(cli, flags.channel)).id,
    start_timestamp: momentOf('--since', flags.since),
    end_timestamp: momentOf('--until', flags.until),
  };
}

const listTasks = listCommand({
  flags: [...FILTER_FLAGS, '--platform <name>'],
  examples: ['list', 'list --status failure --since 24h', 'list --platform suno --json'],
  view: TASKS,
  query: async (cli, { platform, ...flags }) => ({
    ...(await filtersOf(cli, flags, TASK_STATUSES)),
    platform,
  }),
  page: (api, query, { channel }) => listedAllOrOwn(api.task, query, channel !== undefined),
});

const GET_TASK = ['get 3f2b6c1e', 'get 3f2b6c1e --json'];
const getTask = replyCommand('get <task-id>', GET_TASK, TASKS, async (api, input) => {
  const { 'task-id': task_id } = input;
  const { items } = await listedAllOrOwn(api.task, { task_id });
  return items.find((one) => one.task_id === task_id) ?? missing('task_missing', { task: task_id });
});

const MS_PER_SEC = 1000;
const TIMES = ['created_at', 'submit_time', 'start_time', 'finish_time'] as const;

/** Image tasks store times in milliseconds; the output uses seconds everywhere. */
function inSeconds<T extends Readonly<Record<(typeof TIMES)[number], number>>>(drawing: T): T {
  const times = TIMES.map((name) => [name, Math.floor(drawing[name] / MS_PER_SEC)]);
  return { ...drawing, ...Object.fromEntries(times) };
}

const listDrawings = listCommand({
  flags: FILTER_FLAGS,
  examples: ['list', 'list --status failure --since 24h', 'list --action upscale --all --json'],
  view: DRAWINGS,
  query: (cli, flags) => filtersOf(cli, flags, DRAWING_STATUSES, MS_PER_SEC),
  page: (api, query, { channel }) => listedAllOrOwn(api.mjTask, query, channel !== undefined),
  shown: inSeconds,
});

const GET_DRAWING = ['get 1732180205123456', 'get 1732180205123456 --json'];
const getDrawing = replyCommand('get <drawing-id>', GET_DRAWING, DRAWINGS, async (api, input) => {
  const { 'drawing-id': mj_id } = input;
  const { items } = await listedAllOrOwn(api.mjTask, { mj_id });
  const found = items.find((one) => one.mj_id === mj_id);
  return inSeconds(found ?? missing('task_missing', { task: mj_id }));
});

export const task: Noun = { name: 'task', verbs: [listTasks, getTask] };
export const drawing: Noun = { name: 'drawing', verbs: [listDrawings, getDrawing] };
