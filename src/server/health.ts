/** For load balancers: is the process alive, and can it serve calls. */
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';

export async function healthRoutes(app: FastifyInstance, { ctx }: { ctx: Context }): Promise<void> {
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (_request, reply) => {
    try {
      await ctx.reads.raw('select 1');
      return { status: 'ok' };
    } catch (error) {
      ctx.log.warn({ err: error }, 'not ready: the database does not answer');
      return reply.code(503).send({ status: 'database unreachable' });
    }
  });
}
