/** Redemption codes: created under a unique key, then redeemed by two users at the same time. */

import type { Person } from '../site/site-setup.ts';
import type { Outcome } from './management-client.ts';
import { changesBy, Tally, type Workload, type WorkloadContext } from './workload.ts';

interface Code {
  readonly key: string;
  /** Ids of users whose redemption was acknowledged. */
  readonly winners: readonly number[];
  /** A client got the answer that the code is used. */
  readonly isUsed: boolean;
}

const WORTH = 321;

export function codeWorkload(context: WorkloadContext): Workload {
  const { admin, people } = context.cluster.setup;
  const tally = new Tally();
  const change = changesBy(context, tally);
  const codes: Code[] = [];

  const create = async (key: string): Promise<boolean> => {
    const body = { name: 'chaos', quota: WORTH, key };
    const sent = { token: admin.accessToken, body, insists: true };
    const made = await change('POST /api/redemption/', sent);
    // A retry after an unknown outcome: the first request was written.
    return made.kind === 'done' || hasCode(made, 'redemption_key_taken');
  };
  const redeem = (person: Person | undefined, key: string): Promise<Outcome> => {
    const sent = { token: person?.accessToken ?? '', body: { key }, insists: true };
    return change('POST /api/user/topup', sent);
  };

  const runOnce = async (): Promise<void> => {
    const number = context.next();
    const key = `chaos-code-${number}`;
    if (!(await create(key))) return;
    const two = [people[number % people.length], people[(number + 1) % people.length]];
    const outcomes = await Promise.all(two.map((person) => redeem(person, key)));
    const winners = two.filter((_person, at) => outcomes[at]?.kind === 'done');
    codes.push({
      key,
      winners: winners.map((person) => person?.id ?? 0),
      isUsed: outcomes.some((outcome) => hasCode(outcome, 'redeem_used')),
    });
  };

  return {
    name: 'codes created and redeemed by two users',
    everyMs: 3_000,
    tally,
    runOnce,
    async judge({ reads }) {
      const rows = await reads('redemptions').select('id', 'key');
      const idOf = new Map(rows.map(({ id, key }) => [String(key), Number(id)]));
      const paid = await reads('ledger').where({ cause: 'redemption' }).select('key', 'user_id');
      for (const { key, winners, isUsed } of codes) {
        const id = idOf.get(key);
        if (id === undefined) {
          tally.found('lost', `code ${key} is gone`);
          continue;
        }
        const own = paid.filter((row) => String(row.key).startsWith(`redeem:${id}:`));
        if (winners.length > 1 || own.length > 1) tally.found('doubled', `code ${key}`);
        const isLost = winners.some((winner) => !own.some((row) => Number(row.user_id) === winner));
        if (isLost || (isUsed && own.length === 0)) tally.found('lost', `the amount of ${key}`);
      }
    },
  };
}

function hasCode(outcome: Outcome, code: string): boolean {
  return outcome.kind === 'refused' && outcome.code === code;
}
