/**
 * A management call, written once as data. The server mounts it, the CLI calls it (in process or
 * over HTTP), the web calls it, and the API description is printed from it.
 */
import * as z from 'zod/mini';
import { because } from './input-problem.ts';

export type Role = 0 | 1 | 10 | 100;
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * How a reply travels over HTTP.
 * - `envelope`: `{success, message, data}`, the rule
 * - `flat`: the reply's own fields beside `success` and `message`
 * - `bare`: the reply is the whole JSON body
 * - `text`: a string, sent as text/plain
 * - `redirect`: a string, sent as the Location of a 302
 * - `stream`: an `AsyncIterable<string>`, sent as it comes, with `contentType`
 */
export type Wire = 'envelope' | 'flat' | 'bare' | 'text' | 'redirect' | 'stream';

export interface Call<
  I extends z.ZodMiniType = z.ZodMiniType,
  R extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly method: Method;
  /** Names after a colon come from the path, the rest from the query (GET, DELETE) or the body. */
  readonly path: string;
  /** Lowest role that may call: 0 guest, 1 user, 10 admin, 100 super admin. */
  readonly role: Role;
  readonly summary: string;
  readonly input: I;
  readonly reply: R;
  /** Further ways in, for clients that know them: the same call, the same rules. */
  readonly also?: readonly { readonly method: Method; readonly path: string }[];
  /** Fields of a body call that clients send in the query string. */
  readonly query?: readonly string[];
  /** `envelope` unless told otherwise. */
  readonly wire?: Wire;
  /** Of a `stream`. */
  readonly contentType?: string;
  /** Critical rate-limit class, in addition to the global one. */
  readonly critical?: true;
  /** Needs the answer of a captcha in the query field `turnstile` while the site asks for one. */
  readonly captcha?: true;
  /** Only a signed-in browser may call: an access token is refused. */
  readonly sessionOnly?: true;
  /** Called by another server or site: no check of where the request comes from. */
  readonly fromElsewhere?: true;
  /** Takes a posted form too. */
  readonly form?: true;
  /** Scripts of every site may read it, with an access token: browsers send no cookie along. */
  readonly cors?: true;
  /** HTTP status of its refusals, where the contract asks for another than 200. */
  readonly failureStatus?: 400 | 403;
  /** Reaches its service in demo mode too, which decides what may be changed then. */
  readonly inDemo?: true;
  /** True for a GET that changes something; others than GET always do. */
  readonly writes?: true;
}

export type Calls = Readonly<Record<string, Call>>;

/** Keeps the exact schema types of a row. */
export function call<I extends z.ZodMiniType, R extends z.ZodMiniType>(
  row: Call<I, R>,
): Call<I, R> {
  return row;
}

/** Who asks: a signed-in user, or the operator at the machine's own terminal (local CLI). */
export type Actor =
  | { readonly kind: 'operator' }
  | { readonly kind: 'user'; readonly id: number; readonly role: Role; readonly group: string };

/** Cookies of this product that a service may set; the server knows their names and attributes. */
export type CookieName = 'session' | 'sign_in';

export interface CookieJar {
  get(name: CookieName): string | undefined;
  set(name: CookieName, value: string, maxAgeSec: number): void;
  clear(name: CookieName): void;
}

/** How a call came in: what the few services need that sign in, limit or record addresses. */
export interface Visit {
  /** Of the client, by the site's proxy rule; empty at the terminal. */
  readonly address: string;
  readonly userAgent: string;
  readonly language: 'en' | 'zh';
  /** How the caller proved who it is. */
  readonly via: 'nobody' | 'session' | 'access_token' | 'terminal';
  /** The reverse proxy whose headers the request carries. */
  readonly proxy: 'nginx' | 'cloudflare' | undefined;
  readonly cookies: CookieJar;
}

const NO_COOKIES: CookieJar = {
  get: () => undefined,
  set: () => undefined,
  clear: () => undefined,
};

/** A call from the machine's own terminal. */
export function terminalVisit(language: Visit['language'] = 'en'): Visit {
  return {
    address: '',
    userAgent: '',
    language,
    via: 'terminal',
    proxy: undefined,
    cookies: NO_COOKIES,
  };
}

/** What `src/services/<noun>.ts` must export for a table of calls. Without a visit: the terminal's. */
export type Service<C extends Calls, Ctx> = {
  [N in keyof C]: (
    ctx: Ctx,
    actor: Actor,
    input: z.output<C[N]['input']>,
    visit?: Visit,
  ) => Promise<z.input<C[N]['reply']>>;
};

/** What a caller of the table sees, whether in process or over HTTP. */
export type Client<C extends Calls> = {
  [N in keyof C]: (input: z.input<C[N]['input']>) => Promise<z.output<C[N]['reply']>>;
};

/** The parts of inputs and replies that many calls share. */
export const Nothing = z.void();
/** Text that a `stream` call sends as it comes. */
export const TextStream = z.custom<AsyncIterable<string>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);
/** Also as the text of a path or query; nothing else that could be counted as a number. */
export const Id: z.ZodMiniType<number, unknown> = z
  .pipe(
    z.union([z.number(), z.string().check(z.regex(/^\d{1,16}$/, because('not_int')))]),
    z.transform((value: number | string) => Number(value)),
  )
  .check(z.refine((id) => Number.isSafeInteger(id) && id > 0, because('not_id')));
export const ById = z.object({ id: Id });

/** One rule for every list: page is 1-based, lower values mean 1; 10 rows unless told, at most 100. */
export const PageQuery = z.object({
  p: z._default(
    z.pipe(
      z.coerce.number(),
      z.transform((page: number) => Math.max(1, Math.trunc(page) || 1)),
    ),
    1,
  ),
  page_size: z.optional(z.coerce.number()),
  size: z.optional(z.coerce.number()),
});

/** Rows per page from `page_size` or its alias `size`. */
function pageSize(query: { page_size?: number | undefined; size?: number | undefined }): number {
  const asked = Math.trunc(query.page_size ?? query.size ?? 0);
  return asked < 1 ? 10 : Math.min(asked, 100);
}

export function pageOf<T extends z.ZodMiniType>(item: T) {
  return z.object({ items: z.array(item), page: z.int(), page_size: z.int(), total: z.int() });
}

/** `page` and `page_size` as a store wants them. */
export function pageWindow(query: z.output<typeof PageQuery>): {
  page: number;
  page_size: number;
  limit: number;
  offset: number;
} {
  const limit = pageSize(query);
  return { page: query.p, page_size: limit, limit, offset: (query.p - 1) * limit };
}
