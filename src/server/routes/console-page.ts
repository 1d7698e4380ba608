/**
 * The HTML page for every path of the console's router, with the content that a super admin adds.
 * Each response has its own nonce, so only scripts that were in the page may run.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { errorText } from '../../locales/text.ts';
import type { AddressOf } from '../request/client-address.ts';
import { managementLanguage } from '../request/language.ts';
import type { CountRequest } from '../request/request-checks.ts';
import { etagOf, isUnchanged } from '../response/etag.ts';
import { pageHeaders, secureTransport } from '../response/security-headers.ts';

/** Answers a request with the page, or with the reason why not as a text that a browser shows. */
export type ConsolePage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface ConsolePageParts {
  readonly ctx: Context;
  readonly webRoot: string;
  readonly addressOf: AddressOf;
  readonly countRequest: CountRequest;
}

/** `?safe=1` returns the page as built, in case an administrator's addition has broken it. */
const SAFE_MODE = '1';
const NONCE = '__nonce__';
const NONCE_BYTES = 16;
/** Tags that load or run a script. */
const SCRIPTS = /<(script|link rel="modulepreload")(?=[\s>])/giu;

export async function consolePage(parts: ConsolePageParts): Promise<ConsolePage> {
  const { ctx, webRoot, addressOf, countRequest } = parts;
  const built = await readFile(path.join(webRoot, 'index.html'), 'utf8');
  const headEnd = built.indexOf('</head>');
  const before = built.slice(0, headEnd);
  const after = built.slice(headEnd);
  return async (request, reply) => {
    try {
      await countRequest('web', addressOf(request));
    } catch (error) {
      if (error instanceof AppError) return sendRefusal(ctx, request, reply, error);
      throw error;
    }
    const own = isSafeMode(request) ? '' : customHead(ctx);
    const page = withLanguage(ctx, before + own + after).replaceAll(
      SCRIPTS,
      `<$1 nonce="${NONCE}"`,
    );
    const etag = etagOf(page, JSON.stringify(pageHeaders(ctx, NONCE)));
    reply.header('etag', etag);
    // The browser keeps the page with its headers, which have the nonce of its scripts.
    if (isUnchanged(request, etag))
      return reply.code(304).header('cache-control', 'no-cache').send();
    const nonce = ctx.random(NONCE_BYTES).toString('base64');
    return reply
      .headers({
        ...pageHeaders(ctx, nonce),
        ...secureTransport(ctx, request),
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE, nonce));
  };
}

function sendRefusal(ctx: Context, request: FastifyRequest, reply: FastifyReply, error: AppError) {
  if (error.retryAfterSec !== undefined) reply.header('retry-after', String(error.retryAfterSec));
  return reply
    .code(error.status)
    .type('text/plain; charset=utf-8')
    .send(errorText(error, managementLanguage(ctx, request)));
}

/** For readers whose language is unknown; the console reads it before its first call. */
function withLanguage(ctx: Context, page: string): string {
  const language = ctx.options().get('DefaultLanguage');
  return page.replace('<html ', `<html data-language="${language}" `);
}

function isSafeMode({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'safe' in query && query.safe === SAFE_MODE;
}

function customHead(ctx: Context): string {
  const options = ctx.options();
  const css =
    options.get('global_css') === '' ? '' : '<link rel="stylesheet" href="/custom/global.css">';
  const js =
    options.get('global_js') === '' ? '' : '<script src="/custom/global.js" defer></script>';
  return options.get('custom_head_html') + css + js;
}
