/** The tag drawer's form, initialized with the values the tag's channels share. */
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import type { Channel } from '../calls.ts';
import { common } from '../list/channel-rows.ts';

export interface TagValues {
  readonly new_tag: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly model_mapping: string;
}

/** Fields in which the channels differ start empty, which means "keep". */
export function tagValuesOf(tag: string, channels: readonly Channel[]): TagValues {
  return {
    new_tag: tag,
    models: splitList(common(channels, (one) => one.models) ?? ''),
    groups: splitList(common(channels, (one) => one.group) ?? ''),
    model_mapping: common(channels, (one) => one.model_mapping) ?? '',
  };
}

/** Only the changed fields; undefined if there are none. */
export function tagChanges(now: TagValues, before: TagValues) {
  const lists = ['models', 'groups'] as const;
  const changed = lists.filter(
    (name) => now[name].join() !== before[name].join() && now[name].length > 0,
  );
  const changes = {
    ...Object.fromEntries(changed.map((name) => [name, now[name].join(',')])),
    ...(now.new_tag.trim() !== before.new_tag &&
      now.new_tag.trim() !== '' && { new_tag: now.new_tag.trim() }),
    ...(now.model_mapping.trim() !== before.model_mapping.trim() &&
      now.model_mapping.trim() !== '' && { model_mapping: now.model_mapping.trim() }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}
