/** `gateway group`: manages price factors and selectable groups. */
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { allItems } from '../../lookup/paged-lists.ts';
import type { View } from '../../output/render-reply.ts';
import { briefOf, deleteByNameCommand, listCommand } from '../common-verbs.ts';
import { createCommand } from '../create-command.ts';

const VIEW: View = {
  columns: ['name', 'ratio', 'selectable', 'label', 'users', 'channels'],
  id: 'name',
};

type Group = Awaited<ReturnType<LocalApi['group']['set']>>;

const list = listCommand({
  flags: ['--q <text>'],
  examples: ['list', 'list --output ids'],
  view: VIEW,
  query: (_cli, { q: keyword }) => ({ keyword }),
  page: (api, query) => api.group.list(query),
});

/** Flags of create and set. */
const FIELD_FLAGS = [
  '--ratio <factor>',
  '--selectable',
  '--not-selectable',
  '--desc <text>',
] as const;

function fieldsOf(
  { values }: Cli,
  { desc: label, ...flags }: FlagsOf<(typeof FIELD_FLAGS)[number]>,
) {
  if (flags.selectable && flags.notSelectable)
    throw values.refuse('--selectable', 'not_both', { other: '--not-selectable' });
  const selectable = flags.selectable ?? (flags.notSelectable ? false : undefined);
  return { ratio: values.decimal('--ratio', flags.ratio), selectable, label };
}

const NAMED = { noun: 'group', nameOf: ({ name }: Group) => name, view: VIEW };

async function groupsNamed(cli: Cli, name: string): Promise<Group[]> {
  const api = await cli.api();
  const items = await allItems(api.group.list, { keyword: name });
  return items.filter((group) => group.name === name);
}

const create = createCommand(NAMED, {
  flags: ['--name <name>', ...FIELD_FLAGS],
  examples: [
    'create --name partners --ratio 0.8 --selectable --desc "For customers"',
    'create --name partners --ratio 0.8 --upsert',
  ],
  name: (cli, { name }) => name ?? cli.ask(cli.t('cli.ask.group_name'), '--name'),
  named: groupsNamed,
  create: (cli, flags, name) => setGroup(cli, name, undefined, fieldsOf(cli, flags)),
  edit: {
    fields: fieldsOf,
    save: (api, { name }, fields) => api.group.set({ name, ...fields }),
  },
});

const set = command({
  usage: 'set <name>',
  flags: FIELD_FLAGS,
  examples: [
    'set vip --ratio 0.8 --selectable --desc "For customers"',
    'set vip --ratio 0.7 --dry-run',
  ],
  async run(cli, { name, ...flags }) {
    const fields = fieldsOf(cli, flags);
    const [before] = await groupsNamed(cli, name);
    await setGroup(cli, name, before, fields);
  },
});

async function setGroup(
  cli: Cli,
  name: string,
  before: Group | undefined,
  fields: ReturnType<typeof fieldsOf>,
): Promise<void> {
  const change = { action: before ? 'update' : 'create', noun: 'group', name, before } as const;
  await cli.changeAndPrint(change, (api) => api.group.set({ name, ...fields }), briefOf(NAMED));
}

const examples = ['delete vip', 'delete vip --force --yes'];
const remove = deleteByNameCommand('group', examples, (api, group) => api.group.remove(group));

export const group: Noun = { name: 'group', verbs: [list, create, set, remove] };
