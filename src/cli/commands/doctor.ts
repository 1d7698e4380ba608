/** `gateway doctor`: looks for what would hurt, and says what to do about it. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { asAppError } from '../../domain/errors.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { errorText, hintText } from '../../locales/text.ts';
import type { Cli } from '../cli.ts';
import { command, type Noun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { View } from '../output.ts';
import { everyPage } from '../paging.ts';
import type { Session } from '../session.ts';

const VIEW: View = { columns: ['check', 'result', 'detail'], id: 'check' };

interface Finding {
  readonly result: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}

interface Check<Subject> {
  readonly name: string;
  readonly look: (subject: Subject, cli: Cli) => Finding | Promise<Finding>;
}

const fine = (detail: string): Finding => ({ result: 'ok', detail });
const warning = (detail: string): Finding => ({ result: 'warning', detail });
const failed = (detail: string): Finding => ({ result: 'failed', detail });

const MOST_SHOWN = 5;
const CLOCK_TOLERANCE_SEC = 30;

/** Before anything is opened. */
const MACHINE_CHECKS: readonly Check<Config>[] = [
  {
    name: 'data_folder',
    look: ({ dataDir }, { t }) => {
      const mode = modeOf(dataDir);
      if (mode === undefined) return warning(t('cli.doctor.no_folder', { path: dataDir }));
      return mode & 0o077 ? warning(t('cli.doctor.open_folder', { path: dataDir })) : fine(dataDir);
    },
  },
  {
    name: 'secret_key',
    look: ({ secretKey, dataDir }, { t }) => {
      if (secretKey.open() !== '') return fine('GATEWAY_SECRET_KEY');
      const file = path.join(dataDir, 'secret.key');
      const mode = modeOf(file);
      if (mode === undefined) return warning(t('cli.doctor.no_key', { path: file }));
      return mode & 0o077 ? failed(t('cli.doctor.open_key', { path: file })) : fine(file);
    },
  },
];

/** With the database open and its schema known to be right. */
const SITE_CHECKS: readonly Check<Session>[] = [
  { name: 'schema', look: async ({ location }) => fine(location) },
  {
    name: 'storage',
    look: async ({ ctx }, { t }) => {
      if (ctx.engine !== 'sqlite') return fine(ctx.engine);
      const { sqliteHealth } = await import('../../store/maintenance.ts');
      const { journal_mode, foreign_keys, quick_check } = await sqliteHealth(ctx.db);
      const detail = `journal_mode=${journal_mode} foreign_keys=${foreign_keys} quick_check=${quick_check}`;
      if (quick_check !== 'ok') return failed(t('cli.doctor.damaged', { found: quick_check }));
      return journal_mode === 'wal' && foreign_keys ? fine(detail) : failed(detail);
    },
  },
  {
    name: 'setup',
    look: async ({ api }, { t }) =>
      (await api.setup.state({})).status ? fine('') : warning(t('cli.doctor.not_set_up')),
  },
  {
    name: 'books',
    look: async ({ api }, { t }) => {
      const { ok, checked, differences } = await api.ledger.verify({});
      const params = { count: ok ? checked.entries : differences.length };
      return ok
        ? fine(t('cli.doctor.books', params))
        : failed(t('cli.doctor.books_differ', params));
    },
  },
  {
    name: 'prices',
    look: async ({ api }, { t }) => {
      const models = await api.price.unpriced({});
      return models.length === 0
        ? fine('')
        : failed(t('cli.doctor.unpriced', { names: some(models) }));
    },
  },
  {
    name: 'channel_keys',
    look: async ({ api }, { t }) => {
      const status = CHANNEL_STATUS.enabled;
      const { items } = await everyPage((page) => api.channel.list({ ...page, status }));
      const keyless = items.filter(({ keys }) => !keys.some((key) => key.status === 1));
      const names = some(keyless.map(({ name }) => name));
      return keyless.length === 0 ? fine('') : failed(t('cli.doctor.keyless', { names }));
    },
  },
  {
    name: 'clock',
    look: async ({ ctx }, { t }) => {
      const { clockSkewSec } = await import('../../store/maintenance.ts');
      const skew = await clockSkewSec(ctx.db, ctx.engine, ctx.now());
      if (Math.abs(skew) <= CLOCK_TOLERANCE_SEC) return fine('');
      return failed(t('cli.doctor.clock', { seconds: skew }));
    },
  },
];

const run = command({
  usage: 'doctor',
  examples: ['doctor', 'doctor --json'],
  async run(cli) {
    const findings = await examine(cli);
    await cli.print(findings, VIEW);
    return findings.some(({ result }) => result === 'failed') ? EXIT.checkFailed : EXIT.ok;
  },
});

type Row = Finding & { readonly check: string };

/** One failure does not hide the others: each check answers for itself. */
async function examine(cli: Cli): Promise<Row[]> {
  const config = await cli.config().catch((error: unknown) => asAppError(error));
  if (config instanceof Error) return [{ check: 'config', ...failure(config, cli) }];
  const rows: Row[] = [{ check: 'config', ...fine('') }];
  rows.push(...(await looked(MACHINE_CHECKS, config, cli)));
  const session = await cli.session().catch((error: unknown) => asAppError(error));
  if (session instanceof Error) return [...rows, { check: 'database', ...failure(session, cli) }];
  rows.push({ check: 'database', ...fine(session.ctx.engine) });
  return [...rows, ...(await looked(SITE_CHECKS, session, cli))];
}

async function looked<S>(checks: readonly Check<S>[], subject: S, cli: Cli): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, look } of checks) {
    try {
      rows.push({ check: name, ...(await look(subject, cli)) });
    } catch (error) {
      rows.push({ check: name, ...failure(error, cli) });
    }
  }
  return rows;
}

function failure(thrown: unknown, { language }: Cli): Finding {
  const error = asAppError(thrown);
  return failed([errorText(error, language), hintText(error, language)].filter(Boolean).join(' '));
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, MOST_SHOWN).join(', ');
  return names.length > MOST_SHOWN ? `${shown}, … (${names.length})` : shown;
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode;
}

export const doctor: Noun = { name: 'doctor', verbs: [run] };
