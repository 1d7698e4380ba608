/** `gateway backup` and `gateway restore`: a whole site in one file, for any database type. */
import { adviceText } from '../../../locales/text.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { watched } from '../../output/progress.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { withWriteErrors } from '../../process/write-failure.ts';
import { requireLocal } from '../../servers/select-server.ts';

const ROWS = { columns: ['table', 'rows'], id: 'table' };

const backUp = command({
  usage: 'backup <file>',
  flags: ['--with-secret-key'],
  examples: ['backup /backup/gateway-2026-11-21.gz', 'backup site.gz --with-secret-key'],
  ownsSignal: true,
  async run(cli, { file, withSecretKey = false }) {
    await requireLocal(cli, 'backup');
    if (cli.globals.dryRun) {
      cli.note(cli.t('cli.notes.dry_run'));
      return EXIT.ok;
    }
    const { backUpSite } = await import('../../local/site-backup.ts');
    const config = await cli.config();
    const rows = await watched(cli, undefined, 'backup', (watch) =>
      withWriteErrors(file, () => backUpSite(config, file, { ...watch, withSecretKey })),
    );
    if (rows === undefined) return EXIT.interrupted;
    if (rows === 'exists') throw cli.values.refuse('<file>', 'exists', { path: file });
    await cli.print(rowsOf(rows), ROWS);
    cli.note(
      cli.t(withSecretKey ? 'cli.notes.backed_up_key' : 'cli.notes.backed_up', { path: file }),
    );
    return EXIT.ok;
  },
});

const restoreIt = command({
  usage: 'restore <file>',
  flags: ['--replace'],
  examples: [
    'restore site.gz',
    'restore site.gz --db postgres://gateway@db.example/gateway',
    'restore site.gz --replace --yes',
  ],
  ownsSignal: true,
  async run(cli, { file, replace = false }) {
    await requireLocal(cli, 'restore');
    const { dryRunRestore, restoreSite } = await import('../../local/site-backup.ts');
    const config = await cli.config();
    const { summary, location } = await dryRunRestore(config, file, replace);
    if (cli.globals.dryRun) {
      await cli.print(rowsOf(summary.rows), ROWS);
      cli.note(cli.t('cli.notes.dry_run'));
      return EXIT.ok;
    }
    if (replace) await cli.confirm(location, cli.t('cli.loses.site'));
    const total = Object.values(summary.rows).reduce((sum, count) => sum + count, 0);
    const isDone = await watched(cli, total, 'restore', async (watch) => {
      await restoreSite(config, file, { summary, replace, ...watch });
      return true;
    });
    if (!isDone) {
      cli.note(cli.t('cli.notes.restore_stopped'));
      return EXIT.interrupted;
    }
    await cli.print(rowsOf(summary.rows), ROWS);
    return verified(cli);
  },
});

function rowsOf(rows: Readonly<Record<string, number>>) {
  return Object.entries(rows).map(([table, count]) => ({ table, rows: count }));
}

/** Verifies a restored site at once: the key decrypts its secrets and the ledger is consistent. */
async function verified(cli: Cli) {
  try {
    const { ok, checked } = await (await cli.api()).ledger.verify({});
    const text = ok ? 'cli.doctor.ledger' : 'cli.doctor.ledger_differs';
    cli.note(cli.t(text, { count: checked.entries }));
    return ok ? EXIT.ok : EXIT.checkFailed;
  } catch (thrown) {
    cli.note(adviceText(await cli.errorOf(thrown), cli.language));
    return EXIT.checkFailed;
  }
}

export const backup: Noun = { name: 'backup', verbs: [backUp] };
export const restore: Noun = { name: 'restore', verbs: [restoreIt] };
