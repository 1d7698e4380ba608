/** `gateway db`: the database itself; works on the machine that can reach it only. */
import { command, type Noun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

const migrate = command({
  usage: 'migrate',
  examples: ['migrate', 'migrate --dry-run'],
  async run(cli) {
    const config = await cli.config();
    const { migrateDatabase, schemaOf } = await import('../database.ts');
    const columns = ['migration'];
    if (cli.globals.dryRun)
      return cli.print((await schemaOf(config)).pending, { columns, id: 'migration' });
    const done = await migrateDatabase(config);
    if (done.length === 0) cli.say(cli.t('cli.say.schema_current'));
    else await cli.print(done, { columns, id: 'migration' });
  },
});

const check = command({
  usage: 'check',
  examples: ['check', 'check --json'],
  async run(cli) {
    const { schemaOf } = await import('../database.ts');
    const schema = await schemaOf(await cli.config());
    await cli.print(schema, { columns: ['state'], id: 'state' });
    return schema.state === 'current' ? EXIT.ok : EXIT.checkFailed;
  },
});

const info = command({
  usage: 'info',
  examples: ['info', 'info --json'],
  async run(cli) {
    const { factsOf } = await import('../database.ts');
    await cli.print(await factsOf(await cli.config()), { columns: ['engine'], id: 'location' });
  },
});

const backup = command({
  usage: 'backup <file>',
  examples: ['backup /backup/gateway-2026-11-21.sqlite'],
  async run(cli, { file }) {
    if (cli.globals.dryRun) return cli.say(cli.t('cli.say.dry_run'));
    const { backUp } = await import('../database.ts');
    const outcome = await backUp(await cli.config(), file);
    if (outcome === 'unsupported') throw cli.values.refuse('db backup', 'own_tools');
    if (outcome === 'exists') throw cli.values.refuse('<file>', 'exists', { path: file });
    cli.say(cli.t('cli.say.backed_up', { path: file }));
  },
});

const vacuum = command({
  usage: 'vacuum',
  examples: ['vacuum'],
  async run(cli) {
    if (cli.globals.dryRun) return cli.say(cli.t('cli.say.dry_run'));
    const module = await import('../database.ts');
    const outcome = await module.vacuum(await cli.config());
    if (outcome === 'unsupported') throw cli.values.refuse('db vacuum', 'own_tools');
    cli.say(cli.t('cli.say.vacuumed'));
  },
});

export const db: Noun = { name: 'db', verbs: [migrate, check, info, backup, vacuum] };
