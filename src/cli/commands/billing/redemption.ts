/** `gateway redemption`: codes that users redeem for balance. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { REDEMPTION, REDEMPTION_USE } from '../../../domain/nouns/redemption.ts';
import { REDEMPTION_STATES } from '../../../domain/redemption-state.ts';
import { REDEMPTION_STATUS } from '../../../domain/statuses.ts';
import type { LocalApi } from '../../../session/session.ts';
import { amountText } from '../../../session/text.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { codesWhere, findRedemption, type Redemption } from '../../lookup/find-by-name.ts';
import { allItems } from '../../lookup/paged-lists.ts';
import { REDEMPTION_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';
import { withWriteErrors } from '../../process/write-failure.ts';
import { columnFlags } from '../column-flags.ts';
import {
  deleteCommand,
  editCommand,
  getCommand,
  listCommand,
  type NamedNoun,
  statusCommands,
} from '../common-verbs.ts';
import { createCommand } from '../create-command.ts';
import { deleteListed, deleteMany } from '../delete-listed.ts';

const VIEW: View = {
  columns: ['id', 'name', 'key', 'state', 'quota', 'is_gift', 'used_count', 'max_uses'],
  wide: ['valid_from', 'valid_until', 'created_time', 'redeemed_time', 'used_user_id', 'user_id'],
  words: REDEMPTION_WORDS,
};
const KEYS: View = { columns: ['key'], id: 'key' };

const DEFAULT_QUOTA = 100_000;

const list = listCommand({
  flags: ['--q <text>', '--status <status>', '--gift'],
  examples: ['list --status expired', 'list --q spring --all --output csv'],
  view: VIEW,
  query: ({ values }, { q: keyword, status, gift: is_gift }) => ({
    keyword,
    state: values.choice('--status', status, REDEMPTION_STATES),
    is_gift,
  }),
  page: (api, query) => api.redemption.list(query),
});

const NAMED: NamedNoun<Redemption> = {
  noun: 'redemption',
  argument: 'code',
  find: findRedemption,
  nameOf: ({ name }) => name,
  view: VIEW,
};

const get = getCommand(NAMED, ['get 12', 'get welcome --json']);

/** Flags of create and edit. */
const FIELD_FLAGS = [...columnFlags(REDEMPTION), '--quota <units>', '--usd <amount>'] as const;

type FieldFlags = FlagsOf<(typeof FIELD_FLAGS)[number]>;

async function fieldsOf(cli: Cli, flags: FieldFlags) {
  const { values } = cli;
  return {
    name: flags.name,
    quota: values.units(flags, (await cli.session()).quotaPerUnit),
    valid_from: flags.from === undefined ? undefined : startOf(cli, flags.from),
    valid_until:
      flags.until === undefined ? undefined : Math.max(0, values.expiry('--until', flags.until)),
  };
}

/** A date means its first second; others are parsed like an end, `now` and `never` as open. */
function startOf({ values }: Cli, text: string): number {
  if (text === 'now') return 0;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return values.since('--from', text);
  return Math.max(0, values.expiry('--from', text));
}

const EDIT = {
  fields: fieldsOf,
  save: (api: LocalApi, { id }: Redemption, fields: Awaited<ReturnType<typeof fieldsOf>>) =>
    api.redemption.edit({ ...fields, id }),
};

const CREATE_FLAGS = [
  ...FIELD_FLAGS,
  ...columnFlags(REDEMPTION_USE),
  '--count <n>',
  '--key <key>',
  '--out <file>',
] as const;

type CreateFlags = FlagsOf<(typeof CREATE_FLAGS)[number]>;

const create = createCommand(NAMED, {
  flags: CREATE_FLAGS,
  examples: [
    'create --name spring --quota 5000000 --count 50 --out spring.txt',
    'create --name spring --quota 5000000 --count 50 --out spring.txt --if-absent',
    'create --key WELCOME-2026 --usd 1 --gift --max-uses 500 --until 2026-12-31 --upsert',
  ],
  name: (_cli, { key, name = '' }) => key ?? name,
  named: async (cli, text, { key }) =>
    codesWhere(await cli.api(), text, (code) => code[key === undefined ? 'name' : 'key'] === text),
  create: createCodes,
  async keep(cli, codes, { out }) {
    const keys = codes.map(({ key }) => key);
    if (out === undefined) await cli.print(keys, KEYS);
  },
  edit: {
    ...EDIT,
    fields(cli, flags, code) {
      requireSameUse(cli, flags, code);
      return fieldsOf(cli, flags);
    },
  },
});

