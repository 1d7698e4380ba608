/** `gateway user`: manages accounts and their quota. */
import { LANGUAGES, type Language } from '../../../domain/languages.ts';
import { USER } from '../../../domain/nouns/user.ts';
import { ROLES } from '../../../domain/roles.ts';
import { USER_STATUS } from '../../../domain/statuses.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { findUser, type User, userNamed } from '../../lookup/find-by-name.ts';
import { USER_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';
import { columnFlags, columnValues } from '../column-flags.ts';
import {
  briefOf,
  deleteCommand,
  editCommand,
  getCommand,
  listCommand,
  type NamedNoun,
  updateCommand,
} from '../common-verbs.ts';
import { createCommand } from '../create-command.ts';
import { askedPassword, askedUsername } from './asked-account.ts';

const VIEW: View = {
  columns: [
    'id',
    'username',
    'role',
    'status',
    'group',
    'quota',
    'used_quota',
    'request_count',
    'created_time',
    'last_login_time',
    'DeletedAt',
  ],
  wide: [
    'held',
    'max_concurrency',
    'tokens_per_minute',
    'display_name',
    'email',
    'language',
    'inviter_id',
  ],
  words: USER_WORDS,
};
/** What a change of a status or a role shows. */
const STATUS: View = { ...VIEW, columns: ['id', 'username', 'role', 'status'] };

const QUOTA_VIEW: View = { columns: ['username', 'quota_before', 'quota'], id: 'username' };

const list = listCommand({
  flags: ['--q <text>', '--group <name>', '--role <role>', '--status <status>'],
  examples: ['list', 'list --role admin', 'list --q ann --output wide'],
  view: VIEW,
  query: ({ values }, { q: keyword, group, role, status }) => ({
    keyword,
    group,
    role: role && values.word('--role', role, ROLES),
    status: status && values.word('--status', status, USER_STATUS),
  }),
  page: (api, query) => api.user.list(query),
});

const NAMED: NamedNoun<User> = {
  noun: 'user',
  find: findUser,
  nameOf: ({ username }) => username,
  view: VIEW,
};

const get = getCommand(NAMED, ['get alice', 'get 7 --json']);

/** `site` deletes the choice of the account. */
function languageOf(values: Cli['values'], text: string | undefined): Language | null | undefined {
  const chosen = values.choice('--language', text, [...LANGUAGES, SITE_LANGUAGE]);
  return chosen === SITE_LANGUAGE ? null : chosen;
}

const SITE_LANGUAGE = 'site';

/** Flags of create and edit. */
const ACCOUNT_FLAGS = columnFlags(USER);

const EDIT_FLAGS = [...ACCOUNT_FLAGS, '--language <language>'] as const;

function fieldsOf({ values }: Cli, flags: FlagsOf<(typeof EDIT_FLAGS)[number]>) {
  return { ...columnValues(values, USER, flags), language: languageOf(values, flags.language) };
}

const EDIT = {
  fields: fieldsOf,
  save: (api: LocalApi, { id }: User, fields: ReturnType<typeof fieldsOf>) =>
    api.user.edit({ ...fields, id }),
};

const create = createCommand(NAMED, {
  flags: [...ACCOUNT_FLAGS, '--password-stdin', '--quota <units>', '--usd <amount>'],
  examples: [
    'create --username alice',
    'create --username ci --if-absent --password-stdin < password.txt',
    'create --username ci --group vip --upsert --password-stdin < password.txt',
  ],
  name: (cli, { username }) => username ?? askedUsername(cli),
  async named(cli, username) {
    const user = await userNamed(await cli.api(), username);
    return user === undefined ? [] : [user];
  },
  async create(cli, flags, username) {
    const { language: _, ...fields } = fieldsOf(cli, flags);
    const password = await askedPassword(cli, flags.passwordStdin);
    const quota = cli.values.units(flags, (await cli.session()).quotaPerUnit);
    const input = { ...fields, username, password, quota };
    const change = { action: 'create', noun: 'user', name: username } as const;
    await cli.changeAndPrint(change, (api) => api.user.create(input), briefOf(NAMED));
  },
  edit: EDIT,
});

const edit = editCommand(NAMED, {
  flags: EDIT_FLAGS,
  examples: [
    'edit alice --group vip',
    'edit alice --language site',
    'edit alice --max-concurrency 20 --dry-run',
  ],
  ...EDIT,
});

const quota = command({
  usage: 'quota <user>',
  flags: ['--add', '--set', '--quota <units>', '--usd <amount>', '--idempotency-key <key>'],
  examples: ['quota alice --add --usd 20 --dry-run', 'quota alice --set --quota 500000'],
  async run(cli, { user: text, idempotencyKey: key, ...flags }) {
    const { quotaPerUnit } = await cli.session();
    const units = cli.values.signedUnits(flags, quotaPerUnit);
    if (units === undefined)
      throw cli.values.refuse('--quota', 'one_of', { names: ['--quota', '--usd'] });
    if (flags.add === flags.set)
      throw cli.values.refuse('--add', 'one_of', { names: ['--add', '--set'] });
    const { id, username, quota: balance } = await findUser(cli, text);
    const input = { id, mode: flags.add ? 'add' : 'set', units, key } as const;
    const before = { username, quota_before: balance, quota: balance, repeated: false };
    const change = { action: 'update', noun: 'user', name: username, before } as const;
    const setQuota = async (api: LocalApi) => {
      const { before, after, repeated } = await api.user.setQuota(input);
      return { username, quota_before: before, quota: after, repeated };
    };
    await cli.changeAndPrint(change, setQuota, QUOTA_VIEW);
  },
});

const passwd = command({
  usage: 'passwd <user>',
  flags: ['--password-stdin'],
  examples: ['passwd alice', 'passwd alice --password-stdin < password.txt'],
  async run(cli, { user: text, passwordStdin }) {
    const { id, username } = await findUser(cli, text);
    const password = await askedPassword(cli, passwordStdin);
    const change = { action: 'update', noun: 'user', name: username } as const;
    await cli.change(change, (api) => api.user.setPassword({ id, password }));
    if (!cli.globals.dryRun) await cli.done('user', username, 'changed');
  },
});

const token = command({
  usage: 'token <user>',
  examples: ['token alice', 'token alice --json'],
  async run(cli, { user: text }) {
    const { id, username } = await findUser(cli, text);
    const loses = cli.t('cli.loses.access_token');
    const change = { action: 'update', noun: 'user', name: username, loses } as const;
    const access_token = await cli.change(change, (api) => api.user.newAccessToken({ id }));
    if (access_token === undefined) return;
    cli.note(cli.t('cli.notes.shown_once'));
    await cli.print({ username, access_token }, { columns: ['access_token'], id: 'access_token' });
  },
});

const remove = deleteCommand(NAMED, ['delete alice'], (api, { id }) =>
  api.user.manage({ id, action: 'delete' }),
);

function manage(action: 'enable' | 'disable' | 'promote' | 'demote') {
  return updateCommand({ ...NAMED, view: STATUS }, action, 'alice', (api, { id }) =>
    api.user.manage({ id, action }),
  );
}

export const user: Noun = {
  name: 'user',
  verbs: [
    list,
    get,
    create,
    edit,
    remove,
    manage('promote'),
    manage('demote'),
    manage('enable'),
    manage('disable'),
    quota,
    passwd,
    token,
  ],
};
