/** Raises balances manually; each change has an idempotency key and is sent more than once. */
import { changesBy, Tally, type Workload, type WorkloadContext } from './workload.ts';

interface Raise {
  readonly ledgerKey: string;
  readonly units: number;
  readonly isAcknowledged: boolean;
}

export function quotaWorkload(context: WorkloadContext): Workload {
  const { admin, people } = context.cluster.setup;
  const tally = new Tally();
  const change = changesBy(context, tally);
  const raises: Raise[] = [];

  const runOnce = async (): Promise<void> => {
    const number = context.next();
    const id = people[number % people.length]?.id ?? 0;
    const [units, key] = [1_000 + number, `raise-${number}`];
    const body = { id, mode: 'add', units, key };
    const sent = { token: admin.accessToken, body, insists: true };
    const send = () => change('POST /api/user/quota', sent);
    const both = await Promise.all([send(), send()]);
    const done = both.filter(({ kind }) => kind === 'done');
    const first = done.filter((outcome) => outcome.kind === 'done' && !outcome.data.repeated);
    if (first.length > 1) tally.found('doubled', `${key} was confirmed twice as new`);
    raises.push({ ledgerKey: `user-edit:${id}:${key}`, units, isAcknowledged: done.length > 0 });
  };

  return {
    name: 'balances raised, each request sent twice',
    everyMs: 1_500,
    tally,
    runOnce,
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
