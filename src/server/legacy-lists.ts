/**
 * Lists as older clients of this family of gateways read them: plain arrays, whose first page is 0.
 * Such a client sends the family's user header, and `p=0` or a search without a page; with the
 * option `LegacyListsEnabled` every client is one, except the console and the command line.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { Call } from '../api/call.ts';
import type { Context } from '../context.ts';

const FAMILY_HEADERS = ['new-api-user', 'veloera-user'];

/** The schema of the rows, if the call is a list that must be answered so. */
export function legacyRows(
  ctx: Pick<Context, 'options'>,
  { headers, query }: FastifyRequest,
  call: Call,
): z.ZodMiniType | undefined {
  const rows = rowsOf(call);
  if (rows === undefined || call.method !== 'GET') return undefined;
  const { p, page_size, size } = query as Readonly<Record<string, unknown>>; // parsed by Fastify
  const isOwn = 'gateway-user' in headers || headers['user-agent']?.startsWith('gateway/');
  if (ctx.options().get('LegacyListsEnabled')) return isOwn ? undefined : rows;
  if (!FAMILY_HEADERS.some((name) => name in headers)) return undefined;
  const isWholeSearch = call.path.endsWith('/search') && [p, page_size, size].every(isAbsent);
  return p === '0' || isWholeSearch ? rows : undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined;
}

function rowsOf({ reply }: Call): z.ZodMiniType | undefined {
  if (!('shape' in reply)) return undefined;
  const { items, page_size } = (reply as z.ZodMiniObject).shape; // only objects have a shape
  return page_size === undefined ? undefined : (items as z.ZodMiniType | undefined);
}

/** The input with the page counted from 1; a search answers the most rows that a page may have. */
export function pageFromZero(
  input: Readonly<Record<string, unknown>>,
  { path }: Call,
): Readonly<Record<string, unknown>> {
  const { p, page_size = path.endsWith('/search') ? 100 : undefined } = input;
  const paged = { ...input, p: Math.max(0, Math.trunc(Number(p ?? 0)) || 0) + 1 };
  return page_size === undefined ? paged : { ...paged, page_size };
}

export function sendRows(reply: FastifyReply, page: unknown, write: (body: object) => string) {
  const { items } = page as { readonly items: unknown }; // see `rowsOf`
  return reply.serializer(write).send({ success: true, message: '', data: items });
}
