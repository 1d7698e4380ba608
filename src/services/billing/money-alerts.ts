/** Reports differences of the ledger, and spending that is several times the usual. */
import { terminalVisit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { unusualSpends } from '../../store/logs/unusual-spend.ts';
import { notifyLedgerDifferences, notifyUnusualSpend } from '../messaging/notify/events.ts';
import { verify } from './ledger-reports.ts';

const TIMES_USUAL = 5;
/** The rest follows in the next run. */
const MOST_ACCOUNTS = 200;

/** Of each account and of the site at most once a day. */
export async function reportUnusualSpend(ctx: Context, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const spends = await unusualSpends(ctx.logDatabase.reads, {
    nowSec: nowSec(ctx),
    times: TIMES_USUAL,
    atLeast: ctx.options().get('QuotaPerUnit'),
    limit: MOST_ACCOUNTS,
  });
  for (const spend of spends) notifyUnusualSpend(ctx, spend);
}

/** At most once a day while the ledger differs. */
export async function reportLedgerDifferences(ctx: Context, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { differences } = await verify(ctx, { kind: 'operator' }, {}, terminalVisit());
  if (differences.length > 0) notifyLedgerDifferences(ctx, differences);
}
