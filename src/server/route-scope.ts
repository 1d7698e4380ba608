import type { FastifyInstance } from 'fastify';

/**
 * Opens a scope of hooks, error formats and routes under `prefix`. The plugin is named after the
 * prefix, because Fastify looks up unnamed plugins among all loaded modules.
 */
export async function addScope(
  app: FastifyInstance,
  prefix: string,
  fill: (scope: FastifyInstance) => Promise<void>,
): Promise<void> {
  const named = Object.assign((scope: FastifyInstance) => fill(scope), {
    [Symbol.for('fastify.display-name')]: prefix,
  });
  await app.register(named, { prefix });
}
