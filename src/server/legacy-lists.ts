/**
 * Lists as older clients of this family of gateways read them: plain arrays, whose first page is 0.
 * Such a client sends the family's user header, and `p=0` or a search without a page; with the
 * option `LegacyListsEnabled` every client is one, except the console and the command line. Who has
 * only the key of an API token has no user to name, so that its list without a page is enough.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { Call } from '../api/call.ts';
import type { Context } from '../context.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface LegacyList {
  /** The schema of the array. */
  readonly rows: z.ZodMiniType;
  /** No page was asked for: the client divides the array into pages itself. */
  readonly isWhole: boolean;
}

const FAMILY_HEADERS = ['new-api-user', 'veloera-user'];
const PAGE_FIELDS = ['p', 'page_size', 'size'];

/** How the call must be answered; undefined unless it is a list and the client an old one. */
export function legacyList(
  ctx: Pick<Context, 'options'>,
  { headers, query }: FastifyRequest,
  { call, isGuest }: { readonly call: Call; readonly isGuest: boolean },
): LegacyList | undefined {
  const rows = rowsOf(call);
  if (rows === undefined || call.method !== 'GET') return undefined;
  const sent = query as Fields; // parsed by Fastify
  const isOwn = 'gateway-user' in headers || headers['user-agent']?.startsWith('gateway/');
  const isOfKey = isGuest && call.bearer !== undefined;
  const isUnpaged = PAGE_FIELDS.every((name) => sent[name] === undefined);
  const isWhole = isUnpaged && (isOfKey || call.path.endsWith('/search'));
  const list = { rows, isWhole };
  if (ctx.options().get('LegacyListsEnabled')) return isOwn ? undefined : list;
  if (isOfKey) return isWhole && !isOwn ? list : undefined;
  if (!FAMILY_HEADERS.some((name) => name in headers)) return undefined;
  return sent.p === '0' || isWhole ? list : undefined;
}

function rowsOf({ reply }: Call): z.ZodMiniType | undefined {
  if (!('shape' in reply)) return undefined;
  const { items, page_size } = (reply as z.ZodMiniObject).shape; // only objects have a shape
  return page_size === undefined ? undefined : (items as z.ZodMiniType | undefined);
}

/** The input with the page counted from 1. */
export function pageFromZero(input: Fields, { isWhole }: LegacyList): Fields {
  if (isWhole) return { ...input, p: 1, page_size: MOST_PER_PAGE };
  return { ...input, p: Math.max(0, Math.trunc(Number(input.p ?? 0)) || 0) + 1 };
}

/** The most that `PageQuery` allows. */
const MOST_PER_PAGE = 100;
/** As many entries as other gateways of the family answer at once. */
const MOST_PAGES = 10;

/** The rows of one page, or of all pages up to 1,000 rows. */
export async function legacyItems(
  { isWhole }: LegacyList,
  read: (page: object) => Promise<unknown>,
): Promise<readonly unknown[]> {
  if (!isWhole) return itemsOf(await read({}));
  const items: unknown[] = [];
  for (let p = 1; p <= MOST_PAGES; p += 1) {
    const more = itemsOf(await read({ p }));
    items.push(...more);
    if (more.length < MOST_PER_PAGE) break;
  }
  return items;
}

function itemsOf(page: unknown): readonly unknown[] {
  return (page as { readonly items: readonly unknown[] }).items; // see `rowsOf`
}

export function sendRows(
  reply: FastifyReply,
  rows: readonly unknown[],
  write: (body: object) => string,
) {
  return reply.serializer(write).send({ success: true, message: '', data: rows });
}
