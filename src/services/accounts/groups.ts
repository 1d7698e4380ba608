/**
 * Groups are stored in two options: GroupRatio defines their names and ratios, UserUsableGroups
 * makes them selectable.
 */

import type * as z from 'zod/mini';
import type { Group, groupCalls } from '../../api/accounts/group.ts';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { groupExists } from '../../domain/groups.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { channelsPerGroup } from '../../store/tables/abilities-table.ts';
import { usersPerGroup } from '../../store/tables/users-table.ts';
import { changeOptions, loadOptions } from '../options/options.ts';

type Calls = Service<typeof groupCalls, Context>;
type Shown = z.input<typeof Group>;

export const names: Calls['names'] = async (ctx) =>
  Object.keys((await loadOptions(ctx)).get('GroupRatio'));

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const keyword = (input.keyword ?? '').toLowerCase();
  const groups = (await allGroups(ctx)).filter((group) =>
    group.name.toLowerCase().includes(keyword),
  );
  const items = groups.slice(window.offset, window.offset + window.limit);
  return toPage(window, items, groups.length);
};

/** A new group has ratio 1 and is not selectable; fields that are not sent stay unchanged. */
export const set: Calls['set'] = async (ctx, actor, { name, ...sent }) => {
  await changeOptions(ctx, actor, async (_ctx, options) => {
    const ratios = { ...options.get('GroupRatio') };
    const labels = { ...options.get('UserUsableGroups') };
    ratios[name] = sent.ratio ?? ratios[name] ?? 1;
    if (sent.selectable ?? Object.hasOwn(labels, name))
      labels[name] = sent.label ?? labels[name] ?? name;
    else delete labels[name];
    return [
      { key: 'GroupRatio', value: ratios },
      { key: 'UserUsableGroups', value: labels },
    ];
  });
  const group = (await allGroups(ctx)).find((group) => group.name === name);
  if (group === undefined) throw new AppError('group_missing', { group: name });
  return group;
};

/** @throws AppError group_missing; group_in_use unless `force`. */
export const remove: Calls['remove'] = async (ctx, actor, { name }, visit) => {
  await changeOptions(
    ctx,
    actor,
    async (_ctx, options) => {
      if (!groupExists(options.get('GroupRatio'), name))
        throw new AppError('group_missing', { group: name });
      const { [name]: _ratio, ...ratios } = options.get('GroupRatio');
      const { [name]: _label, ...labels } = options.get('UserUsableGroups');
      return [
        { key: 'GroupRatio', value: ratios },
        { key: 'UserUsableGroups', value: labels },
      ];
    },
    visit,
  );
};

async function allGroups(ctx: Context): Promise<Shown[]> {
  const options: OptionValues = await loadOptions(ctx);
  const users = await usersPerGroup(ctx.reads);
  const channels = await channelsPerGroup(ctx.reads);
  const labels = options.get('UserUsableGroups');
  return Object.entries(options.get('GroupRatio')).map(([name, ratio]) => ({
    name,
    ratio,
    selectable: Object.hasOwn(labels, name),
    label: labels[name] ?? '',
    users: users.get(name) ?? 0,
    channels: channels.get(name) ?? 0,
  }));
}
