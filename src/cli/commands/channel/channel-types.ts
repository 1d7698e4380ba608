/** `gateway channel types`: lists the supported providers. */
import { channelTypeOf } from '../../../domain/channels/channel-types.ts';
import { command } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';

const TYPES: View = {
  columns: [
    'type',
    'slug',
    'name',
    'dialect',
    'endpoints',
    'tells_balance',
    'lists_models',
    'supported',
  ],
  wide: ['base_url', 'key_form', 'other', 'takes_messages', 'note'],
  id: 'slug',
};

export const types = command({
  usage: 'types [type]',
  examples: ['types', 'types dify -o yaml', 'types --json', 'types -o wide'],
  async run(cli, { type }) {
    const all = await (await cli.api()).channelModel.types({});
    if (type === undefined) return cli.print(all, TYPES);
    const wanted = channelTypeOf(type)?.type;
    const found = all.find((row) => row.type === wanted);
    if (found === undefined) {
      const known = all.map(({ slug }) => slug);
      throw cli.values.notAmong('<type>', type, known);
    }
    return cli.print(found, TYPES);
  },
});
