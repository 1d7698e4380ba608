/** Several gateways on one database: an option saved by one applies in the others. */
import { afterEach, describe, expect, it } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { boot, type OpenedSite } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import * as options from '../../../src/services/options/options.ts';
import { databases, type FreshDatabase, freshDatabase } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { eventually } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let database: FreshDatabase;
let nodes: OpenedSite[];
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.drop();
});

describe.each(databases)('two gateways sharing one $kind database', ({ kind }) => {
  it('have the same options half a second after a save', async () => {
    database = await freshDatabase(kind);
    const config = loadConfig(
      { dataDir: tempFolder(), database: database.dsn, logLevel: 'silent' },
      {},
    );
    nodes = [await boot(config), await boot(config)];
    const [here, there] = nodes.map((node) => node.ctx);
    if (here === undefined || there === undefined) throw new Error('two were booted');
    await Promise.all([here.changes.start(), there.changes.start()]);
    const saved = [
      { key: 'RetryTimes', value: 4 },
      { key: 'SMTPToken', value: 'hunter2hunter2' },
    ];
    await options.setMany(here, OPERATOR, { options: saved }, terminalVisit());
    expect(here.options().get('RetryTimes')).toBe(4);
    await eventually('the other one has it', () => there.options().get('RetryTimes') === 4);
    expect(there.options().get('SMTPToken')).toBe('hunter2hunter2');
    await options.unset(there, OPERATOR, { key: 'RetryTimes' }, terminalVisit());
    await eventually('it went back', () => here.options().get('RetryTimes') === 0);
  });

  it('keep all of their concurrent changes', async () => {
    database = await freshDatabase(kind);
    const config = loadConfig(
      { dataDir: tempFolder(), database: database.dsn, logLevel: 'silent' },
      {},
    );
    nodes = [await boot(config), await boot(config)];
    const names = Array.from({ length: 10 }, (_, index) => `model-${index}`);
    const add = (name: string, index: number) =>
      options.changeOptions(
        (nodes[index % 2] as OpenedSite).ctx, // there are two
        OPERATOR,
        async (_ctx, current) => [
          { key: 'ModelRatio', value: { ...current.get('ModelRatio'), [name]: 1 } },
        ],
      );
    await Promise.all(names.map(add));
    for (const { ctx } of nodes) {
      await ctx.changes.pull();
      expect(Object.keys(ctx.options().get('ModelRatio')).sort()).toEqual(names);
    }
  });
});
