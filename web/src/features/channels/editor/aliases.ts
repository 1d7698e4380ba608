/** Names replaced by a mapping, which only work if the channel also offers them. */
import { lookupName } from '../../../../../src/domain/channels/model-names.ts';
import { flatMapOf } from '../../../components/forms/json-problems.ts';
import type { ChannelValues } from './channel-form.ts';

type Mapped = Pick<ChannelValues, 'models' | 'model_mapping' | 'model_prefix'>;

/**
 * Mapped names that are not among the models, without the prefix under which they are offered. A
 * name that is itself the target of another mapping is intermediate and need not be offered.
 */
export function unservedAliases({ models, model_mapping, model_prefix }: Mapped): string[] {
  const mapping = flatMapOf(model_mapping) ?? {};
  const targets = new Set(Object.values(mapping).map(String));
  const bare = Object.keys(mapping)
    .filter((name) => name.trim() !== '' && !targets.has(name))
    .map((name) => (name.startsWith(model_prefix) ? name.slice(model_prefix.length) : name));
  return [...new Set(bare)].filter(
    (name) => !models.includes(name) && !models.includes(lookupName(name)),
  );
}
