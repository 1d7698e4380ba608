/** The turn to apply a document, a lease that its caller holds over several calls. */
import type { Service } from '../../api/call.ts';
import type { siteApplyCalls } from '../../api/site/site-apply.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { type Lease, releaseLease, renewLease } from '../../store/tables/leases-table.ts';
import { randomText } from '../random/random-text.ts';
import { takeLeaseOf } from './exclusive-work.ts';

type Calls = Service<typeof siteApplyCalls, Context>;

const NAME = 'site-apply';
/** A caller that was killed keeps its turn for this long. */
const TTL_MS = 30_000;
const HOLDER_LENGTH = 20;

/** @throws AppError `already_running` while another caller has the turn. */
export const take: Calls['take'] = async (ctx) => {
  const holder = randomText(ctx.random, HOLDER_LENGTH);
  const { fence } = await takeLeaseOf(ctx, { name: NAME, holder, ttlMs: TTL_MS });
  return { turn: `${fence}-${holder}` };
};

/** @throws AppError `already_running` once another caller has taken the turn. */
export const renew: Calls['renew'] = async ({ db }, _actor, { turn }) => {
  if (!(await renewLease(db, leaseOf(turn), TTL_MS)))
    throw new AppError('already_running', { work: NAME });
};

export const giveBack: Calls['giveBack'] = async ({ db }, _actor, { turn }) => {
  await releaseLease(db, leaseOf(turn));
};

function leaseOf(turn: string): Lease {
  const [fence, holder = ''] = turn.split('-');
  return { name: NAME, holder, fence: Math.trunc(Number(fence)) || 0 };
}
