/** API tokens: credentials of programs, with their limits. */
import * as z from 'zod/mini';
import { TOKEN } from '../../domain/nouns/token.ts';
import { ById, call, Id, PageQuery, pageSchema } from '../call.ts';
import { inputShape, newShape, replyShape } from '../column-schemas.ts';
import { FilterGroup, FilterInt, FilterText, Flag, OwnPassword, PlainLine } from '../fields.ts';

/** Maximum number of tokens per user that are not deleted. */
export const MAX_TOKENS_PER_USER = 1000;

/** Clients send -1 for a token without a limit; it counts as 0. */
const TokenQuota = z.pipe(
  z.int().check(z.minimum(-1)),
  z.transform((units) => Math.max(0, units)),
);

const AllowedAddresses = z.pipe(
  z.nullable(z.string().check(z.maxLength(TOKEN.allow_ips.most))),
  z.transform((text) => text ?? ''),
);

export const tokenFields = inputShape(TOKEN, {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(TOKEN.name.most), PlainLine),
  remain_quota: TokenQuota,
  allow_ips: AllowedAddresses,
  group: z.string().check(z.trim(), z.maxLength(TOKEN.group.most)),
});

export const Token = z.object({
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  ...replyShape(TOKEN),
  /** Masked, except in the reply that creates the token. */
  key: z.string(),
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: z.int(),
  created_time: z.int(),
  accessed_time: z.int(),
  used_quota: z.int(),
  /** Held by running calls; part of `remain_quota`. */
  held: z.int(),
});

const TokenList = z.extend(PageQuery, {
  keyword: FilterText,
  /** A complete key, its masked form, or at least six characters of its start or end. */
  token: FilterText,
  status: FilterInt,
  group: FilterGroup,
  /** User id; for administrators. */
  user: FilterInt,
  /** Tokens of all users, for super admins; ignored for others. */
  everyone: z.optional(Flag),
});

const newFields = {
  ...newShape(TOKEN, tokenFields),
  /** Owner; for administrators. Default: the caller. */
  user: z.optional(Id),
};

export const NewToken = z.object({
  ...newFields,
  /** Number of tokens; all but the first get a random suffix to the name. */
  count: z._default(z.int().check(z.minimum(1), z.maximum(100)), 1),
});

/** The first token created, and all of them; only this reply contains the full keys. */
const TokensMade = z.extend(Token, { tokens: z.array(Token) });

/** Writes only the fields sent; with `status_only` only `status`, as in `setStatus`. */
export const TokenEdit = z.extend(z.partial(z.object(tokenFields)), {
  id: Id,
  status: z.optional(z.union([z.literal(1), z.literal(2)])),
  status_only: z.optional(Flag),
});

const Ids = z.array(Id).check(z.minLength(1), z.maxLength(100));

const listRow = { input: TokenList, reply: pageSchema(Token) } as const;

export const tokenCalls = {
  list: call.user('GET /api/token/', { ...listRow, summary: 'Lists API tokens' }),
  search: call.user('GET /api/token/search', { ...listRow, summary: 'Searches API tokens' }),
  get: call.user('GET /api/token/:id', {
    summary: 'Shows an API token',
    input: ById,
    reply: Token,
  }),
  create: call.user('POST /api/token/', {
    summary: 'Creates one or more API tokens',
    input: NewToken,
    reply: TokensMade,
  }),
  ensure: call.user('POST /api/token/ensure', {
    summary: 'Creates an API token, unless the user has one with this name',
    input: z.object(newFields),
    reply: z.extend(Token, { created: z.boolean() }),
  }),
  edit: call.user('PUT /api/token/', {
    summary: 'Changes the given fields',
    input: TokenEdit,
    reply: Token,
    query: ['status_only'],
  }),
  setStatus: call.user('POST /api/token/:id/status', {
    summary: 'Enables (1) or disables (2) an API token',
    input: z.object({ id: Id, status: z.union([z.literal(1), z.literal(2)]) }),
    reply: Token,
  }),
  remove: call.user('DELETE /api/token/:id', {
    summary: 'Deletes an API token',
    input: ById,
  }),
  removeMany: call.user('POST /api/token/batch', {
    summary: 'Deletes API tokens and returns their number',
    input: z.object({ ids: Ids }),
    reply: z.int(),
  }),
  setStatusMany: call.user('POST /api/token/batch/status', {
    summary: 'Enables or disables API tokens and returns those that were changed',
    input: z.object({ ids: Ids, status: z.union([z.literal(1), z.literal(2)]) }),
    reply: z.array(z.int()),
  }),
  reveal: call.user('POST /api/token/:id/reveal', {
    summary: 'Shows the whole key of an API token',
    input: z.extend(ById, { password: OwnPassword }),
    reply: z.object({ key: z.string() }),
  }),
  revealMany: call.user('POST /api/token/batch/reveal', {
    summary: 'Shows the whole keys of those API tokens that the caller may see',
    input: z.object({ ids: Ids, password: OwnPassword }),
    reply: z.array(z.object({ id: z.int(), name: z.string(), key: z.string() })),
  }),
  key: call.user('POST /api/token/:id/key', {
    summary: 'Shows the whole key of an API token without its prefix, for clients that add it',
    input: z.extend(ById, { password: OwnPassword }),
    reply: z.object({ key: z.string() }),
  }),
  keys: call.user('POST /api/token/batch/keys', {
    summary: 'Shows the whole keys of API tokens without their prefix, by id',
    input: z.object({ ids: Ids, password: OwnPassword }),
    reply: z.object({ keys: z.record(z.string(), z.string()) }),
  }),
};
