/** Refuses paths that clients know and this gateway does not serve. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { AppError } from '../../domain/errors/errors.ts';

/** Refuses these paths before the body is read, so that it takes no memory. */
export function refusePaths(
  app: FastifyInstance,
  paths: readonly string[],
  error: AppError,
  method: HTTPMethods[] | HTTPMethods = app.supportedMethods,
): void {
  const refusal = async (): Promise<never> => {
    throw error;
  };
  for (const url of paths) app.route({ method, url, onRequest: refusal, handler: refusal });
}
