/** Filters and output of log entries, shared by the commands about them. */

import { type LogFacts, readFacts } from '../../../domain/logs/log-facts.ts';
import { LOG_TYPE, logTypeOf } from '../../../domain/logs/log-types.ts';
import type { LocalApi } from '../../../session/session.ts';
import { oneLine } from '../../../session/text.ts';
import type { Cli } from '../../cli.ts';
import type { FlagsOf } from '../../command.ts';
import { findChannel } from '../../lookup/find-by-name.ts';
import { cellOf, documentOf, LOG_WORDS } from '../../output/field-formats.ts';
import { selectFields, type View } from '../../output/render-reply.ts';

export const LOG_VIEW: View = {
  columns: ['created_at', 'type', 'username', 'token_name', 'model_name', 'quota', 'content'],
  wide: [
    'request_id',
    'channel',
    'cost',
    'prompt_tokens',
    'completion_tokens',
    'use_time_ms',
    'client_ip',
  ],
  aliases: { time: 'created_at', user: 'username', token: 'token_name', model: 'model_name' },
  words: LOG_WORDS,
  id: 'request_id',
};

export type LogEntry = Awaited<ReturnType<LocalApi['log']['tail']>>[number];
export type LogLine = Omit<LogEntry, 'other'> & {
  readonly other: LogFacts;
  /** The upstream's HTTP status, for upstream errors. */
  readonly status_code: number | null;
};
export type LogDocument = Readonly<Record<string, unknown>>;

/** Copies the HTTP status from an error's facts into a field, so that it can be selected. */
export function withStatusCode(log: LogEntry): LogLine {
  const other = readFacts(log.other);
  return { ...log, other, status_code: other.status_code ?? null };
}

export const LOG_FILTER_FLAGS = [
  '--type <type>',
  '--user <user>',
  '--token <name>',
  '--model <model>',
  '--channel <channel>',
  '--tag <tag>',
  '--group <name>',
  '--since <time>',
  '--until <time>',
] as const;

export type LogFilterFlags = FlagsOf<(typeof LOG_FILTER_FLAGS)[number]>;

export async function logFiltersOf(cli: Cli, flags: LogFilterFlags) {
  const { values } = cli;
  const type = flags.type === undefined ? undefined : logTypeOf(flags.type);
  if (flags.type !== undefined && type === undefined) {
    throw values.notAmong('--type', flags.type, Object.keys(LOG_TYPE));
  }
  return {
    type,
    username: flags.user,
    token_name: flags.token,
    model_name: flags.model,
    channel: flags.channel && (await findChannel(cli, flags.channel)).id,
    tag: flags.tag,
    group: flags.group,
    since: flags.since && values.since('--since', flags.since),
    until: flags.until && values.since('--until', flags.until),
  };
}

/** Whether the flags select objects that only administrators may query. */
export function isAboutOthers({ user, channel, tag }: LogFilterFlags): boolean {
  return [user, channel, tag].some((flag) => flag !== undefined);
}

export async function logDocument(cli: Cli, log: LogEntry): Promise<LogDocument> {
  const { quotaPerUnit } = await cli.session();
  const reading = { quotaPerUnit, words: LOG_WORDS };
  return documentOf(withStatusCode(log), reading) as LogDocument; // an object stays an object
}

/** Typical column widths, because streamed entries cannot be aligned to each other. */
const WIDTHS: Readonly<Record<string, number>> = {
  created_at: 19,
  type: 7,
  username: 10,
  token_name: 10,
  model_name: 20,
  quota: 8,
};
/** Minimum terminal width for these columns beside the content. */
const WIDE = 110;

/** Prints one entry per line: as a document or as columns. */
export async function logLineText(cli: Cli, log: LogEntry): Promise<string> {
  const document = await logDocument(cli, log);
  const fields = cli.values.list(cli.globals.fields);
  if (!cli.isTableOutput()) return `${JSON.stringify(selectFields(document, fields, LOG_VIEW))}\n`;
  const { quotaPerUnit } = await cli.session();
  const reading = { quotaPerUnit, words: LOG_WORDS };
  const columns = (fields ?? LOG_VIEW.columns).map((name) => LOG_VIEW.aliases?.[name] ?? name);
  const row: LogDocument = { ...document, ...log };
  if (cli.io.isTTY) {
    const { padded } = await import('../../output/text-table.ts');
    const cells = columns.map((name) => [name, cellOf(name, row[name], row, reading)] as const);
    const aligned = cells.map(([name, text]) => {
      const width = WIDTHS[name];
      if (width === undefined || cli.io.width < WIDE) return text;
      return padded(text, width, name === 'quota');
    });
    return `${aligned.join('  ').trimEnd()}\n`;
  }
  return `${columns.map((name) => oneLine(String(document[name] ?? ''))).join('\t')}\n`;
}
