/** `gateway log`: who called what, and at what cost. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { BREAKDOWNS } from '../../api/log.ts';
import { LOG_TYPE, logTypeOf } from '../../domain/log-types.ts';
import type { Cli } from '../cli.ts';
import { command, type Noun } from '../command.ts';
import { findChannel } from '../find.ts';
import type { View } from '../output.ts';
import { LIST_FLAGS, listed } from '../paging.ts';
import { cellOf, documentOf, LOG_WORDS, oneLine } from '../present.ts';
import type { Api } from '../session.ts';

const VIEW: View = {
  columns: ['created_at', 'type', 'username', 'token_name', 'model_name', 'quota', 'content'],
  wide: ['request_id', 'channel', 'prompt_tokens', 'completion_tokens', 'use_time_ms', 'client_ip'],
  words: LOG_WORDS,
  id: 'request_id',
};

type Document = Readonly<Record<string, unknown>>;
type Log = Awaited<ReturnType<Api['log']['tail']>>[number];

const FILTER_FLAGS = [
  '--type <type>',
  '--user <user>',
  '--token <name>',
  '--model <model>',
  '--channel <channel>',
  '--group <name>',
  '--since <time>',
  '--until <time>',
] as const;

interface FilterFlags {
  readonly type?: string;
  readonly user?: string;
  readonly token?: string;
  readonly model?: string;
  readonly channel?: string;
  readonly group?: string;
  readonly since?: string;
  readonly until?: string;
}

async function filtersOf(cli: Cli, flags: FilterFlags) {
  const { values } = cli;
  const type = flags.type === undefined ? undefined : logTypeOf(flags.type);
  if (flags.type !== undefined && type === undefined) {
    throw values.refuse('--type', 'choice', { choices: Object.keys(LOG_TYPE).join(', ') });
  }
  return {
    type,
    username: flags.user,
    token_name: flags.token,
    model_name: flags.model,
    channel: flags.channel && (await findChannel(cli, flags.channel)).id,
    group: flags.group,
    since: flags.since && values.since('--since', flags.since),
    until: flags.until && values.since('--until', flags.until),
  };
}

const list = command({
  usage: 'list',
  alias: 'ls',
  flags: [...FILTER_FLAGS, ...LIST_FLAGS],
  examples: [
    'list',
    'list --type error --since 15m',
    'list --user alice --since 2026-11-01 --json',
  ],
  async run(cli, flags) {
    const api = await cli.api();
    const filters = await filtersOf(cli, flags);
    await cli.print(
      await listed(cli, flags, (page) => api.log.list({ ...page, ...filters })),
      VIEW,
    );
  },
});

const TAIL_ROWS = 20;
const TAIL_BATCH = 500;
const TAIL_EVERY_MS = 2000;

const tail = command({
  usage: 'tail',
  flags: [...FILTER_FLAGS, '--follow', '--interval <time>', '--limit <n>'],
  examples: [
    'tail --follow',
    'tail --type error --since 15m --fields created_at,channel,model_name,content',
  ],
  ownsSignal: true,
  async run(cli, { follow, interval, limit, ...flags }) {
    const api = await cli.api();
    const filters = await filtersOf(cli, flags);
    const everyMs =
      interval === undefined ? TAIL_EVERY_MS : cli.values.duration('--interval', interval);
    const rows = limit === undefined ? TAIL_ROWS : cli.values.wholeNumber('--limit', limit);
    const { signal } = cli.io;
    let after: number | undefined;
    for (;;) {
      const batch = await api.log.tail({
        ...filters,
        after,
        limit: after === undefined ? rows : TAIL_BATCH,
      });
      for (const log of batch) cli.io.out(await lineOf(cli, log));
      after = batch.at(-1)?.id ?? after ?? 0;
      if (!follow || signal.aborted) return;
      if (batch.length < TAIL_BATCH)
        await pause(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  },
});

/** One row on one line, whatever comes after it: a document per line, or the columns. */
async function lineOf(cli: Cli, log: Log): Promise<string> {
  const { quotaPerUnit } = await cli.session();
  const reading = { quotaPerUnit, words: LOG_WORDS };
  const document = documentOf(log, reading) as Document; // of a record, a record
  const fields = cli.globals.fields && cli.values.list(cli.globals.fields);
  if (!['table', 'wide'].includes(cli.format())) {
    const picked = fields
      ? Object.fromEntries(fields.map((name) => [name, document[name]]))
      : document;
    return `${JSON.stringify(picked)}\n`;
  }
  const columns = fields || VIEW.columns;
  const row: Readonly<Record<string, unknown>> = { ...document, ...log };
  if (cli.io.isTTY)
    return `${columns.map((name) => cellOf(name, row[name], reading)).join('  ')}\n`;
  return `${columns.map((name) => oneLine(String(document[name] ?? ''))).join('\t')}\n`;
}

