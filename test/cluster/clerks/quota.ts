/** Raises balances manually; each change has an idempotency key and is sent more than once. */
import { anyUrl, type Clerk, Tally, type Workplace } from './clerk.ts';

interface Raise {
  readonly ledgerKey: string;
  readonly units: number;
  readonly isAcknowledged: boolean;
}

export function quotaClerk(place: Workplace): Clerk {
  const { cluster, desk } = place;
  const { chief, people } = cluster.furniture;
  const tally = new Tally();
  const raises: Raise[] = [];

  const turn = async (): Promise<void> => {
    const number = place.next();
    const id = people[number % people.length]?.id ?? 0;
    const [units, key] = [1_000 + number, `raise-${number}`];
    const send = () =>
      desk.insist({
        url: anyUrl(place),
        method: 'POST',
        path: '/api/user/quota',
        token: chief.accessToken,
        body: { id, mode: 'add', units, key },
      });
    const both = (await Promise.all([send(), send()])).map((outcome) => tally.note(outcome));
    const done = both.filter(({ kind }) => kind === 'done');
    const first = done.filter((outcome) => outcome.kind === 'done' && !outcome.data.repeated);
    if (first.length > 1) tally.found('doubled', `${key} was told twice to be new`);
    raises.push({ ledgerKey: `user-edit:${id}:${key}`, units, isAcknowledged: done.length > 0 });
  };

  return {
    name: 'balances raised, each sent twice',
    everyMs: 1_500,
    tally,
    turn,
    async judge({ reads }) {
      const rows = await reads('ledger').where({ cause: 'admin_edit' }).select('key', 'user_units');
      for (const { ledgerKey, units, isAcknowledged } of raises) {
        const own = rows.filter(({ key }) => key === ledgerKey);
        if (own.length === 0 && isAcknowledged) tally.found('lost', ledgerKey);
        if (own.length > 1) tally.found('doubled', ledgerKey);
        if (own.length === 1 && Number(own[0]?.user_units) !== units)
          tally.found('lost', `${ledgerKey} is ${own[0]?.user_units}, not ${units}`);
      }
    },
  };
}
