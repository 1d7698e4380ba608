/** The built web console: hashed files for ever, the page itself never from a cache. */
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

export async function consoleRoutes(
  app: FastifyInstance,
  { webRoot }: { webRoot: string },
): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    cacheControl: false,
    setHeaders(response, path) {
      const isHashed = path.includes('/assets/');
      response.header(
        'cache-control',
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
}
