/** `gateway log export`: streams any number of log entries to a file or a pipe. */
import { open } from 'node:fs/promises';
import { LANGUAGES } from '../../../domain/languages.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { progress } from '../../output/progress.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { OUTPUT_LOST } from '../../process/process-io.ts';
import { withWriteErrors } from '../../process/write-failure.ts';
import { LOG_FILTER_FLAGS, type LogLine, logDocument, logFiltersOf } from './log-entries.ts';

const BATCH = 1000;

type Log = Omit<LogLine, 'status_code'>;

export const exportLog = command({
  usage: 'export',
  flags: [
    ...LOG_FILTER_FLAGS,
    '--format <format>',
    '--out <path>',
    '--archived',
    '--language <language>',
  ],
  examples: [
    'export --format csv --out logs.csv --since 2026-11-01',
    'export --format jsonl | gzip > logs.jsonl.gz',
    'export --language zh > logs.csv',
    'export --archived --since 2026-01-01 --out old.csv',
  ],
  ownsSignal: true,
  async run(cli, { format = 'csv', out, archived = false, language: word, ...flags }) {
    const form = cli.values.choice('--format', format, ['csv', 'jsonl']);
    const language = cli.values.choice('--language', word ?? cli.language, LANGUAGES);
    const filters = { ...(await logFiltersOf(cli, flags)), language };
    const write = await writer(cli, out);
    const shown = progress(cli, undefined, 'log export');
    const { signal } = cli.io;
    let rows = 0;
    // Ordered by id, oldest first: concurrently written rows cause no duplicates and no gaps.
    const api = await cli.api();
    const lines = archived ? archivedLines(api, filters) : batches(api, filters, signal);
    for await (const batch of lines) {
      await write.text(await exported(cli, batch, form, rows === 0));
      rows += batch.length;
      shown.tick(batch.length);
      if (signal.aborted) break;
    }
    shown.end();
    await write.end();
    if (signal.reason === OUTPUT_LOST) return EXIT.ok;
    cli.note(cli.t('cli.notes.exported', { count: rows }));
    if (!signal.aborted) return EXIT.ok;
    cli.note(cli.t('cli.notes.interrupted'));
    return EXIT.interrupted;
  },
});

/** Stops between two lines when interrupted. */
async function* batches(
  api: LocalApi,
  filters: object,
  signal: AbortSignal,
): AsyncGenerator<Log[]> {
  for (let after = 0; ; ) {
    const batch = await api.log
      .tail({ ...filters, after, limit: BATCH })
      .catch((error: unknown): Log[] => {
        if (signal.aborted) return [];
        throw error;
      });
    if (batch.length > 0) yield batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    after = last.id;
  }
}

/** The server's stream arrives in arbitrary chunks. */
async function* archivedLines(api: LocalApi, filters: object): AsyncGenerator<Log[]> {
  let rest = '';
  for await (const text of await api.log.exportArchived(filters)) {
    const pieces = (rest + text).split('\n');
    rest = pieces.pop() ?? '';
    if (pieces.length > 0) yield pieces.map(lineOf);
  }
}

function lineOf(text: string): Log {
  const line = JSON.parse(text);
  return { ...line, other: JSON.stringify(line.other) };
}

async function exported(
  cli: Cli,
  batch: readonly Log[],
  form: 'csv' | 'jsonl',
  isFirst: boolean,
): Promise<string> {
  const documents = await Promise.all(batch.map((log) => logDocument(cli, log)));
  if (form === 'jsonl') return documents.map((row) => `${JSON.stringify(row)}\n`).join('');
  const { csvText } = await import('../../../services/logs/csv.ts');
  const columns = Object.keys(documents[0] ?? {});
  const rows = documents.map((row) => columns.map((name) => row[name]));
  return csvText(isFirst ? [columns, ...rows] : rows);
}

interface Writer {
  text(text: string): Promise<void>;
  end(): Promise<void>;
}

/** Writes to stdout, or to a file only its owner can read, because logs contain personal data. */
async function writer(cli: Cli, path: string | undefined): Promise<Writer> {
  if (path === undefined || path === '-') {
    return { text: async (text) => cli.io.out(text), end: async () => undefined };
  }
  const file = await open(path, 'w', 0o600).catch(() => {
    throw cli.values.refuse('--out', 'file', { path });
  });
  return {
    text: (text) => withWriteErrors(path, () => file.appendFile(text)),
    end: () => withWriteErrors(path, () => file.close()),
  };
}
