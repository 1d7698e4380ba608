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
import { LOG_FILTER_FLAGS, type LogEntry, logDocument, logFiltersOf } from './log-entries.ts';

const BATCH = 1000;

export const exportLog = command({
  usage: 'export',
  flags: [...LOG_FILTER_FLAGS, '--format <format>', '--out <path>', '--language <language>'],
  examples: [
    'export --format csv --out logs.csv --since 2026-11-01',
    'export --format jsonl | gzip > logs.jsonl.gz',
    'export --language zh > logs.csv',
  ],
  ownsSignal: true,
  async run(cli, { format = 'csv', out, language: word, ...flags }) {
    const form = cli.values.choice('--format', format, ['csv', 'jsonl']);
    const language = cli.values.choice('--language', word ?? cli.language, LANGUAGES);
    const filters = { ...(await logFiltersOf(cli, flags)), language };
    const { isComplete } = await exportEntries(cli, await cli.api(), filters, { form, out });
    return isComplete ? EXIT.ok : EXIT.interrupted;
  },
});

interface Target {
  readonly form: 'csv' | 'jsonl';
  /** A path; stdout without it. */
  readonly out: string | undefined;
}

/**
 * Writes the entries in the order of their ids, oldest first: concurrently written ones cause no duplicates and no
 * gaps. `isComplete` is false if the user interrupted it.
 */
export async function exportEntries(
  cli: Cli,
  api: LocalApi,
  filters: object,
  { form, out }: Target,
): Promise<{ readonly isComplete: boolean }> {
  const write = await writer(cli, out);
  const shown = progress(cli, undefined, 'log export');
  const { signal } = cli.io;
  let rows = 0;
  for await (const batch of batches(api, filters, signal)) {
    await write.text(await exported(cli, batch, form, rows === 0));
    rows += batch.length;
    shown.tick(batch.length);
    if (signal.aborted) break;
  }
  shown.end();
  await write.end();
  if (signal.reason === OUTPUT_LOST) return { isComplete: true };
  cli.note(cli.t('cli.notes.exported', { count: rows }));
  if (signal.aborted) cli.note(cli.t('cli.notes.interrupted'));
  return { isComplete: !signal.aborted };
}

/** Stops between two lines when interrupted. */
async function* batches(
  api: LocalApi,
  filters: object,
  signal: AbortSignal,
): AsyncGenerator<LogEntry[]> {
  for (let after = 0; ; ) {
    const batch = await api.log
      .tail({ ...filters, after, limit: BATCH })
      .catch((error: unknown): LogEntry[] => {
        if (signal.aborted) return [];
        throw error;
      });
    if (batch.length > 0) yield batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    after = last.id;
  }
}

async function exported(
  cli: Cli,
  batch: readonly LogEntry[],
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
    // On the disk before the caller relies on it: `log clear --export` deletes what was written.
    end: () =>
      withWriteErrors(path, async () => {
        await file.sync();
        await file.close();
      }),
  };
}
