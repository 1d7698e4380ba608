/** `gateway group`: manages price factors and selectable groups. */
import { command, type Noun } from '../../command.ts';
import { allPages, LIST_FLAGS, printList } from '../../lookup/paged-lists.ts';
import type { View } from '../../output/render-reply.ts';

const VIEW: View = {
  columns: ['name', 'ratio', 'selectable', 'label', 'users', 'channels'],
  id: 'name',
};

const list = command({
  usage: 'list',
  flags: ['--q <text>', ...LIST_FLAGS],
  examples: ['list', 'list --output ids'],
  async run(cli, flags) {
    const api = await cli.api();
    await printList(cli, flags, VIEW, (page) => api.group.list({ ...page, keyword: flags.q }));
  },
});

const set = command({
  usage: 'set <name>',
  flags: ['--ratio <factor>', '--selectable', '--not-selectable', '--desc <text>'],
  examples: [
    'set vip --ratio 0.8 --selectable --desc "For customers"',
    'set vip --ratio 0.7 --dry-run',
  ],
  async run(cli, { name, desc: label, ...flags }) {
    if (flags.selectable && flags.notSelectable) {
      throw cli.values.refuse('--selectable', 'not_both', { other: '--not-selectable' });
    }
    const ratio = cli.values.decimal('--ratio', flags.ratio);
    const selectable = flags.selectable ?? (flags.notSelectable ? false : undefined);
    const api = await cli.api();
    const { items } = await allPages((page) => api.group.list({ ...page, keyword: name }));
    const before = items.find((group) => group.name === name);
    const change = {
      action: before ? 'update' : 'create',
      noun: 'group',
      name,
      ...(before && { before }),
    } as const;
    const input = { name, ratio, selectable, label };
    await cli.changeAndPrint(change, (api) => api.group.set(input), { ...VIEW, brief: true });
  },
});

const remove = command({
  usage: 'delete <name>',
  examples: ['delete vip', 'delete vip --force --yes'],
  async run(cli, { name }) {
    const loses = cli.t('cli.loses.group');
    const change = { action: 'delete', noun: 'group', name, loses } as const;
    await cli.change(change, (api) => api.group.remove({ name }));
    if (!cli.globals.dryRun) await cli.done('group', name, 'deleted');
  },
});

export const group: Noun = { name: 'group', verbs: [list, set, remove] };
