/** `gateway user`: manages accounts and their quota. */
import { ROLES } from '../../../domain/roles.ts';
import { USER_STATUS } from '../../../domain/statuses.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { findUser, found } from '../../lookup/find-by-name.ts';
import { LIST_FLAGS, listed } from '../../lookup/paged-lists.ts';
import { USER_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';

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
  wide: ['held', 'max_concurrency', 'tokens_per_minute', 'display_name', 'email', 'inviter_id'],
  words: USER_WORDS,
};
const BRIEF: View = { ...VIEW, columns: ['id', 'username', 'role', 'status'], brief: true };

const QUOTA_VIEW: View = { columns: ['username', 'quota_before', 'quota'], id: 'username' };

const list = command({
  usage: 'list',
  alias: 'ls',
  flags: ['--q <text>', '--group <name>', '--role <role>', '--status <status>', ...LIST_FLAGS],
  examples: ['list', 'list --role admin', 'list --q ann --output wide'],
  async run(cli, flags) {
    const api = await cli.api();
    const { values } = cli;
    const filters = {
      keyword: flags.q,
      group: flags.group,
      role: flags.role && values.word('--role', flags.role, ROLES),
      status: flags.status && values.word('--status', flags.status, USER_STATUS),
    };
    await cli.print(
      await listed(cli, flags, (page) => api.user.list({ ...page, ...filters })),
      VIEW,
    );
  },
});

const get = command({
  usage: 'get <user>',
  examples: ['get alice', 'get 7 --json'],
  async run(cli, { user }) {
    await cli.print(await findUser(cli, user), VIEW);
  },
});

const create = command({
  usage: 'create',
  flags: [
    '--username <name>',
    '--password-stdin',
    '--display-name <text>',
    '--group <name>',
    '--quota <units>',
    '--usd <amount>',
    '--email <address>',
    '--max-concurrency <n>',
    '--tokens-per-minute <n>',
    '--if-absent',
  ],
  examples: [
    'create --username alice',
    'create --username ci --if-absent --password-stdin < password.txt',
  ],
  async run(cli, flags) {
    const username = flags.username ?? (await cli.ask(cli.t('cli.ask.username'), '--username'));
    const there = flags.ifAbsent ? await found(() => userNamed(cli, username)) : undefined;
    if (there !== undefined) {
      cli.say(cli.t('cli.say.already_there', { noun: 'user', name: username }));
      return cli.print(there, { ...VIEW, brief: true });
    }
    const password = await newPassword(cli, flags.passwordStdin);
    const quota = cli.values.units(flags, (await cli.session()).quotaPerUnit);
    const { displayName: display_name, group, email } = flags;
    const account = { username, password, display_name, group, email, quota };
    const input = { ...account, ...cli.values.caps(flags) };
    const change = { action: 'create', noun: 'user', name: username } as const;
    const user = await cli.change(change, (api) => api.user.create(input));
    if (user !== undefined) await cli.print(user, { ...VIEW, brief: true });
  },
});

async function userNamed(cli: Cli, username: string) {
  return (await cli.api()).user.getByName({ username });
}

const edit = command({
  usage: 'edit <user>',
  flags: [
    '--username <name>',
    '--display-name <text>',
    '--group <name>',
    '--email <address>',
    '--max-concurrency <n>',
    '--tokens-per-minute <n>',
  ],
  examples: ['edit alice --group vip', 'edit alice --max-concurrency 20 --dry-run'],
  async run(cli, { user: text, username, displayName: display_name, group, email, ...caps }) {
    const before = await findUser(cli, text);
    const fields = { username, display_name, group, email, ...cli.values.caps(caps) };
    cli.requireFields(fields);
    const input = { ...fields, id: before.id };
    const change = { action: 'update', noun: 'user', name: before.username, before } as const;
    const user = await cli.change(change, (api) => api.user.edit(input));
    if (user !== undefined) await cli.print(user, { ...VIEW, brief: true });
  },
});

const quota = command({
  usage: 'quota <user>',
  flags: ['--add', '--set', '--quota <units>', '--usd <amount>', '--idempotency-key <key>'],
  examples: ['quota alice --add --usd 20 --dry-run', 'quota alice --set --quota 500000'],
  async run(cli, { user: text, idempotencyKey: key, ...flags }) {
    const { quotaPerUnit } = await cli.session();
    const units = cli.values.units(flags, quotaPerUnit);
    if (units === undefined)
      throw cli.values.refuse('--quota', 'one_of', { names: '--quota, --usd' });
    if (flags.add === flags.set)
      throw cli.values.refuse('--add', 'one_of', { names: '--add, --set' });
    const { id, username, quota: balance } = await findUser(cli, text);
    const input = { id, mode: flags.add ? 'add' : 'set', units, key } as const;
    const before = { username, quota_before: balance, quota: balance, repeated: false };
    const change = { action: 'update', noun: 'user', name: username, before } as const;
    const changed = await cli.change(change, async (api) => {
      const { before, after, repeated } = await api.user.setQuota(input);
      return { username, quota_before: before, quota: after, repeated };
    });
    if (changed !== undefined) await cli.print(changed, QUOTA_VIEW);
  },
});

const passwd = command({
  usage: 'passwd <user>',
  flags: ['--password-stdin'],
  examples: ['passwd alice', 'passwd alice --password-stdin < password.txt'],
  async run(cli, { user: text, passwordStdin }) {
    const { id, username } = await findUser(cli, text);
    const password = await newPassword(cli, passwordStdin);
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
    cli.say(cli.t('cli.say.shown_once'));
    await cli.print({ username, access_token }, { columns: ['access_token'], id: 'access_token' });
  },
});

/** The five verbs that need only a name. */
function manage(action: 'enable' | 'disable' | 'promote' | 'demote' | 'delete') {
  return command({
    usage: `${action} <user>`,
    examples: [`${action} alice`],
    async run(cli, { user: text }) {
      const before = await findUser(cli, text);
      const { id, username: name } = before;
      const isDelete = action === 'delete';
      const loses = isDelete ? { loses: cli.t('cli.loses.user') } : {};
      const change = {
        action: isDelete ? action : 'update',
        noun: 'user',
        name,
        before,
        ...loses,
      } as const;
      const user = await cli.change(change, (api) => api.user.manage({ id, action }));
      if (user === undefined) return;
      if (isDelete) await cli.done('user', name, 'deleted');
      else await cli.print(user, BRIEF);
    },
  });
}

async function newPassword(cli: Cli, stdin: boolean | undefined): Promise<string> {
  const source = stdin === undefined ? {} : { stdin };
  const password = await cli.secret(
    cli.t('cli.ask.password'),
    source,
    '--password-stdin',
    'ask twice',
  );
  return password ?? '';
}

export const user: Noun = {
  name: 'user',
  verbs: [
    list,
    get,
    create,
    edit,
    manage('delete'),
    manage('promote'),
    manage('demote'),
    manage('enable'),
    manage('disable'),
    quota,
    passwd,
    token,
  ],
};
