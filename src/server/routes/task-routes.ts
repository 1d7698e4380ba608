/** Asynchronous tasks such as images and music: one scope per provider and prefix. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { TASK_PROVIDERS } from '../../providers/tasks/all.ts';
import type { TaskProvider, TaskRoute } from '../../providers/tasks/task-provider.ts';
import type { Relay } from '../../relay/call/relay-ports.ts';
import { fetchTask, listTasks, requestOfTask } from '../../relay/tasks/read-task.ts';
import { submitTask, type TaskAnswer } from '../../relay/tasks/submit-task.ts';
import { receiveCallback } from '../../relay/tasks/task-callback.ts';
import { createTaskImages } from '../../relay/tasks/task-image.ts';
import type { AddressOf } from '../request/client-address.ts';
import type { ErrorFormatter } from '../response/error-form.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { addScope } from '../route-scope.ts';
import { incoming, openScope } from './relay-routes.ts';

export interface TaskRouteOptions {
  readonly relay: Relay;
  readonly addressOf: AddressOf;
}

export async function taskRoutes(app: FastifyInstance, options: TaskRouteOptions): Promise<void> {
  for (const provider of TASK_PROVIDERS)
    for (const prefix of provider.prefixes)
      await addScope(app, prefix, (scope) => taskApi(scope, provider, options));
  await addScope(app, '/mj/image', (scope) => images(scope, options));
}

async function taskApi(
  app: FastifyInstance,
  provider: TaskProvider,
  options: TaskRouteOptions,
): Promise<void> {
  const { relay } = options;
  await openScope(app, relay, taskErrorFormatter(provider));
  for (const route of provider.routes) mount(app, provider, route, options);
  if (provider.callbacks === undefined) return;
  app.post<{ Params: { secret: string } }>('/notify/:secret', async (request, reply) => {
    const notice = incoming(request, reply, 'chat', options);
    return answer(reply, await receiveCallback(relay.ctx, provider, notice, request.params.secret));
  });
}

/** Errors in the provider's own format. */
function taskErrorFormatter(provider: TaskProvider): ErrorFormatter {
  return ({ status, body: { error } }) =>
    provider.refusal({
      status,
      type: error.type,
      code: error.code ?? '',
      message: error.message,
    });
}

interface Params {
  readonly id?: string;
  readonly action?: string;
}

function mount(
  app: FastifyInstance,
  provider: TaskProvider,
  route: TaskRoute,
  options: TaskRouteOptions,
): void {
  const { relay } = options;
  app.route<{ Params: Params }>({
    method: route.method,
    url: route.path,
    handler: async (request, reply) => {
      const { id = '', action = '' } = request.params;
      const call = incoming(request, reply, 'chat', options);
      switch (route.does) {
        case 'submit':
          return answer(reply, await submitTask(relay, provider, call, route.name ?? action));
        case 'fetch':
          return answer(reply, await fetchTask(relay, provider, call, id));
        case 'list':
          return answer(reply, await listTasks(relay, provider, call));
        case 'ask': {
          const name = route.path.split('/').at(-1) ?? '';
          return answer(reply, await requestOfTask(relay, provider, call, { publicId: id, name }));
        }
      }
    },
  });
}

function answer(reply: FastifyReply, { status, body }: TaskAnswer) {
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Public, because browsers load images without an API key. */
async function images(app: FastifyInstance, { relay }: TaskRouteOptions): Promise<void> {
  await openScope(app, relay);
  const drawn = createTaskImages(relay.ctx);
  app.get<{ Params: { id: string } }>('/:id', async (request, reply) => {
    return sendAnswer(reply, await drawn.image(request.params.id));
  });
}
