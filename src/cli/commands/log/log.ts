/** `gateway log`: shows calls and their costs. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BREAKDOWNS } from '../../../api/logs/log.ts';
import { command, type Noun } from '../../command.ts';
import { allOrOwn, listedAllOrOwn } from '../../lookup/all-or-own.ts';
import { listCommand, replyCommand } from '../common-verbs.ts';
import { clear } from './log-clear.ts';
import {
  isAboutOthers,
  LOG_FILTER_FLAGS,
  LOG_VIEW,
  logFiltersOf,
  logLineText,
  withStatusCode,
} from './log-entries.ts';
import { exportLog } from './log-export.ts';

const list = listCommand({
  flags: [...LOG_FILTER_FLAGS, '--limit <n>'],
  examples: [
    'list',
    'list --type error --since 15m',
    'list --user alice --since 2026-11-01 --json',
  ],
  view: LOG_VIEW,
  query: logFiltersOf,
  page: ({ log }, query, flags) => listedAllOrOwn(log, query, isAboutOthers(flags)),
  shown: withStatusCode,
});

const TAIL_ROWS = 20;
const TAIL_BATCH = 500;
const TAIL_EVERY_MS = 2000;

const tail = command({
  usage: 'tail',
  flags: [...LOG_FILTER_FLAGS, '--follow', '--interval <time>', '--limit <n>'],
  examples: [
    'tail --follow',
    'tail --type error --since 15m --fields time,channel,model,status_code,content',
  ],
  ownsSignal: true,
  async run(cli, { follow, interval, limit, ...flags }) {
    const api = await cli.api();
    const filters = await logFiltersOf(cli, flags);
    const everyMs = cli.values.duration('--interval', interval) ?? TAIL_EVERY_MS;
    const rows = cli.values.wholeNumber('--limit', limit) ?? TAIL_ROWS;
    const { signal } = cli.io;
    let after: number | undefined;
    for (;;) {
      const batch = await api.log.tail({
        ...filters,
        after,
        limit: after === undefined ? rows : TAIL_BATCH,
      });
      for (const log of batch) cli.io.out(await logLineText(cli, log));
      after = batch.at(-1)?.id ?? after ?? 0;
      if (!follow || signal.aborted) return;
      if (batch.length < TAIL_BATCH)
        await pause(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  },
});

const get = replyCommand(
  'get <request-id>',
  ['get 20261121093005abcdef', 'get 20261121093005abcdef --json'],
  LOG_VIEW,
  async (api, { 'request-id': request_id }) =>
    (await api.log.get({ request_id })).map(withStatusCode),
);

/** Duplicated here, because importing the call's own list would load the schemas at every start. */
const BY = ['model', 'day', 'user', 'channel', 'token'] as const satisfies typeof BREAKDOWNS;

const stat = command({
  usage: 'stat',
  flags: [...LOG_FILTER_FLAGS, '--by <what>'],
  examples: ['stat --since 24h', 'stat --by model --since 7d'],
  async run(cli, { by, ...flags }) {
    const filters = await logFiltersOf(cli, flags);
    const breakdown = cli.values.choice('--by', by, BY);
    const { log } = await cli.api();
    const isOwnKind = breakdown !== 'user' && breakdown !== 'channel';
    const { groups, ...sums } = await allOrOwn(
      () => log.stat({ ...filters, by: breakdown }),
      () => log.statOwn({ ...filters, ...(isOwnKind && { by: breakdown }) }),
      isAboutOthers(flags) || !isOwnKind,
    );
    const costs = sums.costs === undefined ? [] : ['cost', 'margin'];
    if (groups === undefined)
      return cli.print(withCostColumns(sums), { columns: ['quota', 'count', ...costs] });
    const columns = ['key', 'count', 'quota', ...costs, 'prompt_tokens', 'completion_tokens'];
    await cli.print(groups.map(withCostColumns), { columns, id: 'key' });
  },
});

/** The costs as columns of their own. */
function withCostColumns<T extends { readonly costs?: object | undefined }>({ costs, ...sums }: T) {
  return { ...sums, ...costs };
}

export const log: Noun = {
  name: 'log',
  verbs: [list, tail, get, stat, exportLog, clear],
};
