/**
 * Management of redemption codes. Paid-out codes are final: a used code cannot be changed or
 * reopened, and the key of a deleted one is not issued again.
 */

import type * as z from 'zod/mini';
import type { NewRedemptions, redemptionCalls } from '../../api/billing/redemption.ts';
import { type Actor, pageWindow, type Service, toPage } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { checkAll, invalidInput } from '../../domain/errors/input-problems.ts';
import { REDEMPTION } from '../../domain/nouns/redemption.ts';
import { redemptionState } from '../../domain/redemption-state.ts';
import { REDEMPTION_STATUS } from '../../domain/statuses.ts';
import {
  countRedemptionsNamed,
  deleteRedemptions,
  disableUnusedRedemptions,
  insertRedemption,
  lockRedemption,
  pageOfRedemptions,
  type RedemptionFields,
  type RedemptionRow,
  redemptionById,
  setRedemptionStatus,
  updateUnusedRedemption,
} from '../../store/tables/redemptions-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { quotaAmountText, recordAction } from '../logs/audit.ts';

type Calls = Service<typeof redemptionCalls, Context>;

/** 32 hexadecimal digits. */
const KEY_BYTES = 16;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const filter = { ...input, state: input.state || undefined };
  const { rows, total } = await pageOfRedemptions(ctx.reads, filter, window, nowSec(ctx));
  const items = rows.map((code) => withState(ctx, code));
  return toPage(window, items, total);
};

function withState(ctx: Context, code: RedemptionRow) {
  return { ...code, state: redemptionState(code, nowSec(ctx)) };
}

export const search = list;

export const get: Calls['get'] = async (ctx, _actor, { id }) =>
  withState(ctx, requireRedemption(await redemptionById(ctx.reads, id)));

export const create: Calls['create'] = async (ctx, actor, { name, ...sent }) => {
  const input = {
    ...sent,
    name: name || quotaAmountText(ctx, sent.quota).slice(0, REDEMPTION.name.most),
  };
  await checkAll(
    () => requireValidPeriod(input),
    () => requireFutureEnd(ctx, input.valid_until),
    () => {
      if (input.key !== '' && input.count > 1) throw invalidInput('count', 'count_of_key');
    },
    () => {
      if (input.is_gift && input.max_uses === 0) throw invalidInput('max_uses', 'zero_uses');
    },
  );
  return writing(ctx, async (ctx) => {
    const keys = keysFor(ctx, input);
    for (const key of keys) await insert(ctx, actor, input, key);
    await recordAction(ctx, actor, {
      action: 'redemption_create',
      event: {
        event: 'redemptions_created',
        params: { count: keys.length, name: input.name, units: input.quota },
      },
      facts: { name: input.name, count: keys.length, quota: input.quota, is_gift: input.is_gift },
    });
    return keys;
  });
};

function keysFor(ctx: Context, { key, count }: z.output<typeof NewRedemptions>): string[] {
  if (key !== '') return [key];
  return Array.from({ length: count }, () => ctx.random(KEY_BYTES).toString('hex'));
}

async function insert(
  ctx: TxContext,
  actor: Actor,
  { name, quota, is_gift, max_uses, valid_from, valid_until }: z.output<typeof NewRedemptions>,
  key: string,
): Promise<void> {
  const isNew = await insertRedemption(ctx.db, {
    user_id: actor.kind === 'user' ? actor.id : 0,
    key,
    name,
    quota,
    is_gift,
    max_uses: is_gift && max_uses > 0 ? max_uses : -1,
    valid_from,
    valid_until,
    created_time: nowSec(ctx),
  });
  if (!isNew) throw new AppError('redemption_key_taken', { key }, { param: 'key' });
}

export const edit: Calls['edit'] = (ctx, actor, { id, status, status_only, ...sent }) =>
  writing(ctx, async (ctx) => {
    const before = requireRedemption(await lockRedemption(ctx.db, { id }));
    if (status_only) await setStatus(ctx, before, status);
    else await setFields(ctx, before, sent);
    await recordAction(ctx, actor, {
      action: 'redemption_edit',
      event: { event: 'redemption_changed', params: { name: before.name } },
      facts: { redemption_id: id, ...(status_only ? { status } : sent) },
    });
    return withState(ctx, requireRedemption(await redemptionById(ctx.db, id)));
  });

