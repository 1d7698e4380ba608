/** API calls of the usage log: administrators see all entries, others their own. */
import type * as z from 'zod/mini';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { tokenCalls } from '../../../../src/api/accounts/token.ts';
import { userCalls } from '../../../../src/api/accounts/user.ts';
import { type Log, logCalls } from '../../../../src/api/logs/log.ts';
import { buildRemoteRequest } from '../../../../src/api/remote.ts';
import { factsIn, type LogFacts, readFacts } from '../../../../src/domain/logs/log-facts.ts';
import { type CallOptions, client } from '../../lib/api/api.ts';
import { filterOf, type LogChoice, type LogFilter } from './list/log-filter.ts';

/** An entry with its facts instead of their text. */
export type LogEntry = Omit<z.output<typeof Log>, 'other'> & { readonly facts: LogFacts };

const logs = client(logCalls);
const users = client(userCalls);
const account = client(accountCalls);
const tokens = client(tokenCalls);

interface AskedPage {
  readonly choice: LogChoice;
  readonly isAdmin: boolean;
  readonly p: number;
  readonly page_size: number;
}

export async function listLogs({ choice, isAdmin, ...paging }: AskedPage, how: CallOptions) {
  const query = { ...filterOf(choice, isAdmin, Math.floor(Date.now() / 1000)), ...paging };
  const { items, ...page } = await (isAdmin ? logs.list(query, how) : logs.listOwn(query, how));
  const entries = items.map(({ other, ...entry }) => ({ ...entry, facts: readFacts(other) }));
  return { ...page, items: entries };
}

export function sumLogs(
  isAdmin: boolean,
  filter: LogFilter,
  signal: AbortSignal,
): ReturnType<typeof logs.stat> {
  return isAdmin ? logs.stat(filter, { signal }) : logs.statOwn(filter, { signal });
}

/** One complete entry, with the fields that lists truncate. */
export async function readLog(
  isAdmin: boolean,
  id: number,
  signal: AbortSignal,
): Promise<LogEntry> {
  const { other, ...entry } = isAdmin
    ? await logs.detail({ id }, { signal })
    : await logs.detailOwn({ id }, { signal });
  return { ...entry, facts: factsIn(other) };
}

export type ExportForm = 'csv' | 'jsonl';

/** The browser downloads the file itself, so that its size does not matter to the page. */
export function exportAddress(isAdmin: boolean, form: ExportForm, filter: LogFilter): string {
  const table = {
    csv: isAdmin ? logCalls.exportCsv : logCalls.exportOwnCsv,
    jsonl: isAdmin ? logCalls.exportJsonl : logCalls.exportOwnJsonl,
  };
  return buildRemoteRequest(table[form], { ...filter }).path;
}

export function readUser(id: number, signal: AbortSignal): ReturnType<typeof users.get> {
  return users.get({ id }, { signal });
}

/** The names of the reader's own tokens with this part. */
export async function tokenNames(part: string, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await tokens.search({ keyword: part, page_size: 50 }, { signal });
  return items.map(({ name }) => name);
}

export function listModels(signal: AbortSignal): ReturnType<typeof account.models> {
  return account.models({}, { signal });
}
