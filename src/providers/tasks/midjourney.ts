/**
 * Midjourney proxies (channel types 2 and 5). Paths and codes are those of
 * novicezk/midjourney-proxy, which its clients and successors share.
 */
import {
  imageTaskRefusal,
  readImageTask,
  readImageTaskSubmit,
  visibleImageTask,
} from './midjourney-answers.ts';
import { planImageTask, withOriginId } from './midjourney-plan.ts';
import { idsOf, type TaskProvider, type TaskRoute } from './task-provider.ts';

export const midjourney: TaskProvider = {
  platform: 'midjourney',
  table: 'midjourneys',
  channelTypes: [2, 5],
  // Clients may select a mode in the path; the upstream is always called at its usual path.
  prefixes: ['/mj', '/mj-fast/mj', '/mj-relax/mj', '/mj-turbo/mj'],
  routes: [
    submit('/submit/imagine', 'imagine'),
    submit('/submit/describe', 'describe'),
    submit('/submit/shorten', 'shorten'),
    submit('/submit/blend', 'blend'),
    submit('/submit/upload-discord-images', 'upload'),
    submit('/submit/change', 'change'),
    submit('/submit/simple-change', 'simple_change'),
    submit('/submit/action', 'action'),
    submit('/submit/modal', 'modal'),
    submit('/insight-face/swap', 'swap'),
    { does: 'fetch', method: 'GET', path: '/task/:id/fetch' },
    { does: 'list', method: 'POST', path: '/task/list-by-condition' },
    { does: 'ask', method: 'GET', path: '/task/:id/image-seed' },
  ],
  submitting: { status: 'NOT_START', progress: '0%', code: 0 },
  lifetimeSec: 3600,

  auth: (key) => ({ 'mj-api-secret': key }),
  plan: ({ name, body, options }) => planImageTask(name, body, options),
  buildSubmit: (plan, { originUpstreamId, callbackUrl }) => ({
    method: 'POST',
    path: plan.path,
    body: {
      ...withOriginId(plan.body, originUpstreamId),
      ...(callbackUrl === undefined ? {} : { notifyHook: callbackUrl }),
    },
  }),
  readSubmit: readImageTaskSubmit,
  buildQuestion: (upstreamId, name) => ({
    method: 'GET',
    path: `/mj/task/${encodeURIComponent(upstreamId)}/${name}`,
  }),

  poll: {
    batch: 100,
    build: (tasks) => ({
      method: 'POST',
      path: '/mj/task/list-by-condition',
      body: { ids: idsOf(tasks) },
    }),
    read: (json) => (Array.isArray(json) ? json.flatMap((item) => readImageTask(item) ?? []) : []),
    isAnswer: (json) => Array.isArray(json),
  },
  callbacks: {
    isWanted: (options) => options.get('MjNotifyEnabled'),
    read: readImageTask,
    answer: { code: 1, description: 'success' },
  },

  shown: visibleImageTask,
  one: (task) => task,
  many: (tasks) => tasks,
  refusal: imageTaskRefusal,
};

function submit(path: string, name: string): TaskRoute {
  return { does: 'submit', method: 'POST', path, name };
}