/** How a code can be used is fixed when it is created. */
function requireSameUse({ values }: Cli, flags: CreateFlags, code: Redemption): void {
  const maxUses = values.wholeNumber('--max-uses', flags.maxUses) ?? code.max_uses;
  if (flags.gift && !code.is_gift) throw values.refuse('--gift', 'fixed');
  if (maxUses !== code.max_uses) throw values.refuse('--max-uses', 'fixed');
}

async function createCodes(
  cli: Cli,
  { count, key, gift, maxUses, out, ...flags }: CreateFlags,
): Promise<void> {
  const { values } = cli;
  const fields = await fieldsOf(cli, flags);
  const quota = fields.quota ?? DEFAULT_QUOTA;
  const name = fields.name ?? amountText(quota, (await cli.session()).quotaPerUnit);
  if (maxUses !== undefined && !gift)
    throw values.refuse('--max-uses', 'needs', { other: '--gift' });
  const input = {
    ...fields,
    name,
    quota,
    key,
    count: values.wholeNumber('--count', count) ?? 1,
    is_gift: gift ?? false,
    max_uses: values.wholeNumber('--max-uses', maxUses) ?? -1,
  };
  const change = { action: 'create', noun: 'redemption', name } as const;
  const make = () => cli.change(change, (api) => api.redemption.create(input));
  if (out === undefined || cli.globals.dryRun) {
    const keys = await make();
    return keys && cli.print(keys, KEYS);
  }
  const keys = await intoFile(cli, out, make);
  cli.note(cli.t('cli.notes.codes_written', { count: keys.length, path: out }));
}

/**
 * Keys are worth money: the file is opened before any code is created, is readable only by its
 * owner, and never overwrites another.
 */
async function intoFile(
  cli: Cli,
  path: string,
  make: () => Promise<readonly string[] | undefined>,
): Promise<readonly string[]> {
  const file = await newFile(cli, path);
  try {
    const keys = (await make()) ?? [];
    await withWriteErrors(path, () => file.writeFile(keys.map((key) => `${key}\n`).join('')));
    return keys;
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function newFile(cli: Cli, path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw cli.values.refuse('--out', isThere ? 'exists' : 'file', { path });
  }
}

const edit = editCommand(NAMED, {
  flags: FIELD_FLAGS,
  examples: ['edit 12 --usd 2', 'edit spring --until 2026-12-31 --dry-run'],
  ...EDIT,
});

const statuses = statusCommands(NAMED, '12', (api, { id }, status) =>
  api.redemption.edit({ id, status, status_only: true }),
);

const remove = deleteCommand(
  NAMED,
  ['delete 12 --yes'],
  (api, { id }) => api.redemption.remove({ id }),
  ({ t }) => t('cli.loses.codes', { count: 1 }),
);

const removeByName = command({
  usage: 'delete-by-name <name>',
  examples: ['delete-by-name spring --yes'],
  async run(cli, { name }) {
    const count = await (await cli.api()).redemption.countByName({ name });
    const change = { noun: 'redemption', name, loses: cli.t('cli.loses.codes', { count }) };
    await deleteMany(cli, change, (api) => api.redemption.removeByName({ name }), { name });
  },
});

/** `delete-disabled` and `delete-used`. */
function removeAll(name: 'disabled' | 'used', call: 'removeDisabled' | 'removeUsed') {
  return command({
    usage: `delete-${name}`,
    examples: [`delete-${name} --dry-run`, `delete-${name} --yes`],
    async run(cli) {
      const api = await cli.api();
      const status = REDEMPTION_STATUS[name];
      const items = await allItems(api.redemption.list, { status });
      await deleteListed(cli, {
        noun: 'redemption',
        names: items.map((code) => `${code.name} (${code.id})`),
        loses: cli.t(`cli.loses.${name}_codes`, { count: items.length }),
        remove: (api) => api.redemption[call]({}),
      });
    },
  });
}

export const redemption: Noun = {
  name: 'redemption',
  verbs: [
    list,
    get,
    create,
    edit,
    remove,
    ...statuses,
    removeByName,
    removeAll('disabled', 'removeDisabled'),
    removeAll('used', 'removeUsed'),
  ],
};
