/** The management API that this release serves: what anyone may read. */
import type { FastifyInstance } from 'fastify';
import { statusCalls } from '../api/status.ts';
import type { Context } from '../context.ts';
import * as status from '../services/status.ts';
import { bind, envelopeErrors } from './bind.ts';

export async function apiRoutes(app: FastifyInstance, { ctx }: { ctx: Context }): Promise<void> {
  envelopeErrors(app, ctx);
  bind(app, statusCalls, status, ctx, async () => ({ kind: 'user', id: 0, role: 0, group: '' }));
}
