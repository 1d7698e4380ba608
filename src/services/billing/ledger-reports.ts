/** Ledger reports: verification, the list of entries, and the history of one request. */
import type * as z from 'zod/mini';
import type { ledgerCalls } from '../../api/billing/ledger.ts';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { JsonFields } from '../../domain/json-fields.ts';
import {
  attemptsIn,
  factsText,
  type LogFacts,
  readFacts,
  triedChannels,
} from '../../domain/logs/log-facts.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { inSnapshot } from '../../store/connection/transaction.ts';
import {
  countEntriesAfter,
  countRows,
  differencesIn,
  type LedgerDifference,
  lostAccounts,
} from '../../store/ledger/ledger-differences.ts';
import {
  entriesByKey,
  holdOfRequest,
  type LedgerEntryRow,
  pageOfEntries,
} from '../../store/ledger/ledger-queries.ts';
import { type ChangedSum, currentRun, sumLedgerAgain } from '../../store/ledger/ledger-sums.ts';
import { windowDifferences } from '../../store/ledger/window-differences.ts';
import { type FailedCallRow, failedCallOfRequest } from '../../store/logs/failed-calls.ts';
import { logsOfRequest, type StoredLog } from '../../store/logs/log-rows.ts';
import { wordedAttempts } from '../logs/attempt-words.ts';
import { eventAudience } from '../logs/audit.ts';
import { failedCallAttempts, failedCallView } from '../logs/failed-call-view.ts';
import { logViews, mayReadAllLogs, ownFacts, printedLog } from '../logs/log-view.ts';

type Calls = Service<typeof ledgerCalls, Context>;

const MAX_DIFFERENCES = 100;

/** Reads the entries that the job `ledger_sums` has not summed yet; with `full` every entry. */
export const verify: Calls['verify'] = async (ctx, _actor, { full }) => {
  const changed = full ? await sumLedgerAgain(ctx, MAX_DIFFERENCES) : [];
  return inSnapshot(ctx, async (snapshot) => {
    const run = await currentRun(snapshot);
    const differences: LedgerDifference[] = [];
    for (const table of ['users', 'tokens'] as const) {
      const scope = { run, limit: MAX_DIFFERENCES };
      differences.push(...(await differencesIn(snapshot, table, scope)));
      differences.push(...(await lostAccounts(snapshot, table, scope)));
    }
    const isFull = full === true;
    differences.push(
      ...(await windowDifferences(snapshot, { full: isFull, limit: MAX_DIFFERENCES })),
    );
    const known = new Set(differences.map(({ table, id }) => `${table}:${id}`));
    differences.push(
      ...changed.filter(({ account, id }) => !known.has(`${account}:${id}`)).map(asDifference),
    );
    return {
      ok: differences.length === 0,
      checked: {
        users: await countRows(snapshot, 'users'),
        tokens: await countRows(snapshot, 'tokens'),
        channels: await countRows(snapshot, 'channels'),
        holds: await countRows(snapshot, 'holds'),
        entries: run.entries + (await countEntriesAfter(snapshot, run)),
      },
      differences: differences.slice(0, MAX_DIFFERENCES),
    };
  });
};

function asDifference({ account, id, before, now }: ChangedSum): LedgerDifference {
  const column = SUMMED_COLUMN[account];
  return { table: account, id, column, stored: before, expected: now };
}

const SUMMED_COLUMN = { users: 'quota', tokens: 'remain_quota', channels: 'used_quota' } as const;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const filter = {
    user_id: input.user,
    token_id: input.token,
    channel_id: input.channel,
    cause: input.cause,
  };
  const { rows, total } = await pageOfEntries(ctx.reads, filter, window);
  return toPage(window, [...rows], total);
};

/**
 * Users see their own requests, without upstream names and responses.
 * @throws AppError request_missing when there is no record of the request.
 */
export const explain: Calls['explain'] = async (ctx, actor, { request_id }, visit) => {
  const mayRead = ({ user_id }: { readonly user_id: number }) =>
    mayReadAllLogs(actor) || (actor.kind === 'user' && actor.id === user_id);
  const logs = (await logsOfRequest(ctx.logDatabase.reads, request_id)).filter(mayRead);
  const kinds = ['call', 'refund', 'refund:task'];
  const keys = kinds.map((kind) => `${kind}:${request_id}`);
  const ledger = (await entriesByKey(ctx.reads, keys)).filter(mayRead);
  const hold = [await holdOfRequest(ctx.reads, request_id)].find((row) => row && mayRead(row));
  const failed = [await failedCallOfRequest(ctx.reads, request_id)].find(
    (row) => row && mayRead(row),
  );
  if (logs.length === 0 && ledger.length === 0 && !hold && !failed)
    throw new AppError('request_missing', { id: request_id });
  const shown = await logViews(ctx, actor, logs, visit.language);
  const entries = mayReadAllLogs(actor) ? ledger : ledger.map((row) => ownEntry(ctx, row));
  const charged = shown.find((row) => row.type === LOG_TYPE.consume);
  return {
    request_id,
    logs: shown.map(printedLog),
    ledger: entries,
    hold: hold ?? null,
    failure: failed === undefined ? null : failedCallView(failed, visit.language),
    attempts: mayReadAllLogs(actor)
      ? wordedAttempts(mostAttempts(logs, failed), eventAudience(ctx, visit.language))
      : [],
    price: priceFacts(charged?.facts ?? readFacts(entries[0]?.detail ?? '')),
  };
};

/** Each log entry of a request has all its attempts. */
function mostAttempts(logs: readonly StoredLog[], failed: FailedCallRow | undefined) {
  const lists = [...logs.map(attemptsOf), failed === undefined ? [] : failedCallAttempts(failed)];
  return lists.reduce((most, list) => (list.length > most.length ? list : most), []);
}

/** Attempts as the relay recorded them; older entries have only the channel ids. */
function attemptsOf({ facts }: StoredLog): readonly JsonFields[] {
  const attempts = attemptsIn(facts);
  if (attempts.length > 0) return attempts;
  return triedChannels(facts).map((id) => ({ channel_id: Number(id) }));
}

function ownEntry(ctx: Context, row: LedgerEntryRow): LedgerEntryRow {
  const hides = ctx.options().get('global.hide_upstream_error_enabled');
  const detail = factsText(ownFacts(readFacts(row.detail), hides));
  return { ...row, id: 0, channel_id: 0, channel_units: 0, detail };
}

function priceFacts({
  admin_info: _,
  ...price
}: LogFacts): z.input<(typeof ledgerCalls)['explain']['reply']>['price'] {
  return price;
}
