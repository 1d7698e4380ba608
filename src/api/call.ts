/**
 * Types and helpers that define management calls as data. The server mounts them, the CLI calls
 * them (in process or over HTTP), the console calls them, and the API description is generated from
 * them.
 */
import * as z from 'zod/mini';
import type { AppError } from '../domain/errors/errors.ts';
import type { Language } from '../domain/languages.ts';
import type { ReverseProxy } from '../domain/reverse-proxies.ts';
import { ROLES, type Role } from '../domain/roles.ts';
import { problemMessage } from './input-problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * How a reply is sent over HTTP.
 * - `envelope`: `{success, message, data}`, the default
 * - `flat`: the reply's own fields beside `success` and `message`
 * - `bare`: the reply is the whole JSON body
 * - `text`: a string, sent as text/plain
 * - `redirect`: a string, sent as the Location of a 302
 * - `stream`: an `AsyncIterable<string>`, sent as it arrives, with `contentType`
 */
export type ReplyFormat = 'envelope' | 'flat' | 'bare' | 'text' | 'redirect' | 'stream';

export interface Call<
  I extends z.ZodMiniType = z.ZodMiniType,
  R extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly method: Method;
  /** Path parameters start with a colon; other fields are in the query (GET, DELETE) or body. */
  readonly path: string;
  /** Lowest role that may call: 0 guest, 1 user, 10 admin, 100 super admin. */
  readonly role: Role;
  readonly summary: string;
  readonly input: I;
  readonly reply: R;
  /** Alternative routes for existing clients: the same call with the same rules. */
  readonly also?: readonly { readonly method: Method; readonly path: string }[];
  /** Fields of a call with a body that clients send in the query string. */
  readonly query?: readonly string[];
  /** A field that programs may send as their Bearer credential instead. */
  readonly bearer?: string;
  /** A field in whose object older clients send the others. */
  readonly wrapper?: string;
  /** Default: `envelope`. */
  readonly wire?: ReplyFormat;
  /** For `stream`. */
  readonly contentType?: string;
  /** Counts in the critical rate-limit class, in addition to the global one. */
  readonly critical?: true;
  /** Requires a captcha response in the query field `turnstile` if captchas are enabled. */
  readonly captcha?: true;
  /** Requires a browser session; access tokens are refused. */
  readonly sessionOnly?: true;
  /** Called by other servers or sites: skips the origin check. */
  readonly isCrossSite?: true;
  /** The body may be as large as that of a model call; it is read only after authentication. */
  readonly isLarge?: true;
  /** Also accepts a form body. */
  readonly form?: true;
  /** Scripts of any site may call it with an access token; browsers send no cookie. */
  readonly cors?: true;
  /** HTTP status of errors, where the API contract requires another than 200. */
  readonly failureStatus?: 400 | 403;
  /** Also allowed in demo mode; its service decides what may be changed then. */
  readonly isAllowedInDemo?: true;
  /** Set for a GET that changes data; all other methods always do. */
  readonly changesData?: true;
}

export type Calls = Readonly<Record<string, Call>>;

/** A method and a path, as in `GET /api/token/:id`. */
type Route = `${Method} /${string}`;

const NoFields = z.object({});
const Nothing = z.void();

type CallRow<I extends z.ZodMiniType, R extends z.ZodMiniType> = Omit<
  Call<I, R>,
  'method' | 'path' | 'role' | 'also' | 'input' | 'reply'
> & { readonly input?: I; readonly reply?: R; readonly also?: readonly Route[] };

/** Defines calls by the lowest role that may make them. */
export const call = {
  guest: callsFor(ROLES.guest),
  user: callsFor(ROLES.user),
  admin: callsFor(ROLES.admin),
  superAdmin: callsFor(ROLES.super_admin),
};

/** A call without input fields, or without a reply, leaves out the schema. */
function callsFor(role: Role) {
  return <I extends z.ZodMiniType = typeof NoFields, R extends z.ZodMiniType = typeof Nothing>(
    route: Route,
    { also, ...row }: CallRow<I, R>,
  ) =>
    ({
      role,
      input: NoFields,
      reply: Nothing,
      ...row,
      ...endpointOf(route),
      ...(also !== undefined && { also: also.map(endpointOf) }),
    }) as Call<I, R>; // a left-out schema is the default of its type
}

