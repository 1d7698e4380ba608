/** `gateway import`: migrates an installation of one-api, new-api, Veloera or LiteLLM. */

import { rmSync } from 'node:fs';
import { AppError } from '../../../domain/errors/errors.ts';
import type { ImportedPrice } from '../../../domain/import/built-in-prices.ts';
import type { ImportNote } from '../../../domain/import/report.ts';
import { priceText } from '../../../domain/pricing/quota-text.ts';
import { listText } from '../../../locales/text.ts';
import type { ImportOutcome } from '../../../services/import/import.ts';
import type { LocalSession } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { progress } from '../../output/progress.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { requireLocal } from '../../servers/select-server.ts';

const COUNTS = { columns: ['resource', 'found', 'imported', 'already', 'lost'] };
const PRICES = { columns: ['model', 'theirs', 'ours', 'taken'], id: 'model' };
const IMPORT_NOTES = { columns: ['effect', 'resource', 'field', 'count', 'why', 'examples'] };

const run = command({
  usage: 'import [source]',
  flags: [
    '--from-env <variable>',
    '--name <name>',
    '--logs',
    '--since <time>',
    '--prices <side>',
    '--subscriptions',
    '--usd <amount>',
  ],
  examples: [
    'import /data/one-api.db --dry-run',
    'import --from-env OLD_SQL_DSN --logs --since 90d',
    'import /data/one-api.db --prices ours',
    'import /data/new-api.db --subscriptions --dry-run',
    'import postgres://reader@db.example/newapi --name old-site --dry-run --json',
    'import postgres://reader@db.example/litellm --usd 50 --dry-run',
  ],
  ownsSignal: true,
  async run(cli, { source, fromEnv, name, since, prices = 'theirs', usd, ...flags }) {
    const { logs = false, subscriptions = false } = flags;
    await requireLocal(cli, 'import');
    const address = addressOf(cli, source, fromEnv);
    if (since !== undefined && !logs)
      throw cli.values.refuse('--since', 'needs', { other: '--logs' });
    const sinceSec = cli.values.since('--since', since) ?? 0;
    const side = cli.values.choice('--prices', prices, ['theirs', 'ours']);
    const { openForeignDatabase } = await import('../../../store/backup/import-source.ts');
    const foreign = await openForeignDatabase(address);
    const site = await openSite(cli).catch(async (error: unknown) => {
      await foreign.close();
      throw error;
    });
    try {
      const { importSite } = await import('../../../services/import/import.ts');
      const outcome = await importSite(site.session.ctx, foreign, {
        name: (name ?? foreign.name).slice(0, 64),
        dryRun: cli.globals.dryRun === true,
        logs,
        subscriptions,
        balance: cli.values.units({ usd }, site.session.quotaPerUnit) ?? 0,
        sinceSec,
        prices: side,
        signal: cli.io.signal,
        onStep: (label, total) => progress(cli, total, `import ${label}`),
      });
      await show(cli, outcome);
      return outcome.finished ? EXIT.ok : EXIT.interrupted;
    } finally {
      await foreign.close();
      await site.close();
    }
  },
});

/** A connection string may contain a password, so it can also come from the environment. */
function addressOf(cli: Cli, source: string | undefined, fromEnv: string | undefined): string {
  const names = ['<source>', '--from-env'];
  if ((source === undefined) === (fromEnv === undefined))
    throw cli.values.refuse('<source>', 'one_of', { names });
  if (fromEnv === undefined) return source ?? '';
  const address = cli.io.env[fromEnv];
  if (!address) throw cli.values.refuse('--from-env', 'env', { name: fromEnv });
  return address;
}

interface OpenSite {
  readonly session: LocalSession;
  close(): Promise<void>;
}

/** Creates a new site if needed; a dry run without an existing site uses a temporary one. */
async function openSite(cli: Cli): Promise<OpenSite> {
  const { schemaOf } = await import('../../local/local-database.ts');
  const isEmpty = cli.globals.dryRun && (await schemaOf(await cli.config())).state === 'empty';
  if (isEmpty) return openTemporarySite(cli);
  const session = await cli.session({ migrate: !cli.globals.dryRun });
  if (session.ctx === undefined) throw new AppError('not_remote', { command: 'import' });
  return { session: { ...session, ctx: session.ctx }, close: async () => undefined };
}

async function openTemporarySite(cli: Cli): Promise<OpenSite> {
  const { mkdtempSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const path = await import('node:path');
  const { openApiSession } = await import('../../../session/session.ts');
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-import-'));
  const config = await cli.config({
    dataDir: folder,
    database: path.join(folder, 'dry-run.sqlite'),
    logLevel: 'error',
    redisUrl: '',
  });
  const session = await openApiSession(config, { language: cli.language, migrate: true });
  return {
    session,
    async close() {
      await session.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Tables for people, one document for programs. */
async function show(cli: Cli, outcome: ImportOutcome): Promise<void> {
  const notes = outcome.notes.map((line) => ({ ...line, why: noteReason(cli, line) }));
  if (!cli.isTableOutput()) {
    await cli.print({ ...outcome, notes }, { columns: ['name', 'family', 'finished'], id: 'name' });
  } else {
    await cli.printSection(cli.t('cli.sections.counts'), outcome.counts, COUNTS);
    const lines = notes.map((note) => ({ ...note, examples: listText(note.examples, cli.t) }));
    if (lines.length > 0) await cli.printSection(cli.t('cli.sections.notes'), lines, IMPORT_NOTES);
    const prices = outcome.prices.map((line) => ({
      ...line,
      theirs: ratesText(line.theirs),
      ours: line.ours === null ? '-' : ratesText(line.ours),
    }));
    if (prices.length > 0)
      await cli.printSection(cli.t('cli.sections.price_differences'), prices, PRICES);
  }
  if (!outcome.finished) cli.note(cli.t('cli.import.stopped'));
  else if (outcome.dry_run) cli.note(cli.t('cli.notes.dry_run'));
  else cli.note(cli.t('cli.import.done', { family: outcome.family, location: outcome.location }));
}

/** USD per call, or USD per million input and output tokens. */
function ratesText(price: ImportedPrice): string {
  if ('model_price' in price) return `${priceText(price.model_price)}/call`;
  const input = 2 * price.model_ratio;
  return `${priceText(input)} in, ${priceText(input * price.completion_ratio)} out`;
}

function noteReason({ t }: Cli, { code }: ImportNote): string {
  return t(`cli.import.notes.${code}`);
}

export const importSiteNoun: Noun = { name: 'import', verbs: [run] };
