import type { FastifyInstance } from 'fastify';

/**
 * Opens a scope of hooks, error forms and routes under `prefix`. It bears the prefix as its name:
 * Fastify looks one without a name up among all loaded modules.
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
