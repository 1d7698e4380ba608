/**
 * API tokens. Owners manage theirs; administrators those of users with a lower role. Quota of a
 * token changes through the ledger; the full key is returned only on creation and by `reveal`.
 */

import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import type { TokenEdit, tokenCalls } from '../../api/accounts/token.ts';
import { type Actor, pageWindow, type Service, toPage } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { differingFields } from '../../domain/defined-fields.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isAdmin } from '../../domain/roles.ts';
import { TOKEN_STATUS } from '../../domain/statuses.ts';
import { withoutKeyPrefix } from '../../domain/token-key.ts';
import { keyHashesOf } from '../../secrets.ts';
import { post } from '../../store/ledger/ledger.ts';
import { deleteBudgetsOf } from '../../store/tables/budget-records.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  deleteToken,
  pageOfTokens,
  type TokenFields,
  type TokenRow,
  tokenById,
  tokenByName,
  tokensByIds,
  tokensOf,
  updateToken,
} from '../../store/tables/tokens-table.ts';
import type { UserRow } from '../../store/tables/users-table.ts';
import {
  isTokenOwner,
  lockAllWithOwners,
  lockOwner,
  lockWithOwner,
  missingTokenError,
  requireListedUser,
  requireToken,
  requireTokenAccess,
} from '../access/token-owners.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { requireOwnerProof } from '../credentials/owner-proof.ts';
import { actorName, recordAction, roleOf } from '../logs/audit.ts';
import { makeTokens } from './new-tokens.ts';
import { fullTokenKeys, isKeyKnown, mayReadKey } from './token-keys.ts';
import { checkedTokenFields, isUsable, statusAfter } from './token-rules.ts';
import { tokenView, tokenViews } from './token-views.ts';

type Calls = Service<typeof tokenCalls, Context>;

export const list: Calls['list'] = async (ctx, actor, input) => {
  const window = pageWindow(input);
  const userId = await requireListedUser(ctx, actor, input);
  const filter = {
    keyword: input.keyword,
    ...(input.token ? await keyFilter(ctx, userId, input.token) : {}),
    status: input.status,
    group: input.group,
    userId,
  };
  const { rows, total } = await pageOfTokens(ctx.reads, filter, window);
  return toPage(window, await tokenViews(ctx, rows), total);
};

export const search = list;

/** Bounds the guesses that a reader of one piece could make. */
const MIN_PIECE = 6;

/** A whole key is found by its hash; pieces only among the tokens of one user. */
async function keyFilter(ctx: Context, userId: number | undefined, text: string) {
  const keyHashes = keyHashesOf(ctx.secrets.hash, text);
  if (userId === undefined || text.trim().length < MIN_PIECE) return { keyHashes };
  const [start = '', end] = withoutKeyPrefix(text.trim()).split('***');
  const fits = (key: string) =>
    end === undefined
      ? key.startsWith(start) || key.endsWith(start)
      : key.startsWith(start) && key.endsWith(end);
  const tokens = await tokensOf(ctx.reads, userId);
  const found = tokens.filter((token) => fits(ctx.secrets.decrypt(token.key_cipher)));
  return found.length > 0 ? { ids: found.map(({ id }) => id) } : { keyHashes };
}

export const get: Calls['get'] = async (ctx, actor, { id }) => {
  const token = requireToken(await tokenById(ctx.reads, id), id);
  await requireTokenAccess(ctx, actor, token);
  return tokenView(ctx, token);
};

export const create: Calls['create'] = async (ctx, actor, { count, user, ...input }) => {
  const made = await writing(ctx, async (ctx) => {
    const owner = await lockOwner(ctx, actor, user);
    return makeTokens(ctx, actor, owner, { ...input, count });
  });
  const [first] = made;
  if (first === undefined) throw new AppError('internal');
  return { ...first, tokens: made };
};

export const ensure: Calls['ensure'] = async (ctx, actor, { user, ...input }) =>
  writing(ctx, async (ctx) => {
    const owner = await lockOwner(ctx, actor, user);
    const existing = await tokenByName(ctx.db, owner.id, input.name);
    if (existing !== undefined) return { ...(await tokenView(ctx, existing)), created: false };
    const [made] = await makeTokens(ctx, actor, owner, { ...input, count: 1 });
    if (made === undefined) throw new AppError('internal');
    return { ...made, created: true };
  });

export const edit: Calls['edit'] = (ctx, actor, { id, status_only, ...given }) =>
  writing(ctx, async (ctx) => {
    const sent = status_only ? onlyStatus(given.status) : given;
    const { token, owner } = await lockWithOwner(ctx, actor, id);
    const fields = await checkedTokenFields(ctx, owner, editedFields(token, sent), token);
    const after = { ...token, ...fields, remain_quota: sent.remain_quota ?? token.remain_quota };
    const status = statusAfter(token, after, sent.status, nowSec(ctx));
    await updateToken(ctx.db, id, { ...fields, status });
    await postQuotaChange(ctx, actor, token, after.remain_quota - token.remain_quota);
    await announceChange(ctx.db, 'tokens', id);
    if (!isTokenOwner(actor, owner.id))
      await recordAction(ctx, actor, {
        action: 'token_edit',
        event: {
          event: 'token_changed',
          params: { name: token.name, fields: Object.keys(sent) },
        },
        user: owner,
        facts: { token_id: id },
      });
    return tokenView(ctx, requireToken(await tokenById(ctx.db, id), id));
  });

