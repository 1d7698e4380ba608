/** Names replaced by the mapping of the form, which only work if the channel also offers them. */
import { unlistedAliases } from '../../../../../src/domain/channels/model-names.ts';
import { flatMapOf } from '../../../components/forms/json-problems.ts';
import type { ChannelValues } from './channel-form.ts';

type Mapped = Pick<ChannelValues, 'models' | 'model_mapping' | 'model_prefix'>;

export function unservedAliases({ models, model_mapping, model_prefix }: Mapped): string[] {
  return unlistedAliases({
    models,
    mapping: flatMapOf(model_mapping) ?? {},
    prefix: model_prefix,
  });
}
