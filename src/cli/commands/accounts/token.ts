/** `gateway token`: manages API tokens. */
import { AppError } from '../../../domain/errors/errors.ts';
import { TOKEN } from '../../../domain/nouns/token.ts';
import { TOKEN_STATUS } from '../../../domain/statuses.ts';
import type { LocalApi } from '../../../session/session.ts';
import { SNIPPETS, snippetOf } from '../../../session/snippets.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { allOrOwn } from '../../lookup/all-or-own.ts';
import { type FoundToken, findToken, findUser, tokensNamed } from '../../lookup/find-by-name.ts';
import { TOKEN_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';
import { serverAddressOf } from '../../servers/server-address.ts';
import { columnFlags, columnValues } from '../column-flags.ts';
import {
  deleteCommand,
  editCommand,
  getCommand,
  listCommand,
  type NamedNoun,
  statusCommands,
} from '../common-verbs.ts';
import { createCommand } from '../create-command.ts';
import { ownerOf } from '../models/temporary-token.ts';

const VIEW: View = {
  columns: [
    'id',
    'name',
    'username',
    'key',
    'status',
    'remain_quota',
    'used_quota',
    'expired_time',
  ],
  wide: ['unlimited_quota', 'held', 'group', 'model_limits', 'allow_ips', 'accessed_time'],
  words: TOKEN_WORDS,
};
/** The key is what most callers need of a new token. */
const MADE: View = {
  ...VIEW,
  columns: ['id', 'name', 'key', 'remain_quota', 'expired_time'],
  brief: true,
};

const list = listCommand({
  flags: ['--q <text>', '--status <status>', '--group <name>', '--user <user>'],
  examples: ['list', 'list --user alice --status exhausted', 'list --all --output csv'],
  view: VIEW,
  query: async (cli, { q: keyword, group, status, user }) => ({
    keyword,
    group,
    status: status && cli.values.word('--status', status, TOKEN_STATUS),
    user: user && (await findUser(cli, user)).id,
    everyone: true,
  }),
  page: (api, query) => api.token.list(query),
});

const NAMED: NamedNoun<FoundToken> = {
  noun: 'token',
  find: findToken,
  nameOf: ({ name }) => name,
  view: VIEW,
};

const get = getCommand(NAMED, ['get ci', 'get 12 --json']);

/** Columns whose flags are parsed as their kind says. */
const { expired_time: _, ...PLAIN } = TOKEN;

/** Flags of create and edit. */
const FIELD_FLAGS = [
  ...columnFlags(TOKEN),
  '--quota <units>',
  '--usd <amount>',
  '--rate <calls/period>',
] as const;

type FieldFlags = FlagsOf<(typeof FIELD_FLAGS)[number]>;

type Fields = Omit<Parameters<LocalApi['token']['edit']>[0], 'id' | 'status'>;

/** An empty list or `--rate 0/1m` removes a limit; setting a quota ends "unlimited". */
async function fieldsOf(cli: Cli, flags: FieldFlags): Promise<Fields> {
  const { values } = cli;
  const units = values.units(flags, (await cli.session()).quotaPerUnit);
  if (units !== undefined && flags.unlimited) {
    throw values.refuse('--unlimited', 'not_both', { other: '--quota' });
  }
  const rate = values.rate('--rate', flags.rate);
  const { expires, models, ips } = flags;
  return {
    ...columnValues(values, PLAIN, flags),
    remain_quota: units,
    unlimited_quota: flags.unlimited ?? (units === undefined ? undefined : false),
    expired_time: values.expiry('--expires', expires),
    model_limits_enabled: models === undefined ? undefined : values.list(models).length > 0,
    allow_ips: values.list(ips)?.join('\n'),
    rate_limit_enabled: rate && rate.count > 0,
    rate_limit_count: rate?.count,
    rate_limit_success: rate?.count,
    rate_limit_period: rate?.periodSec,
  };
}

const EDIT = {
  fields: fieldsOf,
  save: (api: LocalApi, { id }: FoundToken, fields: Fields) => api.token.edit({ ...fields, id }),
};

const create = createCommand(NAMED, {
  flags: [...FIELD_FLAGS, '--user <user>', '--count <n>'],
  examples: [
    'create --name ci --usd 5 --expires 30d',
    'create --name ci --quota 500000 --expires 7d --if-absent --output ids',
    'create --name team --unlimited --group vip --models gpt-4o,gpt-4o-mini --rate 60/1m',
  ],
  name: (cli, { name }) => name ?? cli.ask(cli.t('cli.ask.token_name'), '--name'),
  async named(cli, name, { user }) {
    const api = await cli.api();
    return tokensNamed(api, name, { user: await ownerOf(cli, api, user) });
  },
  async create(cli, { user, count, ...flags }, name) {
    const owner = await ownerOf(cli, await cli.api(), user);
    const input = { ...(await fieldsOf(cli, flags)), name, user: owner };
    const change = { action: 'create', noun: 'token', name } as const;
    if (count === undefined) {
      const make = async (api: LocalApi) => {
        const { created, ...token } = await api.token.ensure(input);
        if (!created) throw new AppError('name_taken', { noun: 'token', name });
        return token;
      };
      return cli.changeAndPrint(change, make, MADE);
    }
    const howMany = cli.values.wholeNumber('--count', count);
    const made = await cli.change(change, (api) => api.token.create({ ...input, count: howMany }));
    if (made !== undefined) await cli.print(made.tokens, MADE);
  },
  keep: (cli, [token]) => cli.print(token, MADE),
  edit: EDIT,
});

const edit = editCommand(NAMED, {
  flags: FIELD_FLAGS,
  examples: ['edit ci --quota 1000000', 'edit ci --expires never --models gpt-4o --dry-run'],
  ...EDIT,
});

const remove = deleteCommand(NAMED, ['delete ci', 'delete 12 --yes'], (api, { id }) =>
  api.token.remove({ id }),
);

const statuses = statusCommands(NAMED, 'ci', (api, { id }, status) =>
  api.token.setStatus({ id, status }),
);

const reveal = command({
  usage: 'reveal <token>',
  examples: ['reveal ci', 'reveal ci --output ids'],
  async run(cli, { token: text }) {
    const { id, name } = await findToken(cli, text);
    const { key } = await (await cli.api()).token.reveal({ id });
    await cli.print({ id, name, key }, { columns: ['key'], id: 'key' });
  },
});

const snippet = command({
  usage: 'snippet <token>',
  flags: ['--for <client>', '--model <model>'],
  examples: [
    'snippet ci',
    'snippet ci --for claude',
    'snippet ci --for python --model gpt-4o-mini',
  ],
  async run(cli, { token: text, for: client, model = 'gpt-4o-mini' }) {
    const { values } = cli;
    const form = values.choice('--for', client ?? 'curl', SNIPPETS);
    const { id } = await findToken(cli, text);
    const api = await cli.api();
    const { key } = await api.token.reveal({ id });
    const url = (await siteAddress(api)) ?? (await serverAddressOf(cli));
    cli.io.out(snippetOf(form, { url, key, model }));
  },
});

/** The site's own address, if set and readable by the caller. */
function siteAddress(api: LocalApi): Promise<string | undefined> {
  return allOrOwn(
    async () => {
      const { changed, value } = await api.option.get({ key: 'ServerAddress' });
      return changed ? value : undefined;
    },
    async () => undefined,
  );
}

export const token: Noun = {
  name: 'token',
  verbs: [list, get, create, edit, remove, ...statuses, reveal, snippet],
};
