/** `gateway log clear`: deletes old log entries, on request after writing them to a file. */

import type { LocalApi } from '../../../session/session.ts';
import { localTime } from '../../../session/text.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { progress } from '../../output/progress.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { exportEntries } from './log-export.ts';

export const clear = command({
  usage: 'clear',
  flags: ['--before <time>', '--export <path>'],
  examples: [
    'clear --before 2026-01-01 --yes',
    'clear --before 90d --dry-run',
    'clear --before 90d --export old.jsonl --yes',
  ],
  ownsSignal: true,
  async run(cli, { before: text, export: file }) {
    if (text === undefined) throw cli.values.refuse('--before', 'required');
    const before = cli.values.since('--before', text);
    const name = `--before ${text}`;
    const api = await cli.api();
    const counted = await api.log.list({ until: before - 1, page_size: 1 });
    const total = counted.total_is_estimate ? undefined : counted.total;
    if (cli.globals.dryRun) {
      const shown = `${name} (${total ?? `over ${counted.total}`})`;
      cli.showPlan({ action: 'delete', noun: 'log', name: shown }, {});
      return EXIT.ok;
    }
    await cli.confirm(`log ${name}`, cli.t('cli.loses.logs', { time: localTime(before) }));
    if (file !== undefined && !(await exportBefore(cli, api, before, file)))
      return EXIT.interrupted;
    return deleteBefore(cli, api, before, total);
  },
});

/** Returns false if it was interrupted: the file is then incomplete and nothing may be deleted. */
async function exportBefore(
  cli: Cli,
  api: LocalApi,
  before: number,
  file: string,
): Promise<boolean> {
  const form = /\.csv$/i.test(file) ? 'csv' : 'jsonl';
  const filters = { until: before - 1, language: cli.language };
  const { isComplete } = await exportEntries(cli, api, filters, { form, out: file });
  return isComplete;
}

/** Works in batches of a few seconds; it can be interrupted between two and resumed later. */
async function deleteBefore(cli: Cli, api: LocalApi, before: number, total: number | undefined) {
  const shown = progress(cli, total, 'log clear');
  const { signal } = cli.io;
  let deleted = 0;
  let isDone = false;
  while (!isDone && !signal.aborted) {
    const part = await api.log.clearPart({ before });
    deleted += part.deleted;
    isDone = part.is_done;
    shown.tick(part.deleted);
  }
  shown.end();
  await cli.print({ deleted }, { columns: ['deleted'], id: 'deleted' });
  if (isDone) return EXIT.ok;
  cli.note(cli.t('cli.notes.interrupted'));
  return EXIT.interrupted;
}
