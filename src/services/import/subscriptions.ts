/** Credits what is left of paid plans as balance, if asked to: one ledger entry per plan. */
import { nowSec } from '../../context.ts';
import { planRemainder } from '../../domain/import/subscriptions.ts';
import { intIn, type SourceRow } from '../../domain/import/values.ts';
import { postAll } from '../../store/ledger/ledger.ts';
import type { Entry } from '../../store/ledger/ledger-operations.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import { addMappings, type IdPair, mappedIds } from '../../store/tables/imports-table.ts';
import type { ImportRun } from './import-run.ts';
import { sourceNamesOf } from './source-accounts.ts';

const TABLE = 'user_subscriptions';
const FLAG = '--subscriptions';

export async function importSubscriptions(run: ImportRun): Promise<void> {
  const { report, options } = run;
  const credited = await mappedIds(run.ctx.reads, options.name, TABLE);
  await run.history(TABLE, { from: 0 }, async (rows) => {
    const fresh = rows.filter((row) => !credited.has(intIn(row.id)));
    report.count(TABLE, 'already', rows.length - fresh.length);
    const names = await sourceNamesOf(
      run,
      fresh.map((row) => intIn(row.user_id)),
    );
    const entries: Entry[] = [];
    const pairs: IdPair[] = [];
    for (const row of fresh) {
      const plan = planRemainder(row, nowSec(run.ctx));
      const userId = run.user(row.user_id);
      const name = names.get(intIn(row.user_id)) ?? '';
      if (userId === 0) run.skip(TABLE, 'orphan', row);
      else if ('skip' in plan) {
        report.count(TABLE, 'lost');
        report.note(TABLE, plan.skip, { example: name });
      } else if (!options.subscriptions) {
        report.count(TABLE, 'lost');
        report.note(TABLE, 'not_asked', { field: FLAG, example: `${name}: ${plan.units}` });
      } else {
        entries.push(entryFor(run, row, userId, plan.units));
        pairs.push([intIn(row.id), userId]);
      }
    }
    await run.write('users', async (ctx) => {
      await addMappings(ctx.db, options.name, TABLE, pairs);
      await postAll(ctx.db, entries);
      await announceChanges(
        ctx.db,
        'users',
        pairs.map(([, userId]) => userId),
      );
    });
    report.count(TABLE, 'imported', pairs.length);
  });
}

function entryFor({ ctx, options }: ImportRun, row: SourceRow, userId: number, userUnits: number) {
  const id = intIn(row.id);
  return {
    key: `import:${options.name}:subscription:${id}`,
    cause: 'opening',
    userId,
    userUnits,
    actor: 'operator',
    detail: JSON.stringify({ import: options.name, subscription: id }),
    createdAtSec: nowSec(ctx),
  } as const;
}