export const setStatus: Calls['setStatus'] = (ctx, actor, input, visit) =>
  edit(ctx, actor, input, visit);

export const remove: Calls['remove'] = (ctx, actor, { id }) =>
  writing(ctx, async (ctx) => {
    const { token, owner } = await lockWithOwner(ctx, actor, id);
    await deleteOwnedToken(ctx, actor, token, owner);
  });

/** Skips tokens that do not exist or that the actor may not see; returns the count. */
export const removeMany: Calls['removeMany'] = (ctx, actor, { ids }) =>
  writing(ctx, async (ctx) => {
    let count = 0;
    for (const { token, owner } of await lockAllWithOwners(ctx, actor, ids)) {
      await deleteOwnedToken(ctx, actor, token, owner);
      count += 1;
    }
    return count;
  });

async function deleteOwnedToken(
  ctx: TxContext,
  actor: Actor,
  { id, name }: TokenRow,
  owner: UserRow,
): Promise<void> {
  await deleteToken(ctx.db, id, nowSec(ctx));
  await deleteBudgetsOf(ctx.db, 'token', [id]);
  await announceChange(ctx.db, 'tokens', id);
  if (isTokenOwner(actor, owner.id)) return;
  await recordAction(ctx, actor, {
    action: 'token_delete',
    event: { event: 'token_deleted', params: { name } },
    user: owner,
    facts: { token_id: id },
  });
}

/** As `removeMany`; a token without time or quota left cannot be enabled and stays unchanged. */
export const setStatusMany: Calls['setStatusMany'] = (ctx, actor, { ids, status }) =>
  writing(ctx, async (ctx) => {
    const changed: number[] = [];
    for (const { token, owner } of await lockAllWithOwners(ctx, actor, ids)) {
      if (status === TOKEN_STATUS.enabled && !isUsable(token, nowSec(ctx))) continue;
      await updateToken(ctx.db, token.id, { status });
      await announceChange(ctx.db, 'tokens', token.id);
      changed.push(token.id);
      if (isTokenOwner(actor, owner.id)) continue;
      await recordAction(ctx, actor, {
        action: 'token_edit',
        event: { event: 'token_changed', params: { name: token.name, fields: ['status'] } },
        user: owner,
        facts: { token_id: token.id },
      });
    }
    return changed;
  });

/** The full key, for its owner and for super admins. */
export const reveal: Calls['reveal'] = async (ctx, actor, { id, password }, visit) => {
  const token = requireToken(await tokenById(ctx.reads, id), id);
  if (!mayReadKey(actor, token))
    throw isAdmin(roleOf(actor)) ? new AppError('permission_denied') : missingTokenError(id);
  await requireOwnerProof(ctx, actor, visit, { password });
  if (!isKeyKnown(ctx, token)) throw new AppError('token_key_unknown', { token: token.name });
  const [key = ''] = await fullTokenKeys(ctx, actor, [token]);
  return { key };
};

export const revealMany: Calls['revealMany'] = async (ctx, actor, { ids, password }, visit) => {
  const requested = await tokensByIds(ctx.reads, [...new Set(ids)]);
  const tokens = requested.filter((token) => mayReadKey(actor, token) && isKeyKnown(ctx, token));
  if (tokens.length > 0) await requireOwnerProof(ctx, actor, visit, { password });
  const keys = await fullTokenKeys(ctx, actor, tokens);
  return tokens.map(({ id, name }, at) => ({ id, name, key: keys[at] ?? '' }));
};

/** As other gateways of this family return it: their clients add the `sk-` prefix themselves. */
export const key: Calls['key'] = async (ctx, actor, input, visit) => ({
  key: withoutKeyPrefix((await reveal(ctx, actor, input, visit)).key),
});

export const keys: Calls['keys'] = async (ctx, actor, input, visit) => {
  const shown = await revealMany(ctx, actor, input, visit);
  return { keys: Object.fromEntries(shown.map(({ id, key }) => [id, withoutKeyPrefix(key)])) };
};

async function postQuotaChange(
  ctx: TxContext,
  actor: Actor,
  token: TokenRow,
  units: number,
): Promise<void> {
  if (units === 0) return;
  await post(ctx.db, {
    key: `token-edit:${randomUUID()}`,
    cause: 'token_edit',
    userId: token.user_id,
    userUnits: 0,
    tokenId: token.id,
    tokenUnits: units,
    actor: actorName(actor),
    detail: JSON.stringify({ before: token.remain_quota, after: token.remain_quota + units }),
    createdAtSec: nowSec(ctx),
  });
}

type Sent = Omit<z.output<typeof TokenEdit>, 'id' | 'status_only'>;

/** @throws AppError `input_invalid` without a status. */
function onlyStatus(status: Sent['status']): Sent {
  if (status === undefined) throw invalidInput('status', 'not_status');
  return { status };
}

/**
 * The edited fields that are plain columns: balance and status follow other rules. Clients send
 * back whole tokens, so unchanged values are skipped and not validated again.
 */
function editedFields(token: TokenRow, sent: Sent): Partial<TokenFields> {
  const { remain_quota: _quota, status: _status, ...fields } = sent;
  return differingFields(token, fields);
}