async function setStatus(
  ctx: TxContext,
  { id }: RedemptionRow,
  status: number | undefined,
): Promise<void> {
  if (status !== REDEMPTION_STATUS.unused && status !== REDEMPTION_STATUS.disabled)
    throw invalidInput('status', 'not_status');
  if (!(await setRedemptionStatus(ctx.db, id, status))) throw new AppError('redemption_spent');
}

async function setFields(
  ctx: TxContext,
  before: RedemptionRow,
  sent: { readonly [F in keyof RedemptionFields]?: RedemptionFields[F] | undefined },
): Promise<void> {
  const { name, quota, valid_from, valid_until } = before;
  const fields = {
    name: sent.name ?? name,
    quota: sent.quota ?? quota,
    valid_from: sent.valid_from ?? valid_from,
    valid_until: sent.valid_until ?? valid_until,
  };
  await checkAll(
    () => requireValidPeriod(fields),
    () => fields.valid_until !== valid_until && requireFutureEnd(ctx, fields.valid_until),
  );
  if (!(await updateUnusedRedemption(ctx.db, before.id, fields)))
    throw new AppError('redemption_not_unused');
}

export const batchDisable: Calls['batchDisable'] = (ctx, actor, { ids }) =>
  writeAndCount(ctx, actor, 'redemption_disable', (ctx) => disableUnusedRedemptions(ctx.db, ids));

export const countByName: Calls['countByName'] = (ctx, _actor, { name }) =>
  countRedemptionsNamed(ctx.reads, name);

export const removeByName: Calls['removeByName'] = (ctx, actor, { name }) =>
  writeAndCount(ctx, actor, 'redemption_delete', (ctx) =>
    deleteRedemptions(ctx.db, { name }, nowSec(ctx)),
  );

export const removeDisabled: Calls['removeDisabled'] = (ctx, actor) =>
  removeAll(ctx, actor, REDEMPTION_STATUS.disabled);

export const removeUsed: Calls['removeUsed'] = (ctx, actor) =>
  removeAll(ctx, actor, REDEMPTION_STATUS.used);

function removeAll(ctx: Context, actor: Actor, status: number): Promise<number> {
  return writeAndCount(ctx, actor, 'redemption_delete', (ctx) =>
    deleteRedemptions(ctx.db, { status }, nowSec(ctx)),
  );
}

export const remove: Calls['remove'] = async (ctx, actor, { id }) => {
  await writeAndCount(ctx, actor, 'redemption_delete', async (ctx) => {
    const closed = await deleteRedemptions(ctx.db, { id }, nowSec(ctx));
    if (closed === 0) throw new AppError('redemption_missing');
    return closed;
  });
};

const ACTION_EVENTS = {
  redemption_disable: 'redemptions_disabled',
  redemption_delete: 'redemptions_deleted',
} as const;

/** Runs a write that affects any number of codes, and logs the count. */
function writeAndCount(
  ctx: Context,
  actor: Actor,
  action: keyof typeof ACTION_EVENTS,
  work: (ctx: TxContext) => Promise<number>,
): Promise<number> {
  return writing(ctx, async (ctx) => {
    const count = await work(ctx);
    const event = { event: ACTION_EVENTS[action], params: { count } };
    if (count > 0) await recordAction(ctx, actor, { action, event, facts: { count } });
    return count;
  });
}

function requireValidPeriod(code: {
  readonly valid_from: number;
  readonly valid_until: number;
}): void {
  if (code.valid_from > 0 && code.valid_until > 0 && code.valid_from >= code.valid_until)
    throw invalidInput('valid_until', 'before_valid_from');
}

/** A code that has already expired could not be redeemed. */
function requireFutureEnd(ctx: Context, validUntil: number): void {
  if (validUntil > 0 && validUntil <= nowSec(ctx))
    throw invalidInput('valid_until', 'code_end_past');
}

function requireRedemption(code: RedemptionRow | undefined): RedemptionRow {
  if (code === undefined) throw new AppError('redemption_missing');
  return code;
}
