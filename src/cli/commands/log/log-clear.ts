/** `gateway log clear`, `archive` and `archives`: remove or archive old log entries. */

import type { LocalApi } from '../../../session/session.ts';
import { localTime } from '../../../session/text.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { progress } from '../../output/progress.ts';
import { EXIT } from '../../process/exit-codes.ts';

interface Part {
  readonly lines: number;
  readonly isDone: boolean;
}

interface Removal {
  /** Used in messages and as the name of the printed field. */
  readonly word: 'deleted' | 'archived';
  part(api: LocalApi, before: number): Promise<Part>;
}

/** Works in batches of a few seconds; it can be interrupted between two and resumed later. */
async function remove(cli: Cli, text: string | undefined, { word, part }: Removal) {
  if (text === undefined) throw cli.values.refuse('--before', 'required');
  const before = cli.values.since('--before', text);
  const isDeletion = word === 'deleted';
  const loses = cli.t(isDeletion ? 'cli.loses.logs' : 'cli.loses.archived_logs', {
    time: localTime(before),
  });
  const name = `--before ${text}`;
  const api = await cli.api();
  const counted = await api.log.list({ until: before - 1, page_size: 1 });
  const total = counted.total_is_estimate ? undefined : counted.total;
  if (cli.globals.dryRun) {
    const action = isDeletion ? 'delete' : 'update';
    cli.showPlan(
      { action, noun: 'log', name: `${name} (${total ?? `over ${counted.total}`})` },
      {},
    );
    return EXIT.ok;
  }
  await cli.confirm(`log ${name}`, loses);
  const shown = progress(cli, total, isDeletion ? 'log clear' : 'log archive');
  const { signal } = cli.io;
  let lines = 0;
  let isDone = false;
  while (!isDone && !signal.aborted) {
    const done = await part(api, before);
    lines += done.lines;
    isDone = done.isDone;
    shown.tick(done.lines);
  }
  shown.end();
  await cli.print({ [word]: lines }, { columns: [word], id: word });
  if (isDone) return EXIT.ok;
  cli.note(cli.t('cli.notes.interrupted'));
  return EXIT.interrupted;
}

function removalCommand(verb: 'clear' | 'archive', removal: Removal) {
  return command({
    usage: verb,
    flags: ['--before <time>'],
    examples: [`${verb} --before 2026-01-01 --yes`, `${verb} --before 90d --dry-run`],
    ownsSignal: true,
    run: (cli, { before }) => remove(cli, before, removal),
  });
}

export const clear = removalCommand('clear', {
  word: 'deleted',
  async part(api, before) {
    const { deleted, is_done } = await api.log.clearPart({ before });
    return { lines: deleted, isDone: is_done };
  },
});

export const archive = removalCommand('archive', {
  word: 'archived',
  async part(api, before) {
    const { archived, is_done } = await api.log.archivePart({ before });
    return { lines: archived, isDone: is_done };
  },
});

export const archives = command({
  usage: 'archives',
  flags: ['--verify'],
  examples: ['archives', 'archives --verify --json'],
  async run(cli, { verify = false }) {
    const found = await (await cli.api()).log.archives({ verify });
    const columns = ['file', 'rows', 'bytes', 'first_at', 'last_at', 'is_complete'];
    await cli.print(found, { columns: verify ? [...columns, 'is_sound'] : columns, id: 'file' });
    return found.some((one) => one.is_sound === false) ? EXIT.checkFailed : EXIT.ok;
  },
});