const get = command({
  usage: 'get <request-id>',
  examples: ['get 20261121093005abcdef', 'get 20261121093005abcdef --json'],
  async run(cli, input) {
    const request_id = input['request-id'];
    await cli.print(await (await cli.api()).log.get({ request_id }), VIEW);
  },
});

/** Named again, as the call's own list would load the schemas at every start. */
const BY = ['model', 'day', 'user', 'channel', 'token'] as const satisfies typeof BREAKDOWNS;

const stat = command({
  usage: 'stat',
  flags: [...FILTER_FLAGS, '--by <what>'],
  examples: ['stat --since 24h', 'stat --by model --since 7d'],
  async run(cli, { by, ...flags }) {
    const filters = await filtersOf(cli, flags);
    const breakdown = by === undefined ? undefined : cli.values.choice('--by', by, BY);
    const { groups, ...sums } = await (await cli.api()).log.stat({ ...filters, by: breakdown });
    if (groups === undefined) return cli.print(sums, { columns: ['quota', 'count'] });
    const columns = ['key', 'count', 'quota', 'prompt_tokens', 'completion_tokens'];
    await cli.print(groups, { columns, id: 'key' });
  },
});

const EXPORT_BATCH = 1000;

const exporting = command({
  usage: 'export',
  flags: [...FILTER_FLAGS, '--format <format>', '--out <path>'],
  examples: [
    'export --format csv --out logs.csv --since 2026-11-01',
    'export --format jsonl | gzip > logs.jsonl.gz',
  ],
  async run(cli, { format = 'csv', out, ...flags }) {
    const form = cli.values.choice('--format', format, ['csv', 'jsonl']);
    const filters = await filtersOf(cli, flags);
    const write = await writer(cli, out);
    let rows = 0;
    // By id, oldest first: rows that are written meanwhile neither repeat nor shift others.
    for await (const batch of batches(await cli.api(), filters)) {
      await write.text(await exported(cli, batch, form, rows === 0));
      rows += batch.length;
    }
    await write.end();
    cli.say(cli.t('cli.say.exported', { count: rows }));
  },
});

async function* batches(api: Api, filters: object): AsyncGenerator<Log[]> {
  for (let after = 0; ; ) {
    const batch = await api.log.tail({ ...filters, after, limit: EXPORT_BATCH });
    if (batch.length > 0) yield batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < EXPORT_BATCH) return;
    after = last.id;
  }
}

async function exported(
  cli: Cli,
  batch: readonly Log[],
  form: 'csv' | 'jsonl',
  isFirst: boolean,
): Promise<string> {
  const { quotaPerUnit } = await cli.session();
  const reading = { quotaPerUnit, words: LOG_WORDS };
  const documents = batch.map((log) => documentOf(log, reading) as Document); // of a record, a record
  if (form === 'jsonl') return documents.map((row) => `${JSON.stringify(row)}\n`).join('');
  const { csvText } = await import('../csv.ts');
  const columns = Object.keys(documents[0] ?? {});
  const rows = documents.map((row) => columns.map((name) => row[name]));
  return csvText(isFirst ? [columns, ...rows] : rows);
}

interface Writer {
  text(text: string): Promise<void>;
  end(): Promise<void>;
}

/** A file that only its owner may read, as logs name people; or stdout. */
async function writer(cli: Cli, path: string | undefined): Promise<Writer> {
  if (path === undefined || path === '-') {
    return { text: async (text) => cli.io.out(text), end: async () => undefined };
  }
  const stream = createWriteStream(path, { mode: 0o600 });
  await once(stream, 'open').catch(() => {
    throw cli.values.refuse('--out', 'file', { path });
  });
  return {
    async text(text) {
      if (!stream.write(text)) await once(stream, 'drain');
    },
    async end() {
      stream.end();
      await once(stream, 'finish');
    },
  };
}

const clear = command({
  usage: 'clear',
  flags: ['--before <time>'],
  examples: ['clear --before 2026-01-01 --yes', 'clear --before 90d --dry-run'],
  async run(cli, { before: text }) {
    if (text === undefined) throw cli.values.refuse('--before', 'required');
    const before = cli.values.since('--before', text);
    const loses = cli.t('cli.loses.logs', { time: new Date(before * 1000).toISOString() });
    const change = { action: 'delete', noun: 'log', name: `--before ${text}`, loses } as const;
    const rows = await cli.change(change, (api) => api.log.clear({ before }));
    if (rows !== undefined)
      await cli.print({ deleted: rows }, { columns: ['deleted'], id: 'deleted' });
  },
});

export const log: Noun = { name: 'log', verbs: [list, tail, get, stat, exporting, clear] };
