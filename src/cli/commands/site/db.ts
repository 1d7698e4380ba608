/** `gateway db`: manages the database; only on a machine with access to it. */
import type { Config } from '../../../config.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { requireLocal } from '../../servers/select-server.ts';

/** @throws AppError `not_remote`. */
async function configOf(cli: Cli): Promise<Config> {
  await requireLocal(cli, 'db');
  return cli.config();
}

const FACTS = { columns: ['engine'], id: 'location' };

const migrate = command({
  usage: 'migrate',
  flags: ['--plan'],
  examples: ['migrate', 'migrate --plan'],
  async run(cli, { plan = false }) {
    const config = await configOf(cli);
    const { migrateDatabase, pendingMigrations } = await import('../../local/local-database.ts');
    const columns = ['migration'];
    if (plan || cli.globals.dryRun)
      return cli.print(await pendingMigrations(config), { columns, id: 'migration' });
    const done = await migrateDatabase(config, () => cli.note(cli.t('cli.notes.migration_waits')));
    if (done.length === 0) cli.note(cli.t('cli.notes.schema_current'));
    await cli.print(done, { columns, id: 'migration' });
  },
});

const check = command({
  usage: 'check',
  examples: ['check', 'check --json'],
  async run(cli) {
    const { schemaOf } = await import('../../local/local-database.ts');
    const schema = await schemaOf(await configOf(cli));
    await cli.print(schema, { columns: ['state'], id: 'state' });
    const isCurrent = [schema, schema.log].every((one) => (one?.state ?? 'current') === 'current');
    return isCurrent ? EXIT.ok : EXIT.checkFailed;
  },
});

const info = command({
  usage: 'info',
  examples: ['info', 'info --json'],
  async run(cli) {
    const { factsOf } = await import('../../local/local-database.ts');
    await cli.print(await factsOf(await configOf(cli)), FACTS);
  },
});

const backup = command({
  usage: 'backup <file>',
  examples: ['backup /backup/gateway-2026-11-21.sqlite'],
  async run(cli, { file }) {
    if (cli.globals.dryRun) return cli.note(cli.t('cli.notes.dry_run'));
    const { backUp } = await import('../../local/local-database.ts');
    const outcome = await backUp(await configOf(cli), file);
    if (outcome === 'unsupported') throw cli.values.refuse('db backup', 'sqlite_only');
    if (outcome === 'exists') throw cli.values.refuse('<file>', 'exists', { path: file });
    await cli.print({ path: file }, { columns: ['path'], id: 'path' });
    cli.note(cli.t('cli.notes.backed_up', { path: file }));
  },
});

const vacuum = command({
  usage: 'vacuum',
  examples: ['vacuum'],
  async run(cli) {
    if (cli.globals.dryRun) return cli.note(cli.t('cli.notes.dry_run'));
    const database = await import('../../local/local-database.ts');
    const config = await configOf(cli);
    const outcome = await database.vacuum(config);
    if (outcome === 'unsupported') throw cli.values.refuse('db vacuum', 'own_tools');
    await cli.print(await database.factsOf(config), FACTS);
    cli.note(cli.t('cli.notes.vacuumed'));
  },
});

export const db: Noun = { name: 'db', verbs: [migrate, check, info, backup, vacuum] };
