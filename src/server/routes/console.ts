/** The built web console: hashed files for ever, the page itself never from a cache. */
import { createHash } from 'node:crypto';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { AddressOf } from '../request/client-address.ts';
import type { TakePlace } from '../request/pre-handlers.ts';
import type { ConsolePage } from './console-page.ts';

export interface ConsoleParts {
  readonly ctx: Context;
  readonly webRoot: string;
  readonly page: ConsolePage;
  readonly addressOf: AddressOf;
  readonly takePlace: TakePlace;
}

export async function consoleRoutes(app: FastifyInstance, parts: ConsoleParts): Promise<void> {
  const { ctx, webRoot, page, addressOf, takePlace } = parts;
  // Pages count. Their files do not: a page asks for many at once, and a whole office may stand
  // behind one address.
  const counted = { onRequest: (request: FastifyRequest) => takePlace('web', addressOf(request)) };
  app.get('/', counted, (_request, reply) => page.send(reply));
  app.get('/index.html', counted, (_request, reply) => page.send(reply));
  app.get('/custom/global.css', (request, reply) =>
    custom(request, reply, { text: globalCss(ctx), type: 'text/css' }),
  );
  app.get('/custom/global.js', (request, reply) =>
    custom(request, reply, { text: ctx.options().get('global_js'), type: 'text/javascript' }),
  );
  await app.register(fastifyStatic, {
    root: webRoot,
    cacheControl: false,
    index: false,
    // A route per file: a catch-all would claim every unknown path of the APIs.
    wildcard: false,
    globIgnore: ['index.html', '**/*.{br,gz}'],
    // The build lays them beside what they compress: no request pays for it.
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

/** A stylesheet that closes its tag to open a script is none. */
function globalCss(ctx: Context): string {
  const css = ctx.options().get('global_css');
  if (/<\/?script/iu.test(css))
    throw new AppError('option_invalid', { key: 'global_css', problem: 'holds a script tag' });
  return css;
}

interface CustomFile {
  readonly text: string;
  readonly type: string;
}

function custom(request: FastifyRequest, reply: FastifyReply, { text, type }: CustomFile) {
  if (text === '') return reply.code(204).send();
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(`${type}; charset=utf-8`).send(text);
}