function endpointOf(route: Route): { method: Method; path: string } {
  const [method, path] = route.split(' ') as [Method, string]; // of the type of a route
  return { method, path };
}

/** The caller: a signed-in user, or the operator at the machine's own terminal (local CLI). */
export type Actor =
  | { readonly kind: 'operator' }
  | {
      readonly kind: 'user';
      readonly id: number;
      readonly role: Role;
      readonly group: string;
      /** Chosen in the account. */
      readonly language?: Language | undefined;
    };

/** Cookies that a service may set; the server knows their names and attributes. */
export type CookieName = 'session' | 'sign_in';

export interface CookieJar {
  get(name: CookieName): string | undefined;
  set(name: CookieName, value: string, maxAgeSec: number): void;
  clear(name: CookieName): void;
}

/** Request details for the few services that sign in, rate-limit or record addresses. */
export interface Visit {
  /** The client's address by the site's proxy rule; empty at the terminal. */
  readonly address: string;
  readonly userAgent: string;
  /** Of what the caller reads (docs/accounts.md#languages). */
  readonly language: Language;
  /** How the caller authenticated. */
  readonly via: 'anonymous' | 'session' | 'access_token' | 'terminal';
  /** The reverse proxy, detected by the request's headers. */
  readonly proxy: ReverseProxy | undefined;
  readonly cookies: CookieJar;
  /**
   * Reports what the call takes away from users, within its transaction; throws the impact if the
   * caller asked first. Present for the calls that take `impact`.
   */
  readonly reportImpact?: (impact: AppError) => void;
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

/** The exports that `src/services/<noun>.ts` must have for a table of calls. */
export type Service<C extends Calls, Ctx> = {
  [N in keyof C]: (
    ctx: Ctx,
    actor: Actor,
    input: z.output<C[N]['input']>,
    visit: Visit,
  ) => Promise<z.input<C[N]['reply']>>;
};

/** The callable form of a table, in process or over HTTP. */
export type CallClient<C extends Calls> = {
  [N in keyof C]: (input: z.input<C[N]['input']>) => Promise<z.output<C[N]['reply']>>;
};

/** Input and reply schemas shared by many calls. */
/** Text that a `stream` call sends as it arrives. */
export const TextStream = z.custom<AsyncIterable<string>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);
export const CSV = {
  reply: TextStream,
  wire: 'stream',
  contentType: 'text/csv; charset=utf-8',
} as const;
export const JSON_LINES = { ...CSV, contentType: 'application/x-ndjson; charset=utf-8' } as const;

/** Also accepts the decimal text of a path or query, but no other numeric notation. */
export const Id: z.ZodMiniType<number, unknown> = z
  .pipe(
    z.union([z.number(), z.string().check(z.regex(/^\d{1,16}$/, problemMessage('not_int')))]),
    z.transform((value: number | string) => Number(value)),
  )
  .check(z.refine((id) => Number.isSafeInteger(id) && id > 0, problemMessage('not_id')));
export const ById = z.object({ id: Id });

/** Shared by all lists: page is 1-based, lower values mean 1; 10 rows by default, at most 100. */
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
  const requested = Math.trunc(query.page_size ?? query.size ?? 0);
  return requested < 1 ? 10 : Math.min(requested, 100);
}

export function pageSchema<T extends z.ZodMiniType>(item: T) {
  return z.object({ items: z.array(item), page: z.int(), page_size: z.int(), total: z.int() });
}

/** Converts `page` and `page_size` to a store's window. */
export function pageWindow(query: z.output<typeof PageQuery>): {
  page: number;
  page_size: number;
  limit: number;
  offset: number;
} {
  const limit = pageSize(query);
  return { page: query.p, page_size: limit, limit, offset: (query.p - 1) * limit };
}

export interface PageOf<T> {
  readonly items: T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
}

/** The reply of a list whose schema is `pageSchema`. */
export function toPage<T>(
  window: { readonly page: number; readonly page_size: number },
  items: T[],
  total: number,
): PageOf<T> {
  return { items, page: window.page, page_size: window.page_size, total };
}
