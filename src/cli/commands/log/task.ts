/** `gateway task` and `gateway drawing`: asynchronous tasks at upstreams. */
import { AppError } from '../../../domain/errors/errors.ts';
import { DRAWING_STATUSES, TASK_STATUSES } from '../../../domain/statuses.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { allOrOwn } from '../../lookup/all-or-own.ts';
import { findChannel } from '../../lookup/find-by-name.ts';
import type { View } from '../../output/render-reply.ts';
import { listCommand } from '../common-verbs.ts';

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

/** The tasks of all users, or the caller's own. */
function allowed<Query, Page>(
  tasks: Readonly<Record<'list' | 'listOwn', (query: Query) => Promise<Page>>>,
  query: NoInfer<Query>,
  isAboutOthers = false,
): Promise<Page> {
  return allOrOwn(
    () => tasks.list(query),
    () => tasks.listOwn(query),
    isAboutOthers,
  );
}

const listTasks = listCommand({
  flags: [...FILTER_FLAGS, '--platform <name>'],
  examples: ['list', 'list --status failure --since 24h', 'list --platform suno --json'],
  view: TASKS,
  query: async (cli, { platform, ...flags }) => ({
    ...(await filtersOf(cli, flags, TASK_STATUSES)),
    platform,
  }),
  page: (api, query, { channel }) => allowed(api.task, query, channel !== undefined),
});

const getTask = command({
  usage: 'get <task-id>',
  examples: ['get 3f2b6c1e', 'get 3f2b6c1e --json'],
  async run(cli, input) {
    const task_id = input['task-id'];
    const { items } = await allowed((await cli.api()).task, { task_id });
    const found = items.find((one) => one.task_id === task_id);
    if (found === undefined) throw new AppError('task_missing', { task: task_id });
    await cli.print(found, TASKS);
  },
});

const MS_PER_SEC = 1000;

/** Image tasks store times in milliseconds; the output uses seconds everywhere. */
function inSeconds<
  T extends Readonly<Record<'created_at' | 'submit_time' | 'start_time' | 'finish_time', number>>,
>(drawing: T): T {
  const sec = (ms: number) => Math.floor(ms / MS_PER_SEC);
  return {
    ...drawing,
    created_at: sec(drawing.created_at),
    submit_time: sec(drawing.submit_time),
    start_time: sec(drawing.start_time),
    finish_time: sec(drawing.finish_time),
  };
}

const listDrawings = listCommand({
  flags: FILTER_FLAGS,
  examples: ['list', 'list --status failure --since 24h', 'list --action upscale --all --json'],
  view: DRAWINGS,
  query: (cli, flags) => filtersOf(cli, flags, DRAWING_STATUSES, MS_PER_SEC),
  page: (api, query, { channel }) => allowed(api.mjTask, query, channel !== undefined),
  shown: inSeconds,
});

const getDrawing = command({
  usage: 'get <drawing-id>',
  examples: ['get 1732180205123456', 'get 1732180205123456 --json'],
  async run(cli, input) {
    const mj_id = input['drawing-id'];
    const { items } = await allowed((await cli.api()).mjTask, { mj_id });
    const found = items.find((one) => one.mj_id === mj_id);
    if (found === undefined) throw new AppError('task_missing', { task: mj_id });
    await cli.print(inSeconds(found), DRAWINGS);
  },
});

export const task: Noun = { name: 'task', verbs: [listTasks, getTask] };
export const drawing: Noun = { name: 'drawing', verbs: [listDrawings, getDrawing] };
