/** The built web console: hashed files for ever, the page itself never from a cache. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

export async function consoleRoutes(
  app: FastifyInstance,
  { webRoot }: { webRoot: string },
): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    cacheControl: false,
    // A route per file: a catch-all would claim every unknown path of the APIs.
    wildcard: false,
    setHeaders(response, file) {
      const isHashed = file.includes('/assets/');
      response.header(
        'cache-control',
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
}

/** The page that every path of the console's own router starts from. */
export async function consolePage(webRoot: string | undefined): Promise<string | undefined> {
  return webRoot === undefined ? undefined : readFile(path.join(webRoot, 'index.html'), 'utf8');
}
