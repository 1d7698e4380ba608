/** Serves the built web console: hashed files are cached forever, the page itself never. */
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { styleSheet } from '../../domain/options/checks.ts';
import { refuseIf } from '../../domain/options/parse.ts';
import { etagOf, isUnchanged } from '../response/etag.ts';
import type { ConsolePage } from './console-page.ts';

export interface ConsoleParts {
  readonly ctx: Context;
  readonly webRoot: string;
  readonly page: ConsolePage;
}

export async function consoleRoutes(app: FastifyInstance, parts: ConsoleParts): Promise<void> {
  const { ctx, webRoot, page } = parts;
  // The page counts towards a rate limit, its files do not: it loads many at once, and a whole
  // office may share one address.
  app.get('/', page);
  app.get('/index.html', page);
  app.get('/custom/global.css', (request, reply) =>
    sendCustomFile(request, reply, { text: globalCss(ctx), type: 'text/css' }),
  );
  app.get('/custom/global.js', (request, reply) =>
    sendCustomFile(request, reply, {
      text: ctx.options().get('global_js'),
      type: 'text/javascript',
    }),
  );
  await app.register(fastifyStatic, {
    root: webRoot,
    cacheControl: false,
    index: false,
    // Registers a route per file: a catch-all would capture unknown API paths.
    wildcard: false,
    globIgnore: ['index.html', '**/*.{br,gz}'],
    // The build places compressed files beside the originals, so no request compresses anything.
    preCompressed: true,
    setHeaders(response, file) {
      response.header(
        'cache-control',
        isHashed(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
}

function isHashed(path: string): boolean {
  return path.includes('/assets/');
}

/** @throws AppError `option_invalid` for a stored stylesheet that closes its tag to inject a script. */
function globalCss(ctx: Context): string {
  const css = ctx.options().get('global_css');
  refuseIf('global_css', styleSheet(css));
  return css;
}

interface CustomFile {
  readonly text: string;
  readonly type: string;
}

function sendCustomFile(request: FastifyRequest, reply: FastifyReply, { text, type }: CustomFile) {
  const etag = etagOf(text);
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isUnchanged(request, etag)) return reply.code(304).send();
  return reply.type(`${type}; charset=utf-8`).send(text);
}
