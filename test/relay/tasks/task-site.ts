/** A site with upstreams for image and song tasks, and shared helpers for both. */
import { afterAll } from 'vitest';
import { pollTasks } from '../../../src/relay/tasks/poll-tasks.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import {
  aSite,
  type Site,
  type SiteAnswer,
  type SiteChannel,
  type SiteOptions,
  type SiteToken,
} from '../../support/site.ts';
import { type FakeTaskUpstream, fakeTaskUpstream, TASK_KEY } from './fake-task-upstream.ts';

const DRAWING_MODELS = [
  'imagine',
  'upscale',
  'variation',
  'reroll',
  'blend',
  'modal',
  'zoom',
  'shorten',
  'high_variation',
  'low_variation',
  'pan',
  'inpaint',
  'custom_zoom',
  'describe',
  'upload',
]
  .map((action) => `mj_${action}`)
  .concat('swap_face')
  .join(',');

const NEVER = new AbortController().signal;
/** 0.1 USD. */
export const IMAGINE_UNITS = 50_000;

export interface TaskSite {
  readonly site: Site;
  readonly upstream: FakeTaskUpstream;
  readonly channel: SiteChannel;
  addDrawingChannel(
    upstream: FakeTaskUpstream,
    fields?: NonNullable<Parameters<Site['addChannel']>[0]>,
  ): Promise<SiteChannel>;
  post(path: string, body: object, token?: SiteToken): Promise<TaskReply>;
  get(path: string, token?: SiteToken): Promise<TaskReply>;
  /** Submits an image task and returns the id the client received. */
  imagine(prompt?: string, token?: SiteToken): Promise<string>;
  poll(): Promise<void>;
  drawing(mjId: string): Promise<Row>;
  song(taskId: string): Promise<Row>;
}

export type Row = Readonly<Record<string, string | number | null>>;

export interface TaskReply extends SiteAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  readonly json: any;
}

/** For a whole test file or an async `describe`: it is closed after the last test. */
export async function createTaskSite(
  options: SiteOptions & { database?: Engine } = {},
): Promise<TaskSite> {
  const upstream = await fakeTaskUpstream();
  // Polled manually: a timer tick in the middle of a test would hide the cause of a change.
  const site = await aSite({ ...options, config: { taskPolling: false, ...options.config } });
  afterAll(async () => {
    await upstream.close();
    await site.close();
  });
  await site.option('ServerAddress', site.url);
  const addDrawingChannel: TaskSite['addDrawingChannel'] = ({ url }, fields = {}) =>
    site.addChannel({ type: 2, key: TASK_KEY, base_url: url, models: DRAWING_MODELS, ...fields });
  const channel = await addDrawingChannel(upstream);
  await site.addChannel({
    type: 36,
    key: TASK_KEY,
    base_url: upstream.url,
    models: 'suno_music,suno_lyrics',
  });
  const withJson = (answer: SiteAnswer): TaskReply => ({
    ...answer,
    json: JSON.parse(answer.text),
  });
  const post = async (path: string, body: object, token?: SiteToken) =>
    withJson(await site.call({ path, body, ...(token ? { key: token.key } : {}) }));
  const rowOf = async (table: string, where: object): Promise<Row> => {
    const row: Row | undefined = await site.ctx
      .db(table)
      .where(where)
      .orderBy('id', 'desc')
      .first();
    if (row === undefined) throw new Error(`no such row in ${table}`);
    return row;
  };
  return {
    site,
    upstream,
    channel,
    addDrawingChannel,
    post,
    get: async (path, token) =>
      withJson(await site.call({ path, ...(token ? { key: token.key } : {}) })),
    async imagine(prompt = 'a lighthouse', token) {
      const { json } = await post('/mj/submit/imagine', { prompt }, token);
      return String(json.result);
    },
    poll: () => pollTasks(site.ctx, NEVER),
    drawing: (mj_id) => rowOf('midjourneys', { mj_id }),
    song: (task_id) => rowOf('tasks', { task_id }),
  };
}
