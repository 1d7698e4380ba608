/**
 * A management call, written once as data. The server mounts it, the CLI calls it (in process or
 * over HTTP), the web calls it, and the API description is printed from it.
 */
import * as z from 'zod/mini';

export type Role = 0 | 1 | 10 | 100;
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

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
  /** Critical rate-limit class, in addition to the global one. */
  readonly critical?: true;
  readonly captcha?: true;
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

/** What `src/services/<noun>.ts` must export for a table of calls. */
export type Service<C extends Calls, Ctx> = {
  [N in keyof C]: (
    ctx: Ctx,
    actor: Actor,
    input: z.output<C[N]['input']>,
  ) => Promise<z.input<C[N]['reply']>>;
};

/** What a caller of the table sees, whether in process or over HTTP. */
export type Client<C extends Calls> = {
  [N in keyof C]: (input: z.input<C[N]['input']>) => Promise<z.output<C[N]['reply']>>;
};

/** The parts of inputs and replies that many calls share. */
export const Nothing = z.void();
export const Id = z.coerce.number().check(z.int(), z.positive());
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
export function pageSize(query: {
  page_size?: number | undefined;
  size?: number | undefined;
}): number {
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
